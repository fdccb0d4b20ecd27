import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { dial } from "../../src/network/connect.ts";
import { secure } from "../../src/network/tls.ts";
import { startScriptedServer } from "../../src/testing/index.ts";
import { startSilentServer } from "../silent-server.ts";
import { failureOf } from "../failure.ts";
import { certificate as ca, key } from "./certificate.ts";
import { recordingGate, type RecordingGate } from "./connector.ts";

let server: Server;
let port: number;
let names: (string | false | null)[];
beforeAll(async () => {
  server = createServer({ cert: ca, key, ALPNProtocols: ["x-line", "http/1.1"] }, (socket) => {
    names.push(socket.servername);
    socket.on("error", () => undefined).end("hello");
  });
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const OTHER_HOST = "for another host, secure.example, 127.0.0.1";

async function securely(
  gate: RecordingGate,
  host: string,
  options: Parameters<typeof secure>[3],
): Promise<string> {
  names = [];
  const tls = await secure(gate, await dial(gate, { host: "127.0.0.1", port }), host, options);
  let text = "";
  for await (const bytes of tls) text += String(bytes);
  return text;
}

describe("secure", () => {
  it.each([
    ["secure.example", "secure.example"],
    ["SECURE.example.", "SECURE.example"],
    ["127.0.0.1", false],
  ])("trusts the certificate it was given for %s", async (host, name) => {
    const gate = recordingGate();
    expect(await securely(gate, host, { ca })).toBe("hello");
    expect(names).toEqual([name]);
    expect(gate.events.at(-1)).toEqual({
      action: "tls",
      text: expect.stringMatching(/^TLSv1\.3, TLS_/) as string,
    });
  });

  it("offers protocols", async () => {
    const gate = recordingGate();
    await securely(gate, "secure.example", { ca: [ca], alpnProtocols: ["x-line"] });
    expect(gate.sockets.at(-1)).toMatchObject({ alpnProtocol: "x-line" });
  });

  it.each([
    ["an untrusted certificate", "secure.example", {}, "DEPTH_ZERO_SELF_SIGNED_CERT", "signed by itself"],
    ["another name", "other.example", { ca }, "ERR_TLS_CERT_ALTNAME_INVALID", OTHER_HOST],
    ["a name below it", "a.secure.example", { ca }, "ERR_TLS_CERT_ALTNAME_INVALID", OTHER_HOST],
    ["another address", "127.0.0.2", { ca }, "ERR_TLS_CERT_ALTNAME_INVALID", OTHER_HOST],
  ])("refuses %s", async (_name, host, options, code, reason) => {
    const gate = recordingGate();
    const error = await failureOf(securely(gate, host, options));
    expect(error).toMatchObject({
      code: "unavailable",
      reason: `TLS with ${host} failed: the certificate is ${reason} (${code})`,
    });
    expect(error.cause).toMatchObject({ code });
    for (const socket of gate.sockets) expect(socket.destroyed).toBe(true);
  });

  it("refuses it whatever the environment says", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const silenced = vi.spyOn(process, "emitWarning").mockReturnValue();
    try {
      expect((await failureOf(securely(recordingGate(), "secure.example", {}))).code).toBe("unavailable");
    } finally {
      silenced.mockRestore();
      vi.unstubAllEnvs();
    }
  });

  it("waits for a silent server no longer than connectTimeoutMs, and ends with an abort", async () => {
    await using silent = await startSilentServer();
    const target = { host: "127.0.0.1", port: silent.port };
    const gate = recordingGate({ limits: { connectTimeoutMs: 200 } });
    const error = await failureOf(secure(gate, await dial(gate, target), "secure.example", { ca }));
    expect(error).toMatchObject({ code: "timeout", limit: "connectTimeoutMs" });
    const controller = new AbortController();
    const other = recordingGate({ signal: controller.signal });
    const work = secure(other, await dial(other, target), "secure.example", { ca });
    controller.abort(new Error("enough"));
    await expect(work).rejects.toThrow("enough");
    for (const socket of [...gate.sockets, ...other.sockets]) expect(socket.destroyed).toBe(true);
    await Promise.all(silent.connections.map(({ closed }) => closed));
  });

  it("fails when the server is no TLS server", async () => {
    await using plain = await startSilentServer();
    const gate = recordingGate();
    const socket = await dial(gate, { host: "127.0.0.1", port: plain.port });
    const work = secure(gate, socket, "secure.example", { ca });
    await plain.stop();
    expect(await failureOf(work)).toMatchObject({
      code: "unavailable",
      reason: expect.stringMatching(
        /^TLS with secure\.example failed: connection (?:closed|reset) by the server/,
      ) as string,
    });
  });

  it("says that a server speaks something else", async () => {
    await using plain = await startScriptedServer((peer) => peer.send("220 ready, and not with TLS\r\n"));
    const gate = recordingGate();
    const socket = await dial(gate, { host: "127.0.0.1", port: plain.port });
    expect((await failureOf(secure(gate, socket, "secure.example", { ca }))).reason).toMatch(
      /^TLS with secure\.example failed: the server does not speak TLS \(ERR_SSL_[A-Z_]+\)$/,
    );
  });
});
