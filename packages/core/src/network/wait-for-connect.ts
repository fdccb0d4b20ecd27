import { AccessError } from "../errors/access-error.ts";
import { certificateProblem } from "./certificate.ts";
import type { Gate } from "./connector.ts";
import { limitError } from "../policy/limits.ts";
import { reasonOf } from "../errors/network-reasons.ts";
import type { Socket } from "./socket.ts";

/**
 * Waits for the socket's event, so many milliseconds; a failure, the end of the wait or of the access destroys the socket. `failed`
 * begins the message of a failure, whose reason follows.
 */
export function settled(
  { signal, limits }: Gate,
  socket: Socket,
  event: "connect" | "secureConnect",
  failed: string,
  ms: number = limits.connectTimeoutMs,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: unknown): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.off(event, onEvent).off("error", onError).off("close", onClose);
      if (error === undefined) return resolve();
      // A late error of a destroyed socket has no listener left and would end the process.
      socket.on("error", () => undefined).destroy();
      reject(error);
    };
    const onEvent = (): void => finish();
    const onError = (cause: Error): void =>
      finish(
        new AccessError("unavailable", `${failed}${reasonOf(cause)}`, {
          cause,
          ...certificateProblem(cause),
        }),
      );
    const onClose = (): void =>
      finish(new AccessError("unavailable", `${failed}: connection closed by the server`));
    const onAbort = (): void => finish(signal.reason);
    const onExpiry = (): void => finish(limitError("connectTimeoutMs", limits, `${failed}: timed out`));
    const timer = ms === Infinity ? undefined : setTimeout(onExpiry, ms);
    socket.on(event, onEvent).on("error", onError).on("close", onClose);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
