import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { AccessError } from "../../../src/errors/access-error.ts";
import { connectTo, getGuardedSocketInfo } from "../../../src/network/connect.ts";
import { publicInternet } from "../../../src/policy/policy.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import {
  createConnectionContextWithProxy,
  readRequestHeaderLines,
  startScriptedProxy,
} from "./scripted-proxy.ts";

const target = { host: "www.example", port: 80 };
/** A scheme whose default port is 80. */
const HTTP = { scheme: "x-web", defaultPort: 80, portRange: "default" } as const;
const ANSWERS = ["93.184.216.34"];

/** Starts a proxy that answers a CONNECT request with the given text, and waits for the client to close. */
const answering = (answer: string | readonly string[]) =>
  startScriptedProxy(async (peer) => {
    await readRequestHeaderLines(peer);
    for (const part of [answer].flat()) peer.send(part);
    await peer.closed;
  });

/** Returns all texts about a connection that a program could print. */
const textsOf = (...values: unknown[]): string =>
  values.map((value) => inspect(value, { depth: 9 })).join("\n");

describe("a connection through an HTTP proxy (RFC 9110 §9.3.6)", () => {
  it.each([
    ["an IPv4 address", "www.example", ["93.184.216.34"], "93.184.216.34:80"],
    ["an IPv6 address", "www.example", ["2606:2800::1"], "[2606:2800::1]:80"],
    ["an IP address as the host of the URL", "93.184.216.34", [], "93.184.216.34:80"],
  ])("the HTTP proxy receives the checked address: %s", async (_, host, answers, authority) => {
    await using proxy = await answering("HTTP/1.1 200 Connection established\r\n\r\n");
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { policy: publicInternet(), resolverAnswer: answers, schemePorts: HTTP },
    );
    const socket = await connectTo(context, { host, port: 80 });
    expect(proxy.connections.map(({ received }) => String(received))).toEqual([
      `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`,
    ]);
    expect(getGuardedSocketInfo(socket)?.host).toBe(answers[0] ?? host);
    expect(context.events.at(-1)?.text).toBe(
      `${answers[0] ?? host} port 80, through the proxy http://127.0.0.1:${proxy.port}`,
    );
    socket.destroy();
  });

  it.each<[string, readonly string[]]>([
    ["all bytes in one chunk", ["HTTP/1.1 200 OK\r\nVia: x\r\n\r\n220 ready\r\n"]],
    ["each byte in its own chunk", "HTTP/1.1 200 OK\r\nVia: x\r\n\r\n220 ready\r\n".split("")],
    ["a response without a reason phrase, with LF as line end", ["HTTP/1.0 200\n\n220 ready\r\n"]],
    ["a response without a reason phrase, with CRLF as line end", ["HTTP/1.1 200\r\n\r\n220 ready\r\n"]],
    [
      "a response without a reason phrase, each byte in its own chunk",
      "HTTP/1.1 200\r\n\r\n220 ready\r\n".split(""),
    ],
    [
      "an interim response before the final response",
      ["HTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n220 ready\r\n"],
    ],
    ["the status 204", ["HTTP/1.1 204 No\r\nContent-Length: 3\r\n\r\n220 ready\r\n"]],
  ])(
    "the reader receives the bytes of the server that follow the proxy's response: %s",
    async (_, answer) => {
      await using proxy = await answering(answer);
      const socket = await connectTo(
        createConnectionContextWithProxy(proxy, {}, { resolverAnswer: ANSWERS, schemePorts: HTTP }),
        target,
      );
      let received = "";
      for await (const bytes of socket) {
        received += String(bytes);
        if (received.endsWith("\n")) break;
      }
      expect(received).toBe("220 ready\r\n");
    },
  );

  it("the client accepts a response that the socket delivers in single bytes", async () => {
    const { promise: requested, resolve } = Promise.withResolvers<void>();
    await using proxy = await startScriptedProxy(async (peer) => {
      await readRequestHeaderLines(peer);
      resolve();
      await peer.closed;
    });
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: ANSWERS, schemePorts: HTTP },
    );
    const connecting = connectTo(context, target);
    await requested;
    for (const byte of "HTTP/1.1 200 OK\r\n\r\n") context.sockets[0]?.emit("data", Buffer.from(byte));
    (await connecting).destroy();
  });

  it.each([
    ["joe:needle", "Basic am9lOm5lZWRsZQ=="],
    ["j%C3%B6e:n%3Aeedle", `Basic ${Buffer.from("jöe:n:eedle").toString("base64")}`],
    ["joe", "Basic am9lOg=="],
  ])("the HTTP proxy receives the login %s, and no message shows the login", async (login, field) => {
    await using proxy = await answering("HTTP/1.1 407 needle am9lOm5lZWRsZQ==\r\n\r\n");
    const context = createConnectionContextWithProxy(
      proxy,
      { login },
      { resolverAnswer: ANSWERS, schemePorts: HTTP },
    );
    const error = await catchAccessError(connectTo(context, target));
    expect(String(proxy.connections[0]?.received)).toContain(`\r\nProxy-Authorization: ${field}\r\n\r\n`);
    expect(error).toMatchObject({
      code: "proxy",
      reason: `the proxy http://127.0.0.1:${proxy.port} refuses the login (status 407)`,
    });
    expect(textsOf(error, context.events, context.proxy)).not.toMatch(/needle|eedle|am9l|joe|j%C3|jöe/);
  });

  it.each([
    [
      "407 Proxy Authentication Required",
      "proxy",
      "requires a login (status 407)",
      "write the login into the URL",
    ],
    ["403 Filtered", "proxy", "refuses a connection to 93.184.216.34 port 80 (status 403)", "port 443 only"],
    ["405 No", "proxy", "refuses a connection to 93.184.216.34 port 80 (status 405)", "port 443 only"],
    ["400 Bad", "proxy", "refuses a connection to 93.184.216.34 port 80 (status 400)", ""],
    ["302 Found", "proxy", "refuses a connection to 93.184.216.34 port 80 (status 302)", ""],
    ["101 Switching", "proxy", "refuses a connection to 93.184.216.34 port 80 (status 101)", ""],
    ["300 Choices", "proxy", "refuses a connection to 93.184.216.34 port 80 (status 300)", ""],
    ["500 Unable to connect", "unavailable", "answers with status 500", ""],
    ["502 Bad gateway", "unavailable", "answers with status 502", ""],
    ["504 Timeout", "unavailable", "answers with status 504", ""],
  ])(
    "the proxy's response status %s makes the request fail with %s",
    async (status, code, reason, advice) => {
      await using proxy = await answering(`HTTP/1.1 ${status}\r\nContent-Length: 9\r\n\r\n`);
      const context = createConnectionContextWithProxy(
        proxy,
        {},
        { resolverAnswer: ANSWERS, schemePorts: HTTP },
      );
      const error = await catchAccessError(connectTo(context, target));
      const place = `the proxy http://127.0.0.1:${proxy.port} `;
      const failure = "cannot connect to www.example port 80: 93.184.216.34: ";
      expect(error).toMatchObject({ code, reason: `${code === "proxy" ? "" : failure}${place}${reason}` });
      if (advice === "") expect(error.advice).toBeUndefined();
      else expect(error.advice).toContain(advice);
      expect(context.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
    },
  );

  it.each([
    ["the greeting of an SSH server", "SSH-2.0-OpenSSH\r\n", "does not answer as an HTTP proxy"],
    ["a SOCKS reply", "\x05\xff", "does not answer as an HTTP proxy"],
    ["a response of HTTP/2", "HTTP/2 200\r\n\r\n", "does not answer as an HTTP proxy"],
    ["a response with a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", "does not answer as an HTTP proxy"],
    [
      "a response with a status of two digits and without a reason phrase",
      "HTTP/1.1 20\r\n\r\n",
      "does not answer as an HTTP proxy",
    ],
    ["a response with the status 000", "HTTP/1.1 000 OK\r\n\r\n", "does not answer as an HTTP proxy"],
    [
      "an interim response before text that is not HTTP",
      "HTTP/1.1 100 Go\r\n\r\nhello",
      "does not answer as an HTTP proxy",
    ],
  ])("a request fails with the code proxy for an answer that is %s", async (_, answer, reason) => {
    await using proxy = await answering(answer);
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: ANSWERS, schemePorts: HTTP },
    );
    expect(await catchAccessError(connectTo(context, target))).toMatchObject({
      code: "proxy",
      reason: `the proxy http://127.0.0.1:${proxy.port} ${reason}`,
    });
  });

  it.each([
    ["before its answer", ""],
    ["within its answer", "HTTP/1.1 200 OK\r\nVi"],
  ])("a request fails with the code proxy when the proxy closes the connection %s", async (_, answer) => {
    await using proxy = await startScriptedProxy(async (peer) => {
      await readRequestHeaderLines(peer);
      if (answer) peer.send(answer);
    });
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: ANSWERS, schemePorts: HTTP },
    );
    expect(await catchAccessError(connectTo(context, target))).toMatchObject({
      code: "proxy",
      reason: `the proxy http://127.0.0.1:${proxy.port} closed the connection before its answer`,
    });
  });

  it("a request fails with the code proxy when the proxy resets the connection", async () => {
    await using proxy = await startScriptedProxy(async (peer) => {
      await readRequestHeaderLines(peer);
      peer.reset();
    });
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: ANSWERS, schemePorts: HTTP },
    );
    expect((await catchAccessError(connectTo(context, target))).code).toBe("proxy");
  });

  const head = (bytes: number): string => `HTTP/1.1 200 OK\r\nX: ${"x".repeat(bytes - 24)}\r\n\r\n`;
  it.each<[number, string | readonly string[]]>([
    [101, head(101)],
    [101_000, head(101_000)],
    [200, "HTTP/1.1 100 Go\r\n\r\n".repeat(11)],
    [101, "HTTP/1.1 200 OK\r\n".padEnd(101, "x")],
  ])("maxHeaderBytes limits the size of the proxy's response: %i bytes", async (_, answer) => {
    await using proxy = await answering(answer);
    const limits = { maxHeaderBytes: 100 };
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: ANSWERS, limits, schemePorts: HTTP },
    );
    expect(await catchAccessError(connectTo(context, target))).toMatchObject({
      code: "limit",
      limit: "maxHeaderBytes",
      reason: `the answer of the proxy http://127.0.0.1:${proxy.port} is too long`,
    });
    expect(context.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it("maxHeaderBytes allows a proxy response of its size, and does not count the server's bytes", async () => {
    await using proxy = await answering(head(100) + "y".repeat(1_000));
    const limits = { maxHeaderBytes: 100 };
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: ANSWERS, limits, schemePorts: HTTP },
    );
    (await connectTo(context, target)).destroy();
  });

  it("connectTimeoutMs limits the wait for the proxy's response", async () => {
    await using proxy = await startScriptedProxy((peer) => peer.closed);
    const limits = { connectTimeoutMs: 30 };
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: ANSWERS, limits, schemePorts: HTTP },
    );
    expect(await catchAccessError(connectTo(context, target))).toMatchObject({
      code: "timeout",
      limit: "connectTimeoutMs",
    });
    await proxy.connections[0]?.closed;
  });

  it("an abort closes the connection to the proxy", async () => {
    const controller = new AbortController();
    await using proxy = await startScriptedProxy(async (peer) => {
      await readRequestHeaderLines(peer);
      controller.abort(new Error("enough"));
      await peer.closed;
    });
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: ANSWERS, signal: controller.signal, schemePorts: HTTP },
    );
    await expect(connectTo(context, target)).rejects.toThrow("enough");
    await proxy.connections[0]?.closed;
  });

  it.each([new Error("enough"), new AccessError("aborted", "enough")])(
    "an abort while the client connects to the proxy rejects with its reason: %s",
    async (reason) => {
      await using proxy = await answering("");
      const controller = new AbortController();
      const context = createConnectionContextWithProxy(
        proxy,
        {},
        {
          resolverAnswer: ANSWERS,
          signal: controller.signal,
          schemePorts: HTTP,
          onSocket: () => controller.abort(reason),
        },
      );
      await expect(connectTo(context, target)).rejects.toBe(reason);
    },
  );

  it("the client requests the next address when the proxy cannot connect to the first", async () => {
    await using proxy = await startScriptedProxy(async (peer) => {
      const [request = ""] = await readRequestHeaderLines(peer);
      peer.send(request.includes("[") ? "HTTP/1.1 503 No route\r\n\r\n" : "HTTP/1.1 200 OK\r\n\r\n");
      await peer.closed;
    });
    const answers = ["2606:2800::1", "93.184.216.34"];
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: answers, schemePorts: HTTP },
    );
    const socket = await connectTo(context, target);
    expect(getGuardedSocketInfo(socket)?.host).toBe("93.184.216.34");
    expect(proxy.connections).toHaveLength(2);
    socket.destroy();
  });

  it("the client requests no further address when the proxy refuses the login", async () => {
    await using proxy = await answering("HTTP/1.1 407 No\r\n\r\n");
    const answers = ["2606:2800::1", "93.184.216.34"];
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: answers, schemePorts: HTTP },
    );
    expect((await catchAccessError(connectTo(context, target))).code).toBe("proxy");
    expect(proxy.connections).toHaveLength(1);
  });

  it("a request fails with the code proxy when the proxy cannot be reached", async () => {
    const proxy = await answering("");
    await proxy.stop();
    const context = createConnectionContextWithProxy(
      proxy,
      {},
      { resolverAnswer: ANSWERS, schemePorts: HTTP },
    );
    const error = await catchAccessError(connectTo(context, target));
    expect(error).toMatchObject({
      code: "proxy",
      reason: `the proxy http://127.0.0.1:${proxy.port} cannot be used: cannot connect to 127.0.0.1 port ${proxy.port}: connection refused (ECONNREFUSED)`,
    });
  });
});
