import { AccessError, toAccessError } from "../errors/access-error.ts";
import { parseIpAddress } from "../policy/ip-address.ts";
import { createLimitError } from "../policy/limits.ts";
import type { Endpoint } from "../scheme/plan.ts";
import type { GuardContext, Socket } from "./guard-context.ts";

/** Opens one connection to an address, with a context whose signal ends the attempt. */
export type AddressConnector = (context: GuardContext, address: string) => Promise<Socket>;

/**
 * Orders addresses so that IPv4 and IPv6 addresses alternate. The address family of the first given address stays
 * first. RFC 8305 §4.
 */
export function interleaveFamilies(addresses: readonly string[]): string[] {
  const distinct = [...new Set(addresses)];
  const familyOf = (address: string): number => parseIpAddress(address)?.length ?? 0;
  const first = distinct.filter((address) => familyOf(address) === familyOf(distinct[0] ?? ""));
  const second = distinct.filter((address) => !first.includes(address));
  return distinct.flatMap((_, at) => first.slice(at, at + 1).concat(second.slice(at, at + 1)));
}

interface FailedAddress {
  readonly address: string;
  readonly error: AccessError;
}

/** The reason with which the remaining attempts to connect are aborted. */
const ATTEMPTS_ENDED = "another attempt has connected, or the time is over";

/**
 * Connects to the addresses of one host, and returns the first connection that is established. The next attempt starts
 * after `connectionAttemptDelayMs`, or when an attempt has failed. The connections of all other attempts are closed.
 * The guard has checked all addresses before the first attempt. An error with any other code than `unavailable` ends
 * all attempts to connect. Throws `unavailable` with the reason of each address, and `timeout` after
 * `connectTimeoutMs`. RFC 8305 §5.
 */
export async function connectToFirst(
  context: GuardContext,
  { host, port }: Endpoint,
  addresses: readonly string[],
  attempt: AddressConnector,
): Promise<Socket> {
  const { signal, limits, connectionAttemptDelayMs } = context;
  signal.throwIfAborted();
  const ended = new AbortController();
  const attemptContext: GuardContext = { ...context, signal: AbortSignal.any([signal, ended.signal]) };
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const waiting = interleaveFamilies(addresses);
  const pending = new Set<string>();
  const failures: FailedAddress[] = [];
  let delay: NodeJS.Timeout | undefined;
  let connected: Socket | undefined;

  const trace = (text: string): void => context.trace({ action: "connect", text });
  const describeFailures = (): string => {
    const reasons = [
      ...failures.map(describeFailedAddress),
      ...[...pending].map((address) => `${address}: timed out`),
    ];
    return `cannot connect to ${host} port ${port}: ${reasons.join("; ")}`;
  };

  function startNext(): void {
    clearTimeout(delay);
    const address = waiting.shift();
    if (address === undefined) return;
    pending.add(address);
    trace(`trying ${address} port ${port}`);
    if (waiting.length > 0) delay = setTimeout(startNextOrReject, connectionAttemptDelayMs);
    attempt(attemptContext, address)
      .then(
        (socket) => {
          pending.delete(address);
          // Two attempts may succeed in the same turn of the event loop.
          if (ended.signal.reason === ATTEMPTS_ENDED) socket.destroy();
          else resolve((connected = socket));
          ended.abort(ATTEMPTS_ENDED);
        },
        (cause: unknown) => {
          pending.delete(address);
          if (ended.signal.reason === ATTEMPTS_ENDED) return;
          const error = toAccessError(cause);
          if (signal.aborted || error.code !== "unavailable") return reject(cause);
          failures.push({ address, error });
          trace(describeFailedAddress({ address, error }));
          if (waiting.length > 0) startNext();
          else if (pending.size === 0)
            reject(new AccessError("unavailable", describeFailures(), { cause: combineCauses(failures) }));
        },
      )
      .catch(reject);
  }

  /** Rejects when a trace listener throws: an exception of a timer would end the process. */
  function startNextOrReject(): void {
    try {
      startNext();
    } catch (error) {
      reject(error);
    }
  }

  const expire = (): void => reject(createLimitError("connectTimeoutMs", limits, describeFailures()));
  const timer =
    limits.connectTimeoutMs === Infinity ? undefined : setTimeout(expire, limits.connectTimeoutMs);
  const endAttempts = (): void => {
    clearTimeout(timer);
    clearTimeout(delay);
    ended.abort(ATTEMPTS_ENDED);
    for (const address of pending) trace(`${address}: the attempt was cancelled before it connected`);
  };
  try {
    startNextOrReject();
    return await promise.finally(endAttempts);
  } catch (error) {
    // A trace listener may throw after an attempt has succeeded.
    connected?.destroy();
    throw error;
  }
}

function describeFailedAddress({ address, error }: FailedAddress): string {
  return `${address}: ${error.reason}`;
}

/**
 * Returns one error cause for all failed attempts to connect. The `code` of the returned error is the code of the last
 * failed attempt.
 */
function combineCauses(failures: readonly FailedAddress[]): Error {
  const causes = failures.map(({ error }) => error.cause as NodeJS.ErrnoException | undefined);
  return Object.assign(new AggregateError(causes, "no address accepted a connection"), {
    code: causes.at(-1)?.code,
  });
}
