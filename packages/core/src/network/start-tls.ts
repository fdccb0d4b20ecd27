import { connect, type TLSSocket } from "node:tls";
import { AccessError } from "../errors/access-error.ts";
import { parseIpAddress } from "../policy/ip-address.ts";
import type { TlsOptions } from "../scheme/context.ts";
import {
  getGuardedSocketInfo,
  setGuardedSocketInfo,
  waitForConnect,
  prependFailedActionToErrorReason,
} from "./connect.ts";
import type { GuardContext, Socket } from "./guard-context.ts";

/**
 * Starts TLS on a connection that the guard has opened. The server's certificate must be valid for `host`. Throws
 * `unavailable`, `timeout`.
 */
export async function startTls(
  context: GuardContext,
  socket: Socket,
  host: string,
  options: TlsOptions = {},
): Promise<Socket> {
  context.signal.throwIfAborted();
  const tls = createTlsSocket(socket, host, options);
  const connection = getGuardedSocketInfo(socket);
  if (connection) {
    setGuardedSocketInfo(tls, connection);
    tls.on("session", (latest: Buffer) => (connection.tlsSession = latest));
  }
  context.onSocket(tls, socket);
  try {
    await waitForConnect(context, tls, "secureConnect");
  } catch (error) {
    throw prependFailedActionToErrorReason(error, `TLS with ${host} failed`, context.signal);
  }
  context.trace({ action: "tls", text: `${tls.getProtocol() ?? "TLS"}, ${tls.getCipher().name}` });
  return tls;
}

function createTlsSocket(socket: Socket, host: string, options: TlsOptions): TLSSocket {
  const { ca, cert, key, passphrase, alpnProtocols, resumeSessionOf } = options;
  const session = resumeSessionOf && getGuardedSocketInfo(resumeSessionOf)?.tlsSession;
  try {
    return connect({
      socket,
      // `rejectUnauthorized` is set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED changes its default.
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
      ...(parseIpAddress(host) ? { host } : { servername: host.replace(/\.$/, "") }),
      ...(ca === undefined ? {} : { ca: [ca].flat() }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(passphrase === undefined ? {} : { passphrase }),
      ...(alpnProtocols && { ALPNProtocols: [...alpnProtocols] }),
      ...(session && { session }),
    });
  } catch (cause) {
    socket.destroy();
    throw new AccessError("unavailable", "TLS cannot start with the certificates of the options", { cause });
  }
}
