import { createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createServer, type Server, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectTo } from "../../src/network/connect.ts";
import { getGuardedSocketInfo } from "../../src/network/connect.ts";
import { startTls } from "../../src/network/start-tls.ts";
import type { TlsOptions } from "../../src/scheme/context.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { TEST_CERTIFICATE_PEM as ca, TEST_PRIVATE_KEY_PEM } from "./test-certificate.ts";
import { createRecordingConnectionContext } from "./recording-connection-context.ts";

/**
 * A server that requests a client certificate, accepts every client, and reports whether the certificate is trusted.
 */
let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer(
    { cert: ca, key: TEST_PRIVATE_KEY_PEM, ca, requestCert: true, rejectUnauthorized: false },
    (socket: TLSSocket) => {
      socket.on("error", () => undefined).end(socket.authorized ? "known" : "unknown");
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Opens a connection and reads its bytes up to the end. Returns the text of the server and the socket. */
async function readTlsConnection(
  options: TlsOptions,
): Promise<{ receivedText: string; socket: TLSSocket; resumed: boolean }> {
  const context = createRecordingConnectionContext();
  const plain = await connectTo(context, { host: "127.0.0.1", port });
  const socket = (await startTls(context, plain, "secure.example", { ca, ...options })) as TLSSocket;
  // The session state is read before the end, because a closed socket no longer has it.
  const resumed = socket.isSessionReused();
  let receivedText = "";
  for await (const bytes of socket) receivedText += String(bytes);
  return { receivedText, socket, resumed };
}

describe("the client certificate of a TLS connection", () => {
  const passphrase = "open sesame";
  const sealed = createPrivateKey(TEST_PRIVATE_KEY_PEM)
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase })
    .toString();

  it.each<[string, TlsOptions, string]>([
    ["no certificate", {}, "unknown"],
    ["a certificate with its key", { cert: ca, key: TEST_PRIVATE_KEY_PEM }, "known"],
    ["a certificate with an encrypted key", { cert: ca, key: sealed, passphrase }, "known"],
  ])("the client sends the client certificate of the TLS options: %s", async (_, options, expected) => {
    expect((await readTlsConnection(options)).receivedText).toBe(expected);
  });

  it.each<[string, TlsOptions]>([
    ["a text that is no certificate", { cert: "no PEM", key: TEST_PRIVATE_KEY_PEM }],
    ["an encrypted key without its passphrase", { cert: ca, key: sealed }],
    ["an encrypted key with a wrong passphrase", { cert: ca, key: sealed, passphrase: "another" }],
  ])("the client fails with unavailable and closes the connection for %s", async (_, options) => {
    const context = createRecordingConnectionContext();
    const plain = await connectTo(context, { host: "127.0.0.1", port });
    const error = await catchAccessError(startTls(context, plain, "secure.example", { ca, ...options }));
    expect(error).toMatchObject({
      code: "unavailable",
      reason: "TLS cannot start with the certificates of the options",
    });
    expect(error.cause).toBeInstanceOf(Error);
    expect(plain.destroyed).toBe(true);
  });
});

describe("a second TLS connection to the same server", () => {
  it("a connection resumes the TLS session of the first connection when resumeSessionOf is given", async () => {
    const first = await readTlsConnection({});
    const resumed = await readTlsConnection({ resumeSessionOf: first.socket });
    const untold = await readTlsConnection({});
    expect([first.resumed, resumed.resumed, untold.resumed]).toEqual([false, true, false]);
  });

  it("the guard records the address of a TLS connection only if the guard opened the connection", async () => {
    const { socket } = await readTlsConnection({});
    expect(getGuardedSocketInfo(socket)?.host).toBe("127.0.0.1");
    const stranger: Socket = connect(port, "127.0.0.1");
    await once(stranger, "connect");
    const secured = await startTls(createRecordingConnectionContext(), stranger, "secure.example", { ca });
    expect(getGuardedSocketInfo(secured)).toBeUndefined();
    secured.destroy();
  });
});
