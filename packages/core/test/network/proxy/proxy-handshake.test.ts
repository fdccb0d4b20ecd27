import { getEventListeners, once } from "node:events";
import { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readProxyHandshakeReply } from "../../../src/network/proxy/read-handshake-reply.ts";
import { ParsedProxyServerSettings } from "../../../src/network/proxy/proxy-settings.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { createRecordingConnectionContext } from "../recording-connection-context.ts";

const proxy = new ParsedProxyServerSettings({ url: "http://joe:needle@p.example" });
const SOCKET_EVENTS = ["data", "end", "close", "error"] as const;

/** An unconnected socket, whose events the test emits. */
let socket: Socket;
let controller: AbortController;
let listenersBefore: number[];
beforeEach(() => {
  socket = new Socket();
  controller = new AbortController();
  listenersBefore = countListeners();
});
afterEach(() => void socket.destroy());

const countListeners = (): number[] => SOCKET_EVENTS.map((event) => socket.listenerCount(event));

/** Starts a handshake that ends after the byte `!`. */
function startHandshake(received: string[] = []): Promise<void> {
  const context = createRecordingConnectionContext({ signal: controller.signal });
  return readProxyHandshakeReply(context, proxy, socket, (bytes) => {
    const text = String(bytes);
    received.push(text);
    const end = text.indexOf("!");
    return end < 0 ? undefined : bytes.subarray(end + 1);
  });
}

/** Checks that the handshake has paused the socket and removed its listeners. */
function expectPausedWithoutListeners(): void {
  expect(socket.isPaused()).toBe(true);
  expect(countListeners()).toEqual(listenersBefore);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
}

describe("readProxyHandshakeReply reads the answer of a proxy", () => {
  it("readProxyHandshakeReply leaves the bytes after the handshake and no listener on the socket", async () => {
    const received: string[] = [];
    const handshake = startHandshake(received);
    for (const part of ["one", "two!220 ready"]) socket.emit("data", Buffer.from(part));
    await handshake;
    expectPausedWithoutListeners();
    expect(received).toEqual(["one", "two!220 ready"]);
    expect(String(socket.read())).toBe("220 ready");
  });

  it.each<[string, () => unknown, object]>([
    [
      "the end of the connection",
      () => socket.emit("end"),
      {
        code: "proxy",
        reason: "the proxy http://p.example:1080 closed the connection before its answer",
      },
    ],
    [
      "the close of the connection",
      () => socket.emit("close"),
      {
        code: "proxy",
        reason: "the proxy http://p.example:1080 closed the connection before its answer",
      },
    ],
    [
      "an error of the connection",
      () => socket.emit("error", Object.assign(new Error("reset"), { code: "ECONNRESET" })),
      {
        code: "proxy",
        reason: "the proxy http://p.example:1080 did not answer: connection reset by the server (ECONNRESET)",
        cause: { code: "ECONNRESET" },
      },
    ],
  ])("readProxyHandshakeReply fails after %s, and leaves no listener", async (_, happen, expected) => {
    const failure = catchAccessError(startHandshake());
    happen();
    expect(await failure).toMatchObject(expected);
    expectPausedWithoutListeners();
  });

  it("readProxyHandshakeReply fails for a socket that was closed before", async () => {
    await once(socket.destroy(), "close");
    expect((await catchAccessError(startHandshake())).reason).toContain("closed the connection");
    expect(countListeners()).toEqual(listenersBefore);
  });

  it.each(["before", "during"])(
    "readProxyHandshakeReply rejects with the reason of an abort %s",
    async (when) => {
      const reason = new Error("enough");
      if (when === "before") controller.abort(reason);
      const handshake = startHandshake();
      if (when === "during") controller.abort(reason);
      await expect(handshake).rejects.toBe(reason);
      expectPausedWithoutListeners();
    },
  );
});
