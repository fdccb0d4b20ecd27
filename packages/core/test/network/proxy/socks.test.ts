import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { connectTo, getGuardedSocketInfo } from "../../../src/network/connect.ts";
import { publicInternet } from "../../../src/policy/policy.ts";
import type { LoopbackServer, ScriptedPeer } from "../../../src/testing/index.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { createConnectionContextWithProxy, startScriptedProxy } from "./scripted-proxy.ts";

const target = { host: "www.example", port: 80 };
const HTTP = { scheme: "x-web", defaultPort: 80, portRange: "default" } as const;
const ANSWERS = ["93.184.216.34"];
const NO_LOGIN = "\x05\x00";
const GRANTED = "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00";

/** Reads a request of SOCKS5, and returns its bytes in hexadecimal. RFC 1928 §4. */
async function readRequest(peer: ScriptedPeer): Promise<string> {
  const head = await peer.readBytes(5);
  const sizes: Readonly<Record<number, number>> = { 1: 5, 3: (head[4] ?? 0) + 2, 4: 17 };
  return Buffer.concat([head, await peer.readBytes(sizes[head[3] ?? 0] ?? 0)]).toString("hex");
}

interface Proxied extends LoopbackServer {
  readonly requests: string[];
}

/** Starts a SOCKS5 proxy without a login that answers each request with the given parts. */
async function answering(...parts: readonly string[]): Promise<Proxied> {
  const requests: string[] = [];
  const server = await startScriptedProxy(async (peer) => {
    await peer.readBytes(3);
    peer.send(NO_LOGIN);
    requests.push(await readRequest(peer));
    for (const part of parts) peer.send(part);
    await peer.closed;
  });
  return Object.assign(server, { requests });
}

afterEach(() => void vi.useRealTimers());

const createContextFor = (
  proxy: LoopbackServer,
  init: Parameters<typeof createConnectionContextWithProxy>[2] = {},
  login?: string,
): ReturnType<typeof createConnectionContextWithProxy> =>
  createConnectionContextWithProxy(
    proxy,
    { protocol: "socks5", ...(login !== undefined && { login }) },
    { resolverAnswer: ANSWERS, schemePorts: HTTP, ...init },
  );

describe("a connection through a SOCKS5 proxy (RFC 1928)", () => {
  it.each([
    ["an IPv4 address", "www.example", ["93.184.216.34"], "050100015db8d8220050"],
    ["an IPv6 address", "www.example", ["2606:2800::1"], "05010004260628000000000000000000000000010050"],
    ["an IP address as the host of the URL", "93.184.216.34", [], "050100015db8d8220050"],
  ])("the SOCKS5 proxy receives the checked address: %s", async (_, host, answers, request) => {
    await using proxy = await answering(GRANTED);
    const context = createContextFor(proxy, { policy: publicInternet(), resolverAnswer: answers });
    const socket = await connectTo(context, { host, port: 80 });
    expect(proxy.requests).toEqual([request]);
    expect(getGuardedSocketInfo(socket)?.host).toBe(answers[0] ?? host);
    expect(context.events.at(-1)?.text).toBe(
      `${answers[0] ?? host} port 80, through the proxy socks5://127.0.0.1:${proxy.port}`,
    );
    socket.destroy();
  });

  it.each<[string, readonly string[]]>([
    ["all bytes in one chunk", [`${GRANTED}220 ready\r\n`]],
    ["each byte in its own chunk", `${GRANTED}220 ready\r\n`.split("")],
    ["a reply with an IPv6 address", [`\x05\x00\x00\x04${"\x00".repeat(18)}220 ready\r\n`]],
    ["a reply with a host name", ["\x05\x00\x00\x03\x03abc\x00\x50220 ready\r\n"]],
  ])("the reader receives the bytes of the server that follow the SOCKS reply: %s", async (_, answer) => {
    await using proxy = await answering(...answer);
    const socket = await connectTo(createContextFor(proxy), target);
    let received = "";
    for await (const bytes of socket) {
      received += String(bytes);
      if (received.endsWith("\n")) break;
    }
    expect(received).toBe("220 ready\r\n");
  });

  it.each([
    ["01", "unavailable", "answers: general failure"],
    ["02", "proxy", "refuses a connection to 93.184.216.34 port 80"],
    ["03", "unavailable", "answers: the network is unreachable"],
    ["04", "unavailable", "answers: no route to the host"],
    ["05", "unavailable", "answers: connection refused"],
    ["06", "unavailable", "answers: timed out"],
    ["07", "proxy", "does not support connections to 93.184.216.34 port 80"],
    ["08", "unavailable", "answers: the proxy does not support this address family"],
    ["09", "proxy", "does not answer as a SOCKS5 proxy"],
    ["ff", "proxy", "does not answer as a SOCKS5 proxy"],
  ])("the SOCKS reply code %s makes the request fail with %s", async (reply, code, reason) => {
    const bytes = Buffer.from(`05${reply}0001000000000000`, "hex").toString("latin1");
    await using proxy = await answering(bytes);
    const context = createContextFor(proxy);
    const error = await catchAccessError(connectTo(context, target));
    const failure = code === "proxy" ? "" : "cannot connect to www.example port 80: 93.184.216.34: ";
    expect(error).toMatchObject({
      code,
      reason: `${failure}the proxy socks5://127.0.0.1:${proxy.port} ${reason}`,
    });
    expect(context.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it("the client requests the next address after a reply code that concerns the address", async () => {
    await using proxy = await startScriptedProxy(async (peer) => {
      await peer.readBytes(3);
      peer.send(NO_LOGIN);
      const request = await readRequest(peer);
      peer.send(request.startsWith("05010004") ? `\x05\x08${GRANTED.slice(2)}` : GRANTED);
      await peer.closed;
    });
    const socket = await connectTo(
      createContextFor(proxy, { resolverAnswer: ["2606:2800::1", ...ANSWERS] }),
      target,
    );
    expect(getGuardedSocketInfo(socket)?.host).toBe("93.184.216.34");
    socket.destroy();
  });

  it.each([
    ["a response of HTTP", ["HTTP/1.1 400 Bad\r\n\r\n"], "does not answer as a SOCKS5 proxy"],
    ["SOCKS4", ["\x00\x5a"], "does not answer as a SOCKS5 proxy"],
    [
      "an authentication method that the client has not offered",
      ["\x05\x01"],
      "does not answer as a SOCKS5 proxy",
    ],
    [
      "the refusal of all offered authentication methods",
      ["\x05\xff"],
      "requires a login for 93.184.216.34 port 80",
    ],
    [
      "text that is not SOCKS after the authentication method",
      [NO_LOGIN, "\x04\x00\x00\x01\x00"],
      "does not answer as a SOCKS5 proxy",
    ],
    [
      "a reply with an unknown type of address",
      [NO_LOGIN, "\x05\x00\x00\x09\x00\x00\x00\x00\x00\x50220 ready\r\n"],
      "does not answer as a SOCKS5 proxy",
    ],
    [
      "a refusal that arrives in single bytes",
      [NO_LOGIN, "\x05", "\x02", "\x00", "\x01", "\x00"],
      "refuses a connection to 93.184.216.34 port 80",
    ],
  ])("a request fails with the code proxy for an answer that is %s", async (_, parts, reason) => {
    await using proxy = await startScriptedProxy(async (peer) => {
      await peer.readBytes(3);
      for (const part of parts) peer.send(part);
      await peer.closed;
    });
    const error = await catchAccessError(connectTo(createContextFor(proxy), target));
    expect(error).toMatchObject({
      code: "proxy",
      reason: `the proxy socks5://127.0.0.1:${proxy.port} ${reason}`,
    });
    expect(error.advice).toBe(
      reason.startsWith("requires a login")
        ? "write the login into the URL of the proxy, before its host and an @"
        : undefined,
    );
  });

  it.each(["", "\x05", NO_LOGIN, `${NO_LOGIN}\x05\x00\x00`])(
    "a request fails with the code proxy when the proxy closes the connection after %j",
    async (sent) => {
      await using proxy = await startScriptedProxy(async (peer) => {
        await peer.readBytes(3);
        if (sent) peer.send(sent);
        // A connection with unread bytes would be reset.
        if (sent.startsWith(NO_LOGIN)) await readRequest(peer);
      });
      expect(await catchAccessError(connectTo(createContextFor(proxy), target))).toMatchObject({
        code: "proxy",
        reason: `the proxy socks5://127.0.0.1:${proxy.port} closed the connection before its answer`,
      });
    },
  );

  it("connectTimeoutMs and an abort end the wait for the reply of a SOCKS5 proxy", async () => {
    await using proxy = await startScriptedProxy((peer) => peer.closed);
    const context = createContextFor(proxy, { limits: { connectTimeoutMs: 30 } });
    expect(await catchAccessError(connectTo(context, target))).toMatchObject({ code: "timeout" });
    const controller = new AbortController();
    const connecting = connectTo(createContextFor(proxy, { signal: controller.signal }), target);
    controller.abort(new Error("enough"));
    await expect(connecting).rejects.toThrow("enough");
    await Promise.all(proxy.connections.map(({ closed }) => closed));
  });
});

describe("the login of a SOCKS5 proxy (RFC 1929)", () => {
  /** Starts a proxy that asks for the login, and answers it with a status. */
  async function asking(status: string): Promise<Proxied> {
    const requests: string[] = [];
    const server = await startScriptedProxy(async (peer) => {
      requests.push((await peer.readBytes(4)).toString("hex"));
      peer.send("\x05\x02");
      const [, userBytes = 0] = await peer.readBytes(2);
      const user = await peer.readBytes(userBytes);
      const [passwordBytes = 0] = await peer.readBytes(1);
      requests.push(String(user), String(await peer.readBytes(passwordBytes)));
      peer.send(`\x01${status}`);
      if (status === "\x00") {
        requests.push(await readRequest(peer));
        peer.send(GRANTED);
      }
      await peer.closed;
    });
    return Object.assign(server, { requests });
  }

  it("the login is sent when the SOCKS5 proxy asks for a login", async () => {
    await using proxy = await asking("\x00");
    const socket = await connectTo(createContextFor(proxy, {}, "j%C3%B6e:n%40eedle"), target);
    expect(proxy.requests).toEqual(["05020002", "jöe", "n@eedle", "050100015db8d8220050"]);
    socket.destroy();
  });

  it("connectTimeoutMs limits the handshake, also above the 30 s of the package socks", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { promise: greeting, resolve } = Promise.withResolvers<void>();
    await using proxy = await startScriptedProxy(async (peer) => {
      await peer.readBytes(3);
      resolve();
      await peer.closed;
    });
    const context = createContextFor(proxy, { limits: { connectTimeoutMs: 60_000 } });
    const outcome = catchAccessError(connectTo(context, target));
    await greeting;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await outcome).toMatchObject({ code: "timeout", limit: "connectTimeoutMs" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("no message contains the login that the SOCKS5 proxy refuses", async () => {
    await using proxy = await asking("\x01");
    const context = createContextFor(proxy, {}, "joe:needle");
    const error = await catchAccessError(connectTo(context, target));
    expect(error).toMatchObject({
      code: "proxy",
      reason: `the proxy socks5://127.0.0.1:${proxy.port} refuses the login for 93.184.216.34 port 80`,
    });
    const texts = inspect([error, context.events, context.proxy], { depth: 9, showHidden: true });
    expect(texts).not.toMatch(/needle|joe/);
  });

  it("the client offers no login when the proxy URL has none", async () => {
    await using proxy = await answering(GRANTED);
    (await connectTo(createContextFor(proxy), target)).destroy();
    expect(proxy.connections[0]?.received.subarray(0, 3).toString("hex")).toBe("050100");
  });
});
