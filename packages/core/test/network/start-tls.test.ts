import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { connectTo } from "../../src/network/connect.ts";
import { startTls } from "../../src/network/start-tls.ts";
import { startScriptedServer } from "../../src/testing/index.ts";
import { startSilentServer } from "../silent-server.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { TEST_CERTIFICATE_PEM as ca, TEST_PRIVATE_KEY_PEM } from "./test-certificate.ts";
import {
  createRecordingConnectionContext,
  type RecordingConnectionContext,
} from "./recording-connection-context.ts";

let server: Server;
let port: number;
let names: (string | false | null)[];
beforeAll(async () => {
  server = createServer(
    { cert: ca, key: TEST_PRIVATE_KEY_PEM, ALPNProtocols: ["x-line", "http/1.1"] },
    (socket) => {
      names.push(socket.servername);
      socket.on("error", () => undefined).end("hello");
    },
  );
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const OTHER_HOST_REASON = "for another host, secure.example, 127.0.0.1";

async function connectWithTls(
  context: RecordingConnectionContext,
  host: string,
  options: Parameters<typeof startTls>[3],
): Promise<string> {
  names = [];
  const tls = await startTls(context, await connectTo(context, { host: "127.0.0.1", port }), host, options);
  let text = "";
  for await (const bytes of tls) text += String(bytes);
  return text;
}

describe("startTls starts TLS on a guarded connection", () => {
  it.each([
    ["secure.example", "secure.example"],
    ["SECURE.example.", "SECURE.example"],
    ["127.0.0.1", false],
  ])("startTls trusts the certificate of the option ca for the host %s", async (host, name) => {
    const context = createRecordingConnectionContext();
    expect(await connectWithTls(context, host, { ca })).toBe("hello");
    expect(names).toEqual([name]);
    expect(context.events.at(-1)).toEqual({
      action: "tls",
      text: expect.stringMatching(/^TLSv1\.3, TLS_/) as string,
    });
  });

  it("startTls offers the ALPN protocols of the options", async () => {
    const context = createRecordingConnectionContext();
    await connectWithTls(context, "secure.example", { ca: [ca], alpnProtocols: ["x-line"] });
    expect(context.sockets.at(-1)).toMatchObject({ alpnProtocol: "x-line" });
  });

  it.each([
    ["an untrusted certificate", "secure.example", {}, "DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed"],
    [
      "a certificate for another host name",
      "other.example",
      { ca },
      "ERR_TLS_CERT_ALTNAME_INVALID",
      OTHER_HOST_REASON,
    ],
    [
      "a certificate for the parent domain",
      "a.secure.example",
      { ca },
      "ERR_TLS_CERT_ALTNAME_INVALID",
      OTHER_HOST_REASON,
    ],
    [
      "a certificate for another IP address",
      "127.0.0.2",
      { ca },
      "ERR_TLS_CERT_ALTNAME_INVALID",
      OTHER_HOST_REASON,
    ],
  ])("startTls refuses a TLS server with %s", async (_name, host, options, code, reason) => {
    const context = createRecordingConnectionContext();
    const error = await catchAccessError(connectWithTls(context, host, options));
    expect(error).toMatchObject({
      code: "unavailable",
      reason: `TLS with ${host} failed: the certificate is ${reason} (${code})`,
    });
    expect(error.cause).toMatchObject({ code });
    for (const socket of context.sockets) expect(socket.destroyed).toBe(true);
  });

  it("startTls refuses an untrusted certificate despite NODE_TLS_REJECT_UNAUTHORIZED=0", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const silenced = vi.spyOn(process, "emitWarning").mockReturnValue();
    try {
      expect(
        (await catchAccessError(connectWithTls(createRecordingConnectionContext(), "secure.example", {})))
          .code,
      ).toBe("unavailable");
    } finally {
      silenced.mockRestore();
      vi.unstubAllEnvs();
    }
  });

  it("connectTimeoutMs and an abort end the TLS handshake with a silent server", async () => {
    await using silent = await startSilentServer();
    const target = { host: "127.0.0.1", port: silent.port };
    const context = createRecordingConnectionContext({ limits: { connectTimeoutMs: 200 } });
    const error = await catchAccessError(
      startTls(context, await connectTo(context, target), "secure.example", { ca }),
    );
    expect(error).toMatchObject({ code: "timeout", limit: "connectTimeoutMs" });
    const controller = new AbortController();
    const other = createRecordingConnectionContext({ signal: controller.signal });
    const work = startTls(other, await connectTo(other, target), "secure.example", { ca });
    controller.abort(new Error("enough"));
    await expect(work).rejects.toThrow("enough");
    for (const socket of [...context.sockets, ...other.sockets]) expect(socket.destroyed).toBe(true);
    await Promise.all(silent.connections.map(({ closed }) => closed));
  });

  it("startTls starts no TLS handshake after an abort", async () => {
    const controller = new AbortController();
    const context = createRecordingConnectionContext({ signal: controller.signal });
    const plain = await connectTo(context, { host: "127.0.0.1", port });
    controller.abort(new Error("enough"));
    await expect(startTls(context, plain, "secure.example", { ca })).rejects.toThrow("enough");
    expect(context.sockets).toEqual([plain]);
    plain.destroy();
  });

  it("startTls fails when the server closes the connection during the TLS handshake", async () => {
    await using plain = await startSilentServer();
    const context = createRecordingConnectionContext();
    const socket = await connectTo(context, { host: "127.0.0.1", port: plain.port });
    const work = startTls(context, socket, "secure.example", { ca });
    await plain.stop();
    expect(await catchAccessError(work)).toMatchObject({
      code: "unavailable",
      reason: expect.stringMatching(
        /^TLS with secure\.example failed: connection (?:closed|reset) by the server/,
      ) as string,
    });
  });

  it("startTls reports a server that answers the TLS handshake with another protocol", async () => {
    await using plain = await startScriptedServer((peer) => peer.send("220 ready, and not with TLS\r\n"));
    const context = createRecordingConnectionContext();
    const socket = await connectTo(context, { host: "127.0.0.1", port: plain.port });
    expect((await catchAccessError(startTls(context, socket, "secure.example", { ca }))).reason).toMatch(
      /^TLS with secure\.example failed: the server does not speak TLS \(ERR_SSL_[A-Z_]+\)$/,
    );
  });
});
