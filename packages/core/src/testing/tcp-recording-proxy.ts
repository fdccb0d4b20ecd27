import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Plan } from "../scheme/plan.ts";
import {
  createTcpOrTlsServer,
  listenOnLoopback,
  type LoopbackServer,
  type TestCertificate,
} from "./loopback-server.ts";

/**
 * Starts a proxy for a server on this machine that records the bytes in both directions. With the certificate `tls` of
 * a TLS server, the proxy decrypts the bytes, and uses the same certificate.
 */
export function startRecordingProxy(
  port: number,
  options: { readonly address?: string; readonly tls?: TestCertificate | undefined } = {},
): Promise<LoopbackServer> {
  const { address = "127.0.0.1", tls } = options;
  return listenOnLoopback(createTcpOrTlsServer(tls), address, (client, recording) => {
    const target = { host: address, port, allowHalfOpen: true, noDelay: true };
    // The proxy accepts a server certificate that was not issued for the loopback address.
    const server = tls
      ? connectTls({ ...target, ca: tls.cert, checkServerIdentity: () => undefined })
      : connect(target);
    client.on("data", (bytes: Buffer) => recording.addReceived(bytes)).pipe(server);
    server.on("data", (bytes: Buffer) => recording.addSent(bytes)).pipe(client);
    server.on("error", () => client.destroy()).once("close", () => client.destroySoon());
    client.once("close", () => server.destroy());
  });
}

/** Returns the bytes of the unconditional `send` steps of a plan, in their order. */
export function getPlannedBytes(plan: Plan): Buffer {
  return Buffer.concat(
    plan.steps
      .filter(({ action, onReply: when }) => action === "send" && when === undefined)
      .map(({ bytes }) => bytes ?? new Uint8Array(0)),
  );
}
