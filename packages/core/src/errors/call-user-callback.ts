import { AccessError, createMaskableServerText } from "./access-error.ts";

/**
 * Calls a function of the caller. When the callback throws, throws the error that `wrapUserCallbackError` returns.
 * `name` is the name of the callback in the error message.
 */
export function callUserCallback<A extends readonly unknown[], R>(
  name: string,
  callback: (...args: A) => R,
  ...args: A
): R {
  try {
    return callback(...args);
  } catch (error) {
    throw wrapUserCallbackError(name, error);
  }
}

/**
 * Calls an asynchronous function of the caller. Throws the errors of {@link callUserCallback}, also when the promise
 * rejects.
 */
export async function callAsyncUserCallback<A extends readonly unknown[], R>(
  name: string,
  callback: (...args: A) => R | Promise<R>,
  ...args: A
): Promise<R> {
  try {
    return await callback(...args);
  } catch (error) {
    throw wrapUserCallbackError(name, error);
  }
}

/**
 * Returns an error with the code `plugin` whose cause is the error of a callback. Returns an `AbortError` and an
 * `AccessError` without a URL unchanged, because the callback has created the error for this request.
 */
export function wrapUserCallbackError(name: string, error: unknown): unknown {
  if (error instanceof AccessError && error.url === undefined) return error;
  if (error instanceof Error && error.name === "AbortError") return error;
  const message = error instanceof Error ? error.message : String(error);
  return new AccessError(
    "plugin",
    [`the callback ${name} threw an error: `, createMaskableServerText(message)],
    { cause: error, isCallerCause: true },
  );
}
