import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { accessBegins, accessEnds } from "../../src/network/turn.ts";
import { writeCoalesced } from "../../src/io/write.ts";

// The count of accesses under way begins anew: tests before these may have left some.
vi.hoisted(() => vi.resetModules());

/** What left the process, a write of the system each. */
const written: string[] = [];
const server = createServer((peer) => peer.resume());
let socket: Socket;

beforeEach(async () => {
  accessBegins();
  accessBegins();
  written.length = 0;
  await once(server.listen(0, "127.0.0.1"), "listening");
  socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  const one = socket._write.bind(socket);
  const several = socket._writev?.bind(socket);
  socket._write = (chunk: Buffer, ...rest) => {
    written.push(chunk.toString());
    one(chunk, ...rest);
  };
  socket._writev = (chunks, done) => {
    written.push(chunks.map(({ chunk }: { chunk: Buffer }) => chunk.toString()).join(""));
    several?.(chunks, done);
  };
});

afterEach(async () => {
  accessEnds();
  accessEnds();
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("send, while other accesses are under way,", () => {
  it("waits for the end of the turn", async () => {
    writeCoalesced(socket, Buffer.from("request"));
    await Promise.resolve();
    expect(written).toEqual([]);
    await turn();
    expect(written).toEqual(["request"]);
  });

  it("is one piece with what follows in the same turn", async () => {
    writeCoalesced(socket, Buffer.from("head "));
    await Promise.resolve();
    socket.write("body");
    await turn();
    expect(written).toEqual(["head body"]);
  });

  it("sends each of several in its order, and all of them together", async () => {
    writeCoalesced(socket, Buffer.from("one "));
    writeCoalesced(socket, Buffer.from("two"));
    await turn();
    expect(written).toEqual(["one two"]);
  });

  it("does nothing for a socket that is destroyed meanwhile", async () => {
    socket.on("error", () => undefined);
    writeCoalesced(socket, Buffer.from("late"));
    socket.destroy();
    await turn();
    expect(written).toEqual([]);
  });

  it("leaves what comes in a later turn for itself", async () => {
    writeCoalesced(socket, Buffer.from("one"));
    await turn();
    writeCoalesced(socket, Buffer.from("two"));
    await turn();
    expect(written).toEqual(["one", "two"]);
  });
});

it("sends what the only access has to say at once", () => {
  accessEnds();
  writeCoalesced(socket, Buffer.from("request"));
  accessBegins();
  expect(written).toEqual(["request"]);
});
