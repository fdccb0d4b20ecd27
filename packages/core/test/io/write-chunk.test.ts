import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { endWriting, writeChunk } from "../../src/io/write-chunk.ts";
import { DEFAULT_CORE_LIMITS } from "../../src/policy/limits.ts";
import { catchAccessError } from "../catch-access-error.ts";

const SHORT_TIME_LIMIT = { ...DEFAULT_CORE_LIMITS, idleTimeoutMs: 20 };
const NO_TIME_LIMIT = { ...DEFAULT_CORE_LIMITS, idleTimeoutMs: Infinity };

/** More bytes than the operating system accepts for a peer that does not read. */
const LARGE_CHUNK = new Uint8Array(64 * 1024 * 1024);

/** A connection whose server does not read before a call of `resume()`. */
class PausedConnection implements Disposable {
  readonly client: Socket;
  readonly server: Socket;
  readonly #listener: Server;

  private constructor(client: Socket, server: Socket, listener: Server) {
    this.client = client;
    this.server = server;
    this.#listener = listener;
    for (const socket of [client, server]) socket.on("error", () => undefined);
  }

  static async open(): Promise<PausedConnection> {
    const listener = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const accepted = once(listener, "connection") as Promise<[Socket]>;
    const client = connect((listener.address() as AddressInfo).port, "127.0.0.1");
    const [server] = await accepted;
    return new PausedConnection(client, server, listener);
  }

  [Symbol.dispose](): void {
    this.client.destroy();
    this.server.destroy();
    this.#listener.close();
  }
}

describe("writeChunk and endWriting", () => {
  it("the parts of a chunk arrive in order, and then the end of the connection", async () => {
    using connection = await PausedConnection.open();
    const { client, server } = connection;
    const received = server.toArray() as Promise<Uint8Array[]>;
    await writeChunk(client, ["3\r\n", Uint8Array.of(1, 2, 3), "\r\n"], NO_TIME_LIMIT);
    await endWriting(client, NO_TIME_LIMIT);
    expect(Buffer.concat(await received).toString("latin1")).toBe("3\r\n\u0001\u0002\u0003\r\n");
  });

  it("the caller may change the bytes after writeChunk", async () => {
    using connection = await PausedConnection.open();
    const { client, server } = connection;
    const chunk = new Uint8Array(8 * 1024 * 1024).fill(1);
    const received = server.toArray() as Promise<Uint8Array[]>;
    await writeChunk(client, [chunk], NO_TIME_LIMIT);
    chunk.fill(2);
    await endWriting(client, NO_TIME_LIMIT);
    expect(Buffer.concat(await received).every((byte) => byte === 1)).toBe(true);
  });

  it("writeChunk returns when the server reads again", async () => {
    using connection = await PausedConnection.open();
    const { client, server } = connection;
    const written = writeChunk(client, [LARGE_CHUNK], NO_TIME_LIMIT);
    expect(client.writableNeedDrain).toBe(true);
    server.resume();
    await written;
    expect(client.writableLength).toBe(0);
  });

  it.each([
    ["writeChunk", (client: Socket) => writeChunk(client, [LARGE_CHUNK], SHORT_TIME_LIMIT)],
    [
      "endWriting",
      (client: Socket) => {
        client.write(LARGE_CHUNK);
        return endWriting(client, SHORT_TIME_LIMIT);
      },
    ],
  ])("%s throws timeout when the server reads nothing", async (_name, write) => {
    using connection = await PausedConnection.open();
    expect(await catchAccessError(write(connection.client))).toMatchObject({
      code: "timeout",
      limit: "idleTimeoutMs",
      reason: expect.stringContaining("the server stopped reading the body") as string,
    });
  });

  it.each([
    ["the socket closes", ({ client }: PausedConnection) => void client.destroy()],
    ["the signal aborts", (_connection: PausedConnection, stopping: AbortController) => stopping.abort()],
  ])("writeChunk returns when %s", async (_event, act) => {
    using connection = await PausedConnection.open();
    const stopping = new AbortController();
    const written = writeChunk(connection.client, [LARGE_CHUNK], NO_TIME_LIMIT, stopping.signal);
    act(connection, stopping);
    expect(await written).toBeUndefined();
  });

  it("writes on a closed socket return at once", async () => {
    using connection = await PausedConnection.open();
    const { client } = connection;
    client.destroy();
    await writeChunk(client, [LARGE_CHUNK], NO_TIME_LIMIT);
    await endWriting(client, NO_TIME_LIMIT);
    expect(client.writableFinished).toBe(false);
  });
});
