import { getEventListeners, once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AccessError } from "../../src/errors/access-error.ts";
import { connectTo } from "../../src/network/connect.ts";
import { interleaveFamilies } from "../../src/network/happy-eyeballs.ts";
import { startTls } from "../../src/network/start-tls.ts";
import { publicInternet } from "../../src/policy/policy.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { TEST_CERTIFICATE_PEM as ca, TEST_PRIVATE_KEY_PEM } from "./test-certificate.ts";
import { createRecordingConnectionContext } from "./recording-connection-context.ts";
import { type ScriptedConnectResult, mockSocketConnect } from "./scripted-dialler.ts";

const [A6, B6, C6] = ["2001:db8::1", "2001:db8::2", "2001:db8::3"];
const [A4, B4] = ["192.0.2.1", "192.0.2.2"];
const target = { host: "name.example", port: 7 };
const FAST: ScriptedConnectResult = { connectsAfterMs: 20 };
const REFUSED: ScriptedConnectResult = { failsAfterMs: 20, code: "ECONNREFUSED" };

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("the order of addresses (RFC 8305 §4)", () => {
  it.each([
    ["the order alternates the address families", [A6, B6, A4, B4], [A6, A4, B6, B4]],
    ["the order begins with the family of the first address", [A4, A6, B6], [A4, A6, B6]],
    ["the remaining addresses of the longer family follow at the end", [A6, B6, C6, A4], [A6, A4, B6, C6]],
    ["the order within one address family stays", [B4, A4], [B4, A4]],
    ["a repeated address is removed", [A4, A4, A6, A4], [A4, A6]],
    ["the list of addresses may be empty", [], []],
  ])("%s", (_, addresses, expected) => {
    expect(interleaveFamilies(addresses)).toEqual(expected);
  });
});

describe("connectToFirst attempts to connect to the addresses of a host (RFC 8305 §5)", () => {
  it.each<[string, Record<string, ScriptedConnectResult>, [string, number][], string, number]>([
    [
      "connectTo makes one attempt when the first address connects in time",
      { [A6]: FAST, [A4]: FAST },
      [[A6, 0]],
      A6,
      20,
    ],
    [
      "connectTo starts a second attempt after 250 ms when the first address is silent",
      { [A6]: "silent", [A4]: FAST },
      [
        [A6, 0],
        [A4, 250],
      ],
      A4,
      270,
    ],
    [
      "connectTo starts the second attempt at once when the first address refuses",
      { [A6]: REFUSED, [A4]: FAST },
      [
        [A6, 0],
        [A4, 20],
      ],
      A4,
      40,
    ],
    [
      "connectTo returns the connection of the first address when it connects before the second",
      { [A6]: { connectsAfterMs: 260 }, [A4]: FAST },
      [
        [A6, 0],
        [A4, 250],
      ],
      A6,
      260,
    ],
    [
      "connectTo starts one more attempt after each delay",
      { [A6]: "silent", [A4]: "silent", [B6]: "silent", [B4]: FAST },
      [
        [A6, 0],
        [A4, 250],
        [B6, 500],
        [B4, 750],
      ],
      B4,
      770,
    ],
    [
      "the full delay begins again after a failed attempt",
      { [A6]: REFUSED, [A4]: "silent", [B6]: FAST },
      [
        [A6, 0],
        [A4, 20],
        [B6, 270],
      ],
      B6,
      290,
    ],
    [
      "a slow first address still connects after the attempt to the last address has failed",
      { [A6]: { connectsAfterMs: 400 }, [A4]: REFUSED },
      [
        [A6, 0],
        [A4, 250],
      ],
      A6,
      400,
    ],
  ])("%s", async (_, script, starts, winner, ms) => {
    const addresses = Object.keys(script).toSorted((one, other) => other.length - one.length);
    const dialled = mockSocketConnect(script);
    const { signal } = new AbortController();
    const context = createRecordingConnectionContext({ resolverAnswer: addresses, signal });
    const connecting = connectTo(context, target);
    await vi.advanceTimersByTimeAsync(ms);
    const socket = await connecting;
    expect(socket.remoteAddress).toBe(winner);
    expect(dialled.every(({ noDelay }) => noDelay === true)).toBe(true);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(dialled.map(({ address, atMs }) => [address, atMs])).toEqual(starts);
    // All connections except the returned connection are closed, and only timers of the script are left.
    expect(dialled.filter(({ socket: each }) => !each.destroyed)).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(
      dialled.filter(({ address, atMs }) => {
        const planned = script[address] as ScriptedConnectResult;
        return planned !== "silent" && "connectsAfterMs" in planned && atMs + planned.connectsAfterMs > ms;
      }).length,
    );
    socket.destroy();
  });

  it.each<[string, ScriptedConnectResult]>([
    ["connects", FAST],
    ["fails", REFUSED],
  ])("connectTo keeps one connection when the second attempt %s at the same time", async (_, second) => {
    const dialled = mockSocketConnect({ [A6]: { connectsAfterMs: 270 }, [A4]: second });
    const context = createRecordingConnectionContext({ resolverAnswer: [A6, A4, B6] });
    const connecting = connectTo(context, target);
    await vi.advanceTimersByTimeAsync(250);
    // Both timers and their events run before the next microtask.
    await new Promise<void>((resolve) =>
      setImmediate(() => {
        vi.advanceTimersByTime(20);
        resolve();
      }),
    );
    const socket = await connecting;
    expect(socket.remoteAddress).toBe(A6);
    expect(dialled.map(({ address, socket: each }) => [address, each.destroyed])).toEqual([
      [A6, false],
      [A4, true],
    ]);
    expect(context.events.some(({ text }) => text.includes("refused"))).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    socket.destroy();
  });

  it.each([
    ["one address", [A6]],
    ["several addresses", [A6, A4]],
  ])("the client opens no socket after an abort that follows the check of %s", async (_, addresses) => {
    const dialled = mockSocketConnect({});
    const controller = new AbortController();
    const reason = new AccessError("aborted", "enough");
    const context = createRecordingConnectionContext({
      resolverAnswer: addresses,
      signal: controller.signal,
      onAddressesChecked: () => controller.abort(reason),
    });
    expect(await catchAccessError(connectTo(context, target))).toBe(reason);
    expect(dialled).toEqual([]);
  });

  it.each([10, 2_000])("connectionAttemptDelayMs sets the delay: %i ms", async (delayMs) => {
    const dialled = mockSocketConnect({ [A4]: FAST });
    const context = createRecordingConnectionContext({
      resolverAnswer: [A6, A4],
      connectionAttemptDelayMs: delayMs,
    });
    const connecting = connectTo(context, target);
    await vi.advanceTimersByTimeAsync(delayMs + 20);
    (await connecting).destroy();
    expect(dialled.map(({ atMs }) => atMs)).toEqual([0, delayMs]);
  });

  it("the trace contains the start and the end of each attempt to connect", async () => {
    mockSocketConnect({ [A6]: REFUSED, [B6]: FAST });
    const context = createRecordingConnectionContext({ resolverAnswer: [A6, A4, B6] });
    const connecting = connectTo(context, target);
    await vi.advanceTimersByTimeAsync(290);
    (await connecting).destroy();
    expect(new Set(context.events.slice(1).map(({ action }) => action))).toEqual(new Set(["connect"]));
    expect(context.events.slice(1).map(({ text }) => text)).toEqual([
      `trying ${A6} port 7`,
      `${A6}: connection refused (ECONNREFUSED)`,
      `trying ${A4} port 7`,
      `trying ${B6} port 7`,
      `${B6} port 7`,
      `${A4}: the attempt was cancelled before it connected`,
    ]);
  });

  it.each([
    ["the first attempt", `trying ${A6}`, {}],
    ["an attempt after the delay", `trying ${A4}`, {}],
    ["a failed attempt", "refused", { [A6]: REFUSED }],
    ["the end of the other attempts", "was cancelled", { [A4]: FAST }],
  ])("connectTo fails with the error that a trace listener throws at %s", async (_, text, script) => {
    const dialled = mockSocketConnect(script);
    const fault = new AccessError("plugin", "the callback trace threw an error");
    const outcome = catchAccessError(
      connectTo(
        createRecordingConnectionContext({
          resolverAnswer: [A6, A4],
          trace(event) {
            if (event.text.includes(text)) throw fault;
          },
        }),
        target,
      ),
    );
    await vi.advanceTimersByTimeAsync(300);
    expect(await outcome).toBe(fault);
    expect(dialled.filter(({ socket }) => !socket.destroyed)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("the guard checks every address before the first attempt to connect", async () => {
    const dialled = mockSocketConnect({});
    const context = createRecordingConnectionContext({
      policy: publicInternet(),
      resolverAnswer: ["8.8.8.8", "2606:4700:4700::1111", "10.0.0.1"],
    });
    expect((await catchAccessError(connectTo(context, target))).code).toBe("refused-address");
    expect(dialled).toEqual([]);
  });

  it("all attempts end when a peer has another address than the checked address", async () => {
    const dialled = mockSocketConnect({ [A6]: { connectsAfterMs: 20, peerAddress: "2001:db8::bad" } });
    const context = createRecordingConnectionContext({ resolverAnswer: [A6, A4] });
    const outcome = catchAccessError(connectTo(context, target));
    await vi.advanceTimersByTimeAsync(20);
    expect(await outcome).toMatchObject({ code: "refused-address" });
    expect(dialled.map(({ socket }) => socket.destroyed)).toEqual([true]);
  });
});

describe("a host of which no address accepts a connection", () => {
  it("the error lists each address and the reason of its failure", async () => {
    mockSocketConnect({
      [A6]: { failsAfterMs: 1, code: "ENETUNREACH" },
      [A4]: { failsAfterMs: 1, code: "EHOSTUNREACH" },
      [B6]: REFUSED,
    });
    const { signal } = new AbortController();
    const outcome = catchAccessError(
      connectTo(createRecordingConnectionContext({ resolverAnswer: [A6, A4, B6], signal }), target),
    );
    await vi.advanceTimersByTimeAsync(22);
    const error = await outcome;
    expect(error).toMatchObject({
      code: "unavailable",
      reason:
        "cannot connect to name.example port 7: 2001:db8::1: the network is unreachable (ENETUNREACH); 192.0.2.1: no route to the host (EHOSTUNREACH); 2001:db8::2: connection refused (ECONNREFUSED)",
    });
    expect(error.cause).toMatchObject({
      message: "no address accepted a connection",
      code: "ECONNREFUSED",
      errors: [{ code: "ENETUNREACH" }, { code: "EHOSTUNREACH" }, { code: "ECONNREFUSED" }],
    });
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("the error lists an address that closed the connection without an error", async () => {
    mockSocketConnect({ [A6]: REFUSED, [A4]: { closesAfterMs: 20 } });
    const outcome = catchAccessError(
      connectTo(createRecordingConnectionContext({ resolverAnswer: [A6, A4] }), target),
    );
    await vi.advanceTimersByTimeAsync(40);
    expect(await outcome).toMatchObject({
      code: "unavailable",
      reason:
        "cannot connect to name.example port 7: 2001:db8::1: connection refused (ECONNREFUSED); 192.0.2.1: connection closed by the server",
    });
  });

  it.each([
    [1_000, [0, 250, 500, 750]],
    [500, [0, 250]],
    [300, [0, 250]],
    [200, [0]],
  ])("connectTimeoutMs of %i ms bounds all attempts", async (connectTimeoutMs, starts) => {
    const dialled = mockSocketConnect({});
    const answers = [A6, A4, B6, B4];
    const context = createRecordingConnectionContext({
      resolverAnswer: answers,
      limits: { connectTimeoutMs },
    });
    const outcome = catchAccessError(connectTo(context, target));
    await vi.advanceTimersByTimeAsync(connectTimeoutMs - 1);
    expect(dialled.some(({ socket }) => socket.destroyed)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const tried = [A6, A4, B6, B4].slice(0, starts.length).map((address) => `${address}: timed out`);
    expect(await outcome).toMatchObject({
      code: "timeout",
      limit: "connectTimeoutMs",
      reason: `cannot connect to name.example port 7: ${tried.join("; ")}`,
    });
    expect(dialled.map(({ atMs }) => atMs)).toEqual(starts);
    expect(dialled.every(({ socket }) => socket.destroyed)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [0, 1],
    [249, 1],
    [251, 2],
  ])("an abort after %i ms closes all %i connections", async (ms, count) => {
    const dialled = mockSocketConnect({});
    const controller = new AbortController();
    const context = createRecordingConnectionContext({
      resolverAnswer: [A6, A4, B6],
      signal: controller.signal,
    });
    const outcome = connectTo(context, target).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(ms);
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await outcome).toBe(reason);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(dialled).toHaveLength(count);
    expect(dialled.every(({ socket }) => socket.destroyed)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("TLS on the first connection that is established", () => {
  it("TLS verifies the certificate for the host name and not for the address", async () => {
    const server = createServer({ cert: ca, key: TEST_PRIVATE_KEY_PEM }, (socket) =>
      socket.on("error", () => undefined).end("hello"),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const context = createRecordingConnectionContext({ resolverAnswer: ["127.0.0.2", "127.0.0.1"] });
    const socket = await connectTo(context, { host: "secure.example", port });
    const tls = await startTls(context, socket, "secure.example", { ca });
    expect(String((await tls.toArray())[0])).toBe("hello");
    expect(context.sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
    await new Promise((resolve) => server.close(resolve));
  });
});
