import { createClient, anyAddress } from "@anyscheme/core";
import { type ScriptedPeer, watchClientSocketReads } from "@anyscheme/core/testing";
import { ftp, type FtpEntry } from "@anyscheme/scheme-ftp";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import {
  type ScriptedReply,
  type ScriptedFtpServer,
  startScriptedFtpServer,
} from "../scripted-ftp-server.ts";

const LISTING_ENTRY_COUNT = 100_000;
const LINES_PER_WRITE = 100;

/** The maximum number of received bytes that the caller has not read: one full buffer and one partial buffer. */
const MAX_UNREAD_BYTES = 524_288;

/** A server that sends a listing over a data connection as fast as the client receives it. */
class ListingServer {
  /** The number of bytes that the operating system of the server has accepted. */
  sentBytes = 0;
  /** The port of the data connection. */
  port = 0;
  readonly #line: (index: number) => string;

  constructor(line: (index: number) => string) {
    this.#line = line;
  }

  async sendListing(socket: Socket): Promise<void> {
    for (let index = 0; index < LISTING_ENTRY_COUNT; index += LINES_PER_WRITE) {
      const lines = Array.from({ length: LINES_PER_WRITE }, (_, place) => this.#line(index + place));
      const bytes = Buffer.from(lines.join(""), "latin1");
      await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
      this.sentBytes += bytes.length;
    }
    socket.end();
  }
}

const formatEntryName = (index: number): string => `${String(index).padStart(6, "0")}-${"n".repeat(80)}`;
const formatMlsdLine = (index: number): string =>
  `type=file;size=${String(index).padStart(6, "0")};modify=20260101000000;unix.mode=0644; ${formatEntryName(index)}\r\n`;
const formatListLine = (index: number): string =>
  `-rw-r--r--    1 0        0        ${String(index).padStart(8)} Jan 01  2026 ${formatEntryName(index)}\r\n`;

/** Starts an FTP server that sends a listing of the given lines after `command`. */
async function startListingServer(
  command: string,
  line: (index: number) => string,
): Promise<[ScriptedFtpServer, ListingServer]> {
  const listingServer = new ListingServer(line);
  let began = (): void => undefined;
  const connected = new Promise<void>((resolve) => (began = resolve));
  let sent = Promise.resolve();
  const data = createServer((socket) => {
    sent = listingServer.sendListing(socket.on("error", () => undefined));
    began();
  });
  data.listen(0, "127.0.0.1");
  await once(data, "listening");
  listingServer.port = (data.address() as AddressInfo).port;
  const answers: Record<string, ScriptedReply> = {
    EPSV: `229 extended passive (|||${listingServer.port}|)\r\n`,
    async [command](peer: ScriptedPeer) {
      peer.send("150 here it comes\r\n");
      await connected;
      await sent;
      peer.send("226 done\r\n");
    },
  };
  const server = await startScriptedFtpServer({ replies: answers });
  const stop = async (): Promise<void> => {
    await server[Symbol.asyncDispose]();
    data.close();
  };
  return [{ ...server, [Symbol.asyncDispose]: stop }, listingServer];
}

describe("the client receives a listing of 100 000 entries only as fast as the caller reads it", () => {
  it.each<[string, (index: number) => string]>([
    ["MLSD", formatMlsdLine],
    ["LIST", formatListLine],
  ])(
    "the client pauses the data connection of a %s listing while no entry is read",
    async (command, line) => {
      using dialled = watchClientSocketReads();
      const [server, listingServer] = await startListingServer(command, line);
      await using _ = server;
      await using client = createClient({ schemes: [ftp()], policy: anyAddress() });
      const resource = await client.dereference(`ftp://127.0.0.1:${server.port}/` as "ftp://h/");
      if (resource.kind !== "directory") throw new TypeError(resource.kind);
      let count = 0;
      let last: FtpEntry | undefined;
      const bytes = Buffer.byteLength(line(0));
      for await (const entry of resource) {
        if (count === 0 || count === 20_000) {
          await dialled.waitUntilClientStopsReading(listingServer.port);
          const ahead = dialled.countBytesReadByClient(listingServer.port) - count * bytes;
          expect(ahead).toBeGreaterThan(0);
          expect(ahead).toBeLessThanOrEqual(MAX_UNREAD_BYTES);
        }
        count++;
        last = entry;
      }
      expect(count).toBe(LISTING_ENTRY_COUNT);
      expect(listingServer.sentBytes).toBe(LISTING_ENTRY_COUNT * bytes);
      expect(last).toMatchObject({
        name: formatEntryName(LISTING_ENTRY_COUNT - 1),
        kind: "file",
        size: LISTING_ENTRY_COUNT - 1,
      });
    },
  );
});

describe("the client receives a file only as fast as the caller reads it", () => {
  it("the client pauses the data connection of a file while the body is not read", async () => {
    using dialled = watchClientSocketReads();
    const [server, listingServer] = await startListingServer("RETR", formatListLine);
    await using _ = server;
    await using client = createClient({ schemes: [ftp()], policy: anyAddress() });
    const resource = await client.dereference(`ftp://127.0.0.1:${server.port}/a.bin` as "ftp://h/");
    if (resource.kind !== "content") throw new TypeError(resource.kind);
    let received = 0;
    for await (const { length } of resource) {
      if (received === 0) {
        await dialled.waitUntilClientStopsReading(listingServer.port);
        const ahead = dialled.countBytesReadByClient(listingServer.port) - length;
        expect(ahead).toBeGreaterThanOrEqual(0);
        expect(ahead).toBeLessThanOrEqual(MAX_UNREAD_BYTES);
      }
      received += length;
    }
    expect(received).toBe(LISTING_ENTRY_COUNT * Buffer.byteLength(formatListLine(0)));
  });
});

describe("the client sends a file only as fast as the server reads it", () => {
  it("an upload fails after idleTimeoutMs when the server stops reading the file", async () => {
    const stalled: Socket[] = [];
    // A paused socket stands for a server that does not read.
    const data = createServer({ pauseOnConnect: true }, (socket) => void stalled.push(socket));
    data.listen(0, "127.0.0.1");
    await once(data, "listening");
    await using server = await startScriptedFtpServer({
      replies: {
        EPSV: `229 extended passive (|||${(data.address() as AddressInfo).port}|)\r\n`,
        STOR: "150 send\r\n",
      },
    });
    await using client = createClient({
      schemes: [ftp()],
      policy: anyAddress(),
      limits: { idleTimeoutMs: 50 },
    });
    const url = `ftp://127.0.0.1:${server.port}/a.bin` as const;
    const error = await client.put(url, new Uint8Array(64 * 1024 * 1024)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "timeout",
      limit: "idleTimeoutMs",
      message: expect.stringContaining("the server stopped reading the body") as string,
    });
    for (const socket of stalled) socket.destroy();
    data.close();
  });
});
