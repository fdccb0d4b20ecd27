import { createServer, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { AccessError, createClient, type Limits, type Scheme, trusted } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { nntp, telnet, wais } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";
import { dereference, listen, type Read, readAll, streamAll } from "./reading.ts";

const MIB = 1_048_576;
const LIMIT = 4 * MIB;
/** What is alive at any time beside what is limited: buffers of sockets, and whatever the test runner does. */
const BESIDE = 3 * MIB;
/** A thousand times the limit, if the client let it come. */
const FLOOD = 1_000 * LIMIT;
const CHUNK = Buffer.alloc(MIB, "x");

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Buffers that the first collection has found dead are counted until the second one. */
function alive(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

interface Row {
  readonly limit: keyof Limits;
  readonly scheme: () => Scheme;
  /** What is sent before the flood, to the first octets of the client unless it speaks first. */
  readonly head: string;
  readonly speaksFirst?: boolean;
  readonly path: string;
  readonly read?: Read;
}

const OK = "HTTP/1.1 200 OK\r\n";

const ROWS: readonly Row[] = [
  { limit: "maxBodyBytes", scheme: http, head: `${OK}\r\n`, path: "", read: readAll },
  { limit: "maxStreamBytes", scheme: http, head: `${OK}\r\n`, path: "", read: streamAll },
  { limit: "maxHeaderBytes", scheme: http, head: `${OK}x: `, path: "" },
  { limit: "maxReplyLineBytes", scheme: ftp, head: "220 ", speaksFirst: true, path: "a" },
  { limit: "maxGopherLineBytes", scheme: gopher, head: "0", path: "1", read: readAll },
  { limit: "maxNntpLineBytes", scheme: nntp, head: "200 ", speaksFirst: true, path: "a.b/1" },
  { limit: "maxWaisApduBytes", scheme: wais, head: `${FLOOD}z2wais        0`, path: "d?w" },
  {
    limit: "maxSubnegotiationBytes",
    scheme: telnet,
    head: "\xff\xfa\x18",
    speaksFirst: true,
    path: "",
    read: listen,
  },
];

/** A server that pours out one chunk again and again; tells the most that was alive while it did. */
async function pouring({
  head,
  speaksFirst,
}: Row): Promise<{ port: number; most(): number; stop(): Promise<void> }> {
  let most = 0;
  let sent = 0;
  const pour = (socket: Socket): void => {
    most = Math.max(most, alive());
    if (socket.destroyed || sent >= FLOOD) return;
    sent += CHUNK.length;
    // The callback comes when the kernel has it all, so that nothing piles up on this side.
    socket.write(CHUNK, () => pour(socket));
  };
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    const begin = (): void => {
      socket.write(Buffer.from(head, "latin1"));
      pour(socket);
    };
    if (speaksFirst) begin();
    else socket.once("data", begin);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    most: () => most,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

describe("octets without end", () => {
  it.each(ROWS.map((row) => [row.limit, row] as const))("take less than twice %s", async (limit, row) => {
    const server = await pouring(row);
    const scheme = row.scheme();
    const client = createClient({
      schemes: [scheme],
      policy: trusted({ allowPorts: { [scheme.name]: [server.port] } }),
      limits: { [limit]: LIMIT },
    });
    const read = row.read ?? dereference;
    const before = alive();
    const error: unknown = await read(client, `${scheme.name}://127.0.0.1:${server.port}/${row.path}`).catch(
      (reason: unknown) => reason,
    );
    const after = alive();
    await client.close();
    await server.stop();
    expect(error).toBeInstanceOf(AccessError);
    expect(error).toMatchObject({ code: "limit", limit });
    expect(server.most() - before).toBeLessThan(2 * LIMIT + BESIDE);
    expect(after - before).toBeLessThan(2 * LIMIT);
  });
});
