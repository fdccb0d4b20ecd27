import { createSocket, Socket } from "node:dgram";
import { getEventListeners, once } from "node:events";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openDatagramSocket } from "../../src/network/udp.ts";
import type { CloseableHandle } from "../../src/network/guard-context.ts";
import type { DatagramSocket } from "../../src/scheme/context.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createRecordingConnectionContext } from "./recording-connection-context.ts";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Starts a server that sends every datagram back. */
async function startUdpEchoServer(address = "127.0.0.1"): Promise<number> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  socket.on("message", (bytes, from) => socket.send(bytes, from.port, from.address));
  socket.bind(0, address);
  await once(socket, "listening");
  open.push(socket);
  return socket.address().port;
}

async function openTestSocket(
  context = createRecordingConnectionContext(),
  port: number,
  host = "127.0.0.1",
): Promise<DatagramSocket> {
  const peer = await openDatagramSocket(context, { host, port });
  open.push(peer);
  return peer;
}

const decodeDatagram = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Buffer.from(bytes).toString();

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

describe("sending and receiving datagrams", () => {
  // Some machines have no IPv6.
  it.skipIf(!hasIpv6)("the client sends datagrams to IPv6 addresses", async () => {
    const port = await startUdpEchoServer("::1");
    const peer = await openTestSocket(createRecordingConnectionContext(), port, "::1");
    await peer.send(Buffer.from("six"));
    expect(decodeDatagram(await peer.receive())).toBe("six");
  });

  it("the client waits for a datagram up to timeoutMs, and leaves no timer or listener behind", async () => {
    const port = await startUdpEchoServer();
    const access = new AbortController();
    const wait = new AbortController();
    const peer = await openTestSocket(createRecordingConnectionContext({ signal: access.signal }), port);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const waiting = peer.receive({ timeoutMs: 60_000, signal: wait.signal });
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(59_999);
    await peer.send(Buffer.from("late"));
    expect(decodeDatagram(await waiting)).toBe("late");
    expect(vi.getTimerCount()).toBe(0);
    for (const { signal } of [access, wait]) expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("the client rejects a second receive call while one is pending", async () => {
    const peer = await openTestSocket(createRecordingConnectionContext(), await startUdpEchoServer());
    const first = peer.receive();
    await expect(peer.receive()).rejects.toThrow("a receive is pending already");
    await peer.send(Buffer.from("one"));
    expect(decodeDatagram(await first)).toBe("one");
  });

  it("a datagram socket drops datagrams of other senders that arrive before the socket is connected", async () => {
    const sockets: Socket[] = [];
    // eslint-disable-next-line @typescript-eslint/unbound-method
    const { connect } = Socket.prototype;
    vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...args) {
      sockets.push(this);
      return connect.apply(this, args);
    });
    const port = await startUdpEchoServer();
    const peer = await openTestSocket(createRecordingConnectionContext(), port);
    const arrive = (word: string, from: { address: string; port: number }): unknown =>
      sockets[0]?.emit("message", Buffer.from(word), { ...from, family: "IPv4", size: word.length });
    arrive("another address", { address: "127.0.0.2", port });
    arrive("another port", { address: "127.0.0.1", port: port + 1 });
    arrive("neither", { address: "127.0.0.2", port: port + 1 });
    arrive("the peer", { address: "127.0.0.1", port });
    expect(decodeDatagram(await peer.receive())).toBe("the peer");
    expect(await peer.receive({ timeoutMs: 0 })).toBeUndefined();
  });

  it("the client refuses a datagram socket that the system has connected to another address", async () => {
    const other = { address: "127.0.0.2", family: "IPv4", port: 1 };
    vi.spyOn(Socket.prototype, "remoteAddress").mockReturnValue(other);
    const context = createRecordingConnectionContext();
    const error = await catchAccessError(
      openDatagramSocket(context, { host: "127.0.0.1", port: await startUdpEchoServer() }),
    );
    expect(error).toMatchObject({
      code: "refused-address",
      reason: "the connection leads to 127.0.0.2 and not to the checked address 127.0.0.1",
    });
    expect(context.datagramHandles.size).toBe(0);
  });
});

describe("a datagram socket ends on close, abort and failure", () => {
  it("close() of a datagram socket closes the socket of Node.js", async () => {
    const sockets: Socket[] = [];
    // eslint-disable-next-line @typescript-eslint/unbound-method
    const { connect } = Socket.prototype;
    vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...args) {
      sockets.push(this);
      return connect.apply(this, args);
    });
    const peer = await openTestSocket(createRecordingConnectionContext(), await startUdpEchoServer());
    const closed = once(sockets[0] as Socket, "close");
    peer.close();
    await closed;
  });

  it("a datagram socket passes ref and unref to the socket of the system", async () => {
    const context = createRecordingConnectionContext();
    await openTestSocket(context, await startUdpEchoServer());
    const [handle] = context.datagramHandles;
    const [ref, unref] = [vi.spyOn(Socket.prototype, "ref"), vi.spyOn(Socket.prototype, "unref")];
    handle?.unref();
    expect([ref, unref].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
    handle?.ref();
    expect([ref, unref].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  it.each([
    ["before the first address", 0, 0],
    ["while the first address connects", 1, 1],
  ])("an abort %s opens no further datagram socket", async (_, abortAt, count) => {
    const reason = new Error("enough");
    const controller = new AbortController();
    if (abortAt === 0) controller.abort(reason);
    const handles = new Set<CloseableHandle>();
    let opened = 0;
    const context = createRecordingConnectionContext({
      signal: controller.signal,
      onDatagramSocket(socket) {
        handles.add(socket);
        if (++opened === abortAt) controller.abort(reason);
        return () => void handles.delete(socket);
      },
    });
    const target = { host: "127.0.0.1", port: await startUdpEchoServer() };
    await expect(openDatagramSocket(context, target)).rejects.toBe(reason);
    expect([opened, handles.size]).toEqual([count, 0]);
  });

  it("a datagram socket that is closed while it connects fails with aborted", async () => {
    const context = createRecordingConnectionContext({
      onDatagramSocket(socket) {
        process.nextTick(() => socket.close());
        return () => undefined;
      },
    });
    const target = { host: "127.0.0.1", port: await startUdpEchoServer() };
    expect((await catchAccessError(openDatagramSocket(context, target))).code).toBe("aborted");
  });

  it("the close of a datagram socket rejects a pending receive", async () => {
    const context = createRecordingConnectionContext();
    const peer = await openTestSocket(context, await startUdpEchoServer());
    const waiting = catchAccessError(peer.receive());
    for (const socket of context.datagramHandles) socket.close();
    expect(await waiting).toMatchObject({ code: "aborted", reason: "the datagram socket was closed" });
    expect(context.datagramHandles.size).toBe(0);
  });

  it("a datagram socket that is closed before it connects fails with aborted", async () => {
    const context = createRecordingConnectionContext();
    const bound = (socket: CloseableHandle): (() => void) => {
      socket.close();
      return () => undefined;
    };
    const error = await catchAccessError(
      openDatagramSocket(
        { ...context, onDatagramSocket: bound },
        { host: "127.0.0.1", port: await startUdpEchoServer() },
      ),
    );
    expect(error.code).toBe("aborted");
  });

  it.each(["the access", "the wait"])("receive rejects with the abort reason of %s", async (whose) => {
    const access = new AbortController();
    const wait = new AbortController();
    const peer = await openTestSocket(
      createRecordingConnectionContext({ signal: access.signal }),
      await startUdpEchoServer(),
    );
    const reason = new Error(whose);
    const waiting = peer.receive({ signal: wait.signal }).catch((error: unknown) => error);
    (whose === "the access" ? access : wait).abort(reason);
    expect(await waiting).toBe(reason);
    expect(await peer.receive({ signal: wait.signal }).catch((error: unknown) => error)).toBe(reason);
  });

  it("the error of a failed datagram socket contains the network error as its cause", async () => {
    const gone = createSocket("udp4");
    gone.bind(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address();
    await new Promise<void>((resolve) => gone.close(resolve));
    const peer = await openTestSocket(createRecordingConnectionContext(), port);
    await peer.send(Buffer.from("x"));
    const error = await catchAccessError(peer.receive());
    expect(error.cause).toMatchObject({ code: "ECONNREFUSED" });
  });
});
