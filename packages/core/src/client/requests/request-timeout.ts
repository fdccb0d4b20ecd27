import { toAccessError } from "../../errors/access-error.ts";
import { raceAbort } from "../../io/abort.ts";
import { createAccessErrorForAbort, type RequestContext } from "../request-hop.ts";
import { HopLifetime } from "../request-lifetime.ts";

/**
 * Runs work that belongs to a request but to none of its hops, such as a wait before a retry. Throws `aborted` or
 * `timeout` when the caller's signal aborts, the client is destroyed, or the limit `callTimeoutMs` is exceeded. `url`
 * is the URL of the request in error messages.
 */
export async function runWithRequestTimeout<T>(
  request: RequestContext,
  url: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { client, operation, options, masker } = request;
  const { signal } = options;
  const caller = signal && { signal, createAbortReason: () => createAccessErrorForAbort(signal, undefined) };
  const lifetime = new HopLifetime(client.activeRequests, caller);
  lifetime.setRequestDeadline(request);
  try {
    lifetime.signal.throwIfAborted();
    return await raceAbort(work(lifetime.signal), lifetime.signal);
  } catch (error) {
    const mask = masker.isMasking ? masker.mask : undefined;
    throw toAccessError(error).withContext({ operationName: operation.name, url, mask });
  } finally {
    lifetime.end();
  }
}
