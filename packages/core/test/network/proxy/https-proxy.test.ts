import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { createServer, type Server, type TLSSocket } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { connectTo } from "../../../src/network/connect.ts";
import { startTls } from "../../../src/network/start-tls.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { TEST_CERTIFICATE_PEM as ca, TEST_PRIVATE_KEY_PEM } from "../test-certificate.ts";
import { createConnectionContextWithProxy } from "./scripted-proxy.ts";

const HTTP = { scheme: "x-web", defaultPort: 443, portRange: "default" } as const;
const target = { host: "secure.example", port: 443 };
const ANSWERS = ["93.184.216.34"];

const servers: Server[] = [];
const openSockets = new Set<TLSSocket>();
afterEach(async () => {
  for (const socket of openSockets) socket.destroy();
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, "close");
  }
});

/** Starts a TLS server on a loopback port. */
async function serve(onConnection: (socket: TLSSocket) => void): Promise<{ readonly port: number }> {
  const server = createServer({ cert: ca, key: TEST_PRIVATE_KEY_PEM }, (socket) => {
    openSockets.add(socket.on("error", () => undefined));
    onConnection(socket);
  });
  server.on("tlsClientError", () => undefined).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port };
}

/** Starts an HTTP proxy with TLS that connects every tunnel to one server. */
const serveProxy = (serverPort: number, heads: string[] = []): ReturnType<typeof serve> =>
  serve((client) => {
    client.once("data", (head: Buffer) => {
      heads.push(head.toString());
      const tunnel = connect(serverPort, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        client.pipe(tunnel).pipe(client);
      });
      tunnel.on("error", () => client.destroy());
      client.once("close", () => tunnel.destroy());
    });
  });

describe("a connection through an HTTP proxy with TLS", () => {
  it("the client verifies the proxy, and then the server within the tunnel", async () => {
    const server = await serve((socket) =>
      socket.once("data", (bytes) => socket.end(`got ${String(bytes)}`)),
    );
    const heads: string[] = [];
    const proxy = await serveProxy(server.port, heads);
    const settings = { protocol: "https", ca, login: "joe:needle" };
    const context = createConnectionContextWithProxy(proxy, settings, {
      resolverAnswer: ANSWERS,
      schemePorts: HTTP,
    });
    const tls = await startTls(context, await connectTo(context, target), "secure.example", { ca });
    tls.write("hello");
    expect(String(Buffer.concat(await tls.toArray()))).toBe("got hello");
    expect(heads).toEqual([expect.stringMatching(/^CONNECT 93\.184\.216\.34:443 HTTP\/1\.1\r\n/)]);
    expect(context.events.map(({ action }) => action)).toEqual([
      "resolve",
      "connect",
      "connect",
      "tls",
      "connect",
      "tls",
    ]);
  });

  it("the client fails with proxy for a proxy whose certificate is not trusted, before the login is sent", async () => {
    const heads: string[] = [];
    const proxy = await serveProxy(1, heads);
    const settings = { protocol: "https", login: "joe:needle" };
    const context = createConnectionContextWithProxy(proxy, settings, {
      resolverAnswer: ANSWERS,
      schemePorts: HTTP,
    });
    const error = await catchAccessError(connectTo(context, target));
    expect(error).toMatchObject({ code: "proxy", certificate: "untrusted" });
    expect(error.reason).toMatch(
      /^the proxy https:\/\/127\.0\.0\.1:\d+ cannot be used: TLS with 127\.0\.0\.1 failed/,
    );
    expect(heads).toEqual([]);
  });

  it("the client fails with unavailable for a server whose certificate is for another host", async () => {
    const server = await serve((socket) => socket.end("hello"));
    const proxy = await serveProxy(server.port);
    const settings = { protocol: "https", ca };
    const context = createConnectionContextWithProxy(proxy, settings, {
      resolverAnswer: ANSWERS,
      schemePorts: HTTP,
    });
    const socket = await connectTo(context, target);
    const error = await catchAccessError(startTls(context, socket, "other.example", { ca }));
    expect(error).toMatchObject({ code: "unavailable", certificate: "wrong-host" });
    expect(context.sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it("an abort during the handshake with the proxy closes the connection", async () => {
    const controller = new AbortController();
    const proxy = await serve(() => controller.abort(new Error("enough")));
    const settings = { protocol: "https", ca };
    const context = createConnectionContextWithProxy(proxy, settings, {
      resolverAnswer: ANSWERS,
      schemePorts: HTTP,
      signal: controller.signal,
    });
    await expect(connectTo(context, target)).rejects.toThrow("enough");
    expect(context.sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });
});
