import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { connectTo } from "../../src/network/connect.ts";
import { DEFAULT_CORE_LIMITS, type CoreLimits, mergeLimits } from "../../src/policy/limits.ts";
import { type LoopbackServer, type ServerScript, startScriptedServer } from "../../src/testing/index.ts";
import { SocketReader } from "../../src/io/socket-reader.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createRecordingConnectionContext } from "../network/recording-connection-context.ts";
import { startResettingServer } from "../resetting-server.ts";

const openResources: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of openResources.splice(0)) await stop();
});

/** Connects a reader to a server that follows a script. */
async function startReader(
  script: ServerScript,
  limits: Partial<CoreLimits> = {},
): Promise<{ reader: SocketReader; server: LoopbackServer }> {
  const server = await startScriptedServer(script);
  const reader = await connectReader(server.port, limits);
  openResources.push(
    () => Promise.resolve(reader.cancel()),
    () => server.stop(),
  );
  return { reader, server };
}

async function connectReader(port: number, limits: Partial<CoreLimits>): Promise<SocketReader> {
  const context = createRecordingConnectionContext({ limits });
  const socket = await connectTo(context, { host: "127.0.0.1", port });
  return new SocketReader(socket, mergeLimits(limits, DEFAULT_CORE_LIMITS));
}

/** Reads all bytes up to the end. */
async function readAll(reader: SocketReader): Promise<string> {
  const pieces: Buffer[] = [];
  while ((await reader.readChunks((bytes) => pieces.push(Buffer.from(bytes)) > 0)) !== "end");
  return Buffer.concat(pieces).toString("latin1");
}

/** Reads only the next chunk of a connection. */
async function readNextChunk(reader: SocketReader): Promise<string> {
  let text = "";
  const state = await reader.readChunks((bytes) => {
    text = Buffer.from(bytes).toString("latin1");
    return false;
  });
  return state === "end" ? "END" : text;
}

const waitForLineScript: ServerScript = async (peer) => void (await peer.readLine());

describe("SocketReader", () => {
  it("read returns the bytes and the end of the connection", async () => {
    const { reader } = await startReader((peer) => peer.send("hello"), {});
    expect(await readAll(reader)).toBe("hello");
    expect(await reader.readChunks(() => true)).toBe("end");
    reader.cancel();
    expect(await reader.readChunks(() => true)).toBe("end");
  });

  it("read returns the end of a connection without bytes", async () => {
    const { reader } = await startReader(() => undefined, {});
    expect(await readNextChunk(reader)).toBe("END");
  });

  it("read returns bytes that arrived before the first read", async () => {
    const { reader, server } = await startReader(async (peer) => {
      peer.send("early");
      await peer.readLine();
      peer.send(" and late");
    }, {});
    // The response to this line cannot arrive before the text "early".
    reader.socket.write("go on\n");
    expect(await readNextChunk(reader)).toMatch(/^early/);
    await readAll(reader);
    expect(server.connections[0]?.received.toString()).toBe("go on\n");
  });

  it("read returns each byte once and in order, also after unread", async () => {
    const text = "0123456789".repeat(20_000);
    const { reader } = await startReader((peer) => peer.send(text), {});
    let received = "";
    for (;;) {
      const piece = await readNextChunk(reader);
      if (piece === "END") break;
      received += piece.slice(0, 1);
      reader.unread(Buffer.from(piece.slice(1, 7), "latin1"));
      received += (piece.length > 1 ? await readNextChunk(reader) : "") + piece.slice(7);
    }
    expect(received === text).toBe(true);
  });

  it("read reports a reset connection as an error and not as an end", async () => {
    await using server = await startResettingServer("half");
    const reader = await connectReader(server.port, {});
    reader.socket.write("go on\n");
    expect(await readNextChunk(reader)).toBe("half");
    reader.socket.write("and now?\n");
    const error = await catchAccessError(reader.readChunks(() => true));
    expect(error.code).toBe("incomplete");
    expect(await catchAccessError(reader.readChunks(() => true))).toBe(error);
  });

  it("read reports a destroyed socket as an error and not as an end", async () => {
    const { reader, server } = await startReader(waitForLineScript, {});
    const work = reader.readChunks(() => true);
    reader.socket.destroy();
    expect((await catchAccessError(work)).code).toBe("incomplete");
    await server.connections[0]?.closed;
  });

  it("cancel rejects a pending read, and destroys the socket", async () => {
    const { reader, server } = await startReader(waitForLineScript, {});
    const work = reader.readChunks(() => true);
    reader.cancel();
    expect((await catchAccessError(work)).code).toBe("aborted");
    expect((await catchAccessError(reader.readChunks(() => true))).code).toBe("aborted");
    expect(reader.socket.destroyed).toBe(true);
    await server.connections[0]?.closed;
  });

  it("read returns no bytes after cancel", async () => {
    const { reader } = await startReader(waitForLineScript, {});
    reader.unread(Buffer.from("x"));
    reader.cancel();
    expect((await catchAccessError(reader.readChunks(() => true))).code).toBe("aborted");
  });

  it("SocketReader rejects a second read while a read is pending", async () => {
    const { reader } = await startReader(waitForLineScript, {});
    const work = catchAccessError(reader.readChunks(() => true));
    await expect(reader.readChunks(() => true)).rejects.toThrow("a read is pending already");
    reader.cancel();
    await work;
  });

  it("read rejects when the caller's callback throws", async () => {
    const { reader } = await startReader(async (peer) => {
      peer.send("x");
      await peer.readLine();
    });
    const read = (): Promise<unknown> =>
      reader.readChunks(() => {
        throw new Error("no thanks");
      });
    await expect(read()).rejects.toThrow("no thanks");
    reader.unread(Buffer.from("y"));
    await expect(read()).rejects.toThrow("no thanks");
  });

  it("firstByteTimeoutMs limits the wait for the first bytes", async () => {
    const { reader, server } = await startReader(waitForLineScript, {
      firstByteTimeoutMs: 2,
      idleTimeoutMs: 60_000,
    });
    const error = await catchAccessError(reader.readChunks(() => true));
    expect(error).toMatchObject({
      code: "timeout",
      limit: "firstByteTimeoutMs",
      reason: "the server did not answer",
    });
    await server.connections[0]?.closed;
  });

  it.each([
    ["in one read", true],
    ["in the next read", false],
  ])("idleTimeoutMs limits a pause after the first bytes, %s", async (_name, more) => {
    const { reader, server } = await startReader(
      async (peer) => {
        peer.send("x");
        await peer.readLine();
      },
      { firstByteTimeoutMs: 60_000, idleTimeoutMs: 2 },
    );
    if (!more) await readNextChunk(reader);
    const error = await catchAccessError(reader.readChunks(() => true));
    expect(error).toMatchObject({
      code: "timeout",
      limit: "idleTimeoutMs",
      reason: "the server stopped sending data",
    });
    await server.connections[0]?.closed;
  });

  it("SocketReader applies no time limit while no read is pending", async () => {
    const { reader } = await startReader(
      async (peer) => {
        peer.send("x");
        await peer.readLine();
        peer.send("y");
      },
      { firstByteTimeoutMs: 1000, idleTimeoutMs: 1 },
    );
    expect(await readNextChunk(reader)).toBe("x");
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(reader.socket.destroyed).toBe(false);
  });

  it("SocketReader reads all bytes when both time limits are Infinity", async () => {
    const limits = { firstByteTimeoutMs: Infinity, idleTimeoutMs: Infinity };
    const { reader } = await startReader((peer) => peer.send("x"), limits);
    expect(await readAll(reader)).toBe("x");
  });

  it("SocketReader applies back-pressure while no read is pending", async () => {
    const server: Server = createServer((socket) => {
      socket.on("error", () => undefined).write(Buffer.alloc(33_554_432));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const reader = await connectReader((server.address() as AddressInfo).port, {});
    openResources.push(() => {
      reader.cancel();
      return once(server.close(), "close");
    });
    await readNextChunk(reader);
    const before = reader.socket.bytesRead;
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    // The stream buffers up to its high-water mark plus one chunk. A further chunk may be in transit.
    const most = reader.socket.readableHighWaterMark + 2 * 65_536;
    expect(reader.socket.bytesRead - before).toBeLessThanOrEqual(most);
    const { socket } = reader;
    while (socket.bytesRead < 33_554_432) await reader.readChunks(() => socket.bytesRead < 33_554_432);
    expect(socket.bytesRead).toBe(33_554_432);
  });
});

describe("bytes that a SocketReader receives while no read is pending", () => {
  const length = 1_000_000;
  const text = Buffer.from(Array.from({ length }, (_, at) => at % 251));

  it("SocketReader never changes a chunk after passing the chunk to the caller", async () => {
    await using server = await startScriptedServer((peer) => peer.send(text));
    const reader = await connectReader(server.port, {});
    const chunks: Uint8Array[] = [];
    for (let state = "more"; state === "more";) {
      // Waits long enough for unrequested bytes to arrive.
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      state = await reader.readChunks((bytes) => chunks.push(bytes) === 0);
    }
    expect(Buffer.concat(chunks).equals(text)).toBe(true);
  });

  it("a chunk stays unchanged after the connection ends and other connections receive bytes", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      peer.send(connection === 0 ? "before" : "after!");
      await peer.readLine();
    });
    const reader = await connectReader(server.port, {});
    await reader.waitReadable(Infinity);
    reader.socket.destroy();
    await once(reader.socket, "close");
    const other = await connectReader(server.port, {});
    expect(await readNextChunk(other)).toBe("after!");
    other.cancel();
    expect(await readNextChunk(reader)).toBe("before");
  });
});
