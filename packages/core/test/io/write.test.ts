import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeCoalesced } from "../../src/io/write.ts";

/** What left the process, a write of the system each. */
const written: string[] = [];
const server = createServer((peer) => peer.resume());
let socket: Socket;

beforeEach(async () => {
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
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("writeCoalesced", () => {
  it("writes at the end of the tick", async () => {
    writeCoalesced(socket, Buffer.from("request"));
    expect(written).toEqual([]);
    await turn();
    expect(written).toEqual(["request"]);
  });

  it("makes one write with the bytes that follow in the same tick", async () => {
    writeCoalesced(socket, Buffer.from("head "));
    socket.write("body");
    await turn();
    expect(written).toEqual(["head body"]);
  });

  it("writes several pieces in their order, in one write", async () => {
    writeCoalesced(socket, Buffer.from("one "));
    writeCoalesced(socket, Buffer.from("two"));
    await turn();
    expect(written).toEqual(["one two"]);
  });

  it("writes nothing to a socket that is destroyed meanwhile", async () => {
    socket.on("error", () => undefined);
    writeCoalesced(socket, Buffer.from("late"));
    socket.destroy();
    await turn();
    expect(written).toEqual([]);
  });

  it("makes another write in a later tick", async () => {
    writeCoalesced(socket, Buffer.from("one"));
    await turn();
    writeCoalesced(socket, Buffer.from("two"));
    await turn();
    expect(written).toEqual(["one", "two"]);
  });
});
