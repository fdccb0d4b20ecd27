import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { connectTo } from "../../src/network/connect.ts";
import { DEFAULT_LIMITS, type Limits, mergeLimits } from "../../src/policy/limits.ts";
import type { AccessContext } from "../../src/scheme/context.ts";
import { type LoopbackServer, type Script, startScriptedServer } from "../../src/testing/index.ts";
import { BUFFER_SIZE, SocketReader } from "../../src/io/socket-reader.ts";
import { failureOf } from "../failure.ts";
import { recordingConnector } from "../network/connector.ts";
import { startResettingServer } from "../resetting-server.ts";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of open.splice(0)) await stop();
});

/** An inflow from a server that follows a script; `of` reads from a plain socket, as after TLS. */
async function inflowFrom(
  script: Script,
  limits: Partial<Limits> = {},
  kind: "dial" | "of" = "dial",
): Promise<{ inflow: SocketReader; server: LoopbackServer }> {
  const server = await startScriptedServer(script);
  const inflow = await connected(server.port, limits, kind);
  open.push(
    () => Promise.resolve(inflow.cancel()),
    () => server.stop(),
  );
  return { inflow, server };
}

async function connected(port: number, limits: Partial<Limits>, kind: "dial" | "of"): Promise<SocketReader> {
  const connector = recordingConnector({ limits });
  const target = { host: "127.0.0.1", port };
  if (kind === "of")
    return SocketReader.fromSocket(await connectTo(connector, target), mergeLimits(limits, DEFAULT_LIMITS));
  const context: Pick<AccessContext, "connect" | "limits"> = {
    limits: connector.limits,
    connect: (where, options) => connectTo(connector, where, options),
  };
  return SocketReader.connect(context, target);
}

/** Everything up to the end. */
async function all(inflow: SocketReader): Promise<string> {
  const pieces: Buffer[] = [];
  while ((await inflow.read((bytes) => pieces.push(Buffer.from(bytes)) > 0)) !== "end");
  return Buffer.concat(pieces).toString("latin1");
}

/** The next piece only. */
async function next(inflow: SocketReader): Promise<string> {
  let text = "";
  const state = await inflow.read((bytes) => {
    text = Buffer.from(bytes).toString("latin1");
    return false;
  });
  return state === "end" ? "END" : text;
}

const waiting: Script = async (peer) => void (await peer.line());

for (const kind of ["dial", "of"] as const) {
  describe(`an inflow made by SocketReader.${kind}`, () => {
    it("gives what comes, and its regular end", async () => {
      const { inflow } = await inflowFrom((peer) => peer.send("hello"), {}, kind);
      expect(await all(inflow)).toBe("hello");
      expect(await inflow.read(() => true)).toBe("end");
      inflow.cancel();
      expect(await inflow.read(() => true)).toBe("end");
    });

    it("gives an empty end", async () => {
      const { inflow } = await inflowFrom(() => undefined, {}, kind);
      expect(await next(inflow)).toBe("END");
    });

    it("gives what came before anybody read", async () => {
      const { inflow, server } = await inflowFrom(
        async (peer) => {
          peer.send("early");
          await peer.line();
          peer.send(" and late");
        },
        {},
        kind,
      );
      // The answer to this line cannot arrive before "early" has.
      inflow.socket.write("go on\n");
      expect(await next(inflow)).toMatch(/^early/);
      await all(inflow);
      expect(server.connections[0]?.received.toString()).toBe("go on\n");
    });

    it("gives the same, however small the pieces are that the reader takes", async () => {
      const text = "0123456789".repeat(20_000);
      const { inflow } = await inflowFrom((peer) => peer.send(text), {}, kind);
      let received = "";
      for (;;) {
        const piece = await next(inflow);
        if (piece === "END") break;
        received += piece.slice(0, 1);
        inflow.unread(Buffer.from(piece.slice(1, 7), "latin1"));
        received += (piece.length > 1 ? await next(inflow) : "") + piece.slice(7);
      }
      expect(received === text).toBe(true);
    });

    it("a reset is no end", async () => {
      await using server = await startResettingServer("half");
      const inflow = await connected(server.port, {}, kind);
      inflow.socket.write("go on\n");
      expect(await next(inflow)).toBe("half");
      inflow.socket.write("and now?\n");
      const error = await failureOf(inflow.read(() => true));
      expect(error.code).toBe("incomplete");
      expect(await failureOf(inflow.read(() => true))).toBe(error);
    });

    it("the end of the own socket is no end", async () => {
      const { inflow, server } = await inflowFrom(waiting, {}, kind);
      const work = inflow.read(() => true);
      inflow.socket.destroy();
      expect((await failureOf(work)).code).toBe("incomplete");
      await server.connections[0]?.closed;
    });

    it("cancel rejects a pending read, and frees the socket", async () => {
      const { inflow, server } = await inflowFrom(waiting, {}, kind);
      const work = inflow.read(() => true);
      inflow.cancel();
      expect((await failureOf(work)).code).toBe("aborted");
      expect((await failureOf(inflow.read(() => true))).code).toBe("aborted");
      expect(inflow.socket.destroyed).toBe(true);
      await server.connections[0]?.closed;
    });

    it("gives nothing any more when it was cancelled", async () => {
      const { inflow } = await inflowFrom(waiting, {}, kind);
      inflow.unread(Buffer.from("x"));
      inflow.cancel();
      expect((await failureOf(inflow.read(() => true))).code).toBe("aborted");
    });

    it("has one reader at a time", async () => {
      const { inflow } = await inflowFrom(waiting, {}, kind);
      const work = failureOf(inflow.read(() => true));
      await expect(inflow.read(() => true)).rejects.toThrow("a read is pending already");
      inflow.cancel();
      await work;
    });

    it("what the reader throws rejects the read", async () => {
      const { inflow } = await inflowFrom(async (peer) => {
        peer.send("x");
        await peer.line();
      });
      const read = (): Promise<unknown> =>
        inflow.read(() => {
          throw new Error("no thanks");
        });
      await expect(read()).rejects.toThrow("no thanks");
      inflow.unread(Buffer.from("y"));
      await expect(read()).rejects.toThrow("no thanks");
    });

    it("the first bytes have a limit of their own", async () => {
      const { inflow, server } = await inflowFrom(
        waiting,
        { firstByteTimeoutMs: 2, idleTimeoutMs: 60_000 },
        kind,
      );
      const error = await failureOf(inflow.read(() => true));
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
    ])("silence after them has another, %s", async (_name, more) => {
      const { inflow, server } = await inflowFrom(
        async (peer) => {
          peer.send("x");
          await peer.line();
        },
        { firstByteTimeoutMs: 60_000, idleTimeoutMs: 2 },
        kind,
      );
      if (!more) await next(inflow);
      const error = await failureOf(inflow.read(() => true));
      expect(error).toMatchObject({
        code: "timeout",
        limit: "idleTimeoutMs",
        reason: "the server fell silent",
      });
      await server.connections[0]?.closed;
    });

    it("silence has no limit while nobody reads", async () => {
      const { inflow } = await inflowFrom(
        async (peer) => {
          peer.send("x");
          await peer.line();
          peer.send("y");
        },
        { firstByteTimeoutMs: 1000, idleTimeoutMs: 1 },
        kind,
      );
      expect(await next(inflow)).toBe("x");
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
      expect(inflow.socket.destroyed).toBe(false);
    });

    it("no limit is no timer", async () => {
      const limits = { firstByteTimeoutMs: Infinity, idleTimeoutMs: Infinity };
      const { inflow } = await inflowFrom((peer) => peer.send("x"), limits, kind);
      expect(await all(inflow)).toBe("x");
    });

    it("holds the sender back while nobody reads", async () => {
      const server: Server = createServer((socket) => {
        socket.on("error", () => undefined).write(Buffer.alloc(33_554_432));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const inflow = await connected((server.address() as AddressInfo).port, {}, kind);
      open.push(() => {
        inflow.cancel();
        return once(server.close(), "close");
      });
      await next(inflow);
      const before = inflow.socket.bytesRead;
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
      // The stream holds its high-water mark and the chunk that crossed it, and one more chunk may be under way.
      const most = inflow.socket.readableHighWaterMark + 2 * 65_536;
      expect(inflow.socket.bytesRead - before).toBeLessThanOrEqual(most);
      const { socket } = inflow;
      while (socket.bytesRead < 33_554_432) await inflow.read(() => socket.bytesRead < 33_554_432);
      expect(socket.bytesRead).toBe(33_554_432);
    });
  });
}

describe("what came while nobody read", () => {
  const length = 1_000_000;
  const text = Buffer.from(Array.from({ length }, (_, at) => at % 251));

  it("lies where it was received: a slow reader takes no memory besides", async () => {
    await using server = await startScriptedServer((peer) => peer.send(text));
    const inflow = await connected(server.port, {}, "dial");
    const pieces: Buffer[] = [];
    const rooms = new Set<unknown>();
    for (let state = "more"; state === "more";) {
      // Long enough for more to come than has been asked for.
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      state = await inflow.read((bytes) => {
        rooms.add(bytes.buffer);
        pieces.push(Buffer.from(bytes));
        return false;
      });
    }
    expect(rooms.size).toBe(1);
    expect(Buffer.concat(pieces).equals(text)).toBe(true);
  });

  it("arrives whole in one buffer of the connection, however large the transfer is", async () => {
    const whole = Buffer.concat(Array.from({ length: 32 }, () => text));
    await using server = await startScriptedServer((peer) => peer.send(whole));
    const inflow = await connected(server.port, {}, "dial");
    const rooms: number[] = [];
    const pieces: Buffer[] = [];
    const take = (bytes: Uint8Array): boolean => {
      if (rooms.at(-1) !== bytes.buffer.byteLength) rooms.push(bytes.buffer.byteLength);
      return pieces.push(Buffer.from(bytes)) > 0;
    };
    expect(await inflow.read(take)).toBe("end");
    expect(rooms).toEqual([BUFFER_SIZE]);
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
  });

  it("stays what it was when its connection is over and others receive", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      peer.send(connection === 0 ? "before" : "after!");
      await peer.line();
    });
    const inflow = await connected(server.port, {}, "dial");
    await inflow.waitReadable(Infinity);
    inflow.socket.destroy();
    await once(inflow.socket, "close");
    const other = await connected(server.port, {}, "dial");
    expect(await next(other)).toBe("after!");
    other.cancel();
    expect(await next(inflow)).toBe("before");
  });
});
