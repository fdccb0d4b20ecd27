import { AccessError } from "../src/errors/access-error.ts";

/**
 * Returns the `AccessError` that a promise or function fails with. Throws when the promise resolves, and when it
 * rejects with an error of another class.
 */
export async function catchAccessError(work: Promise<unknown> | (() => unknown)): Promise<AccessError> {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    if (error instanceof AccessError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}
