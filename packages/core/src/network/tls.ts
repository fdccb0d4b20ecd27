import { connect, type TLSSocket } from "node:tls";
import { AccessError } from "../errors/access-error.ts";
import type { TlsOptions } from "../scheme/context.ts";
import { addressBytes } from "../policy/ip-address.ts";
import type { Gate } from "./connector.ts";
import { checkedPeer, notePeer } from "./peers.ts";
import { settled } from "./wait-for-connect.ts";
import type { Socket } from "./socket.ts";

/** The latest session of each TLS connection. */
const sessions = new WeakMap<Socket, Buffer>();

/** Starts TLS on a connection that the guard has opened. The certificate has to be good for `host`. Throws `unavailable`, `timeout`. */
export async function secure(
  gate: Gate,
  socket: Socket,
  host: string,
  options: TlsOptions = {},
): Promise<Socket> {
  gate.signal.throwIfAborted();
  const tls = begin(socket, host, options);
  const peer = checkedPeer(socket);
  if (peer !== undefined) notePeer(tls, peer);
  tls.on("session", (latest: Buffer) => sessions.set(tls, latest));
  gate.opened(tls, socket);
  await settled(gate, tls, "secureConnect", `TLS with ${host} failed`);
  gate.trace({ action: "tls", text: `${tls.getProtocol() ?? "TLS"}, ${tls.getCipher().name}` });
  return tls;
}

function begin(socket: Socket, host: string, options: TlsOptions): TLSSocket {
  const { ca, cert, key, passphrase, alpnProtocols, resumeSessionOf: sessionOf } = options;
  const session = sessionOf && sessions.get(sessionOf);
  try {
    return connect({
      socket,
      // Said aloud, because the defaults follow environment variables.
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
      ...(addressBytes(host) ? { host } : { servername: host.replace(/\.$/, "") }),
      ...(ca === undefined ? {} : { ca: [ca].flat() }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(passphrase === undefined ? {} : { passphrase }),
      ...(alpnProtocols && { ALPNProtocols: [...alpnProtocols] }),
      ...(session && { session }),
    });
  } catch (cause) {
    socket.destroy();
    throw new AccessError("unavailable", "TLS cannot begin with these certificates", { cause });
  }
}
