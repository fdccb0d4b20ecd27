import { AccessError } from "../src/errors/access-error.ts";

/** The `AccessError` that work ends with. Fails when there is none, or another error. */
export async function failureOf(work: Promise<unknown> | (() => unknown)): Promise<AccessError> {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    if (error instanceof AccessError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}
