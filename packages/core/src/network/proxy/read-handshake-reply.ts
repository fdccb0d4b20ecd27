import { AccessError } from "../../errors/access-error.ts";
import { describeNetworkFailure } from "../../errors/network-failures.ts";
import type { GuardContext, Socket } from "../guard-context.ts";
import { describeProxy, type ParsedProxyServerSettings } from "./proxy-settings.ts";

/**
 * Passes the bytes of a proxy to `onBytes`, until `onBytes` returns the bytes after the handshake. The bytes after the
 * proxy's handshake come from the server, and stay unread in the paused socket. Throws the errors of `onBytes`, `proxy`
 * when the connection ends, and the reason of the signal. After an error, the caller must destroy the socket to the
 * proxy.
 */
export function readProxyHandshakeReply(
  { signal }: GuardContext,
  proxy: ParsedProxyServerSettings,
  socket: Socket,
  onBytes: (bytes: Buffer) => Buffer | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      socket.pause();
      socket.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onError);
      signal.removeEventListener("abort", onAbort);
    };
    const fail = (error: unknown): void => {
      stop();
      reject(error);
    };
    const onData = (bytes: Buffer): void => {
      try {
        const rest = onBytes(bytes);
        if (rest === undefined) return;
        stop();
        if (rest.length > 0) socket.unshift(rest);
        resolve();
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = (): void =>
      fail(new AccessError("proxy", `${describeProxy(proxy)} closed the connection before its answer`));
    const onError = (cause: Error): void =>
      fail(
        new AccessError("proxy", `${describeProxy(proxy)} did not answer: ${describeNetworkFailure(cause)}`, {
          cause,
        }),
      );
    const onAbort = (): void => fail(signal.reason);
    socket.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onError);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    else if (socket.destroyed) onEnd();
  });
}
