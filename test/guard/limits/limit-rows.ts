import { gzipSync } from "node:zlib";
import type { ClientLimits, Scheme } from "@anyscheme/core";
import { type Peer, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { nntp, prospero, telnet, wais } from "@anyscheme/scheme-others";
import { startArdpServer } from "../servers/ardp-server.ts";
import { readService, type ReadResource, readWhole, readInChunks } from "./read-resource.ts";

/** A server for one request. */
export interface LimitServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** A limit on a number of bytes, lines, entries or redirects. */
export interface LimitRow {
  readonly limit: keyof ClientLimits;
  /** The value of the limit. */
  readonly n: number;
  readonly scheme: () => Scheme;
  /**
   * Starts a server that sends `count` units, in one chunk or in single bytes. Absent when the URL contains them.
   */
  readonly serve?: (count: number, inSingleBytes: boolean) => Promise<LimitServer>;
  readonly url: (port: number, count: number) => string;
  /** Reads the resource as far as the limit requires. Default: dereferences only. */
  readonly read?: ReadResource;
  /** Other limits that would be reached first. */
  readonly others?: Partial<ClientLimits>;
  readonly addresses?: (count: number) => readonly string[];
  /** The code of the error when the limit is not exceeded. Default: no error. */
  readonly failure?: string;
}

const CRLF = "\r\n";

/** Sends a text in one chunk or in single bytes. */
async function sendText(peer: Peer, text: string, inSingleBytes: boolean): Promise<void> {
  if (!inSingleBytes) return peer.send(text);
  for (const byte of text) {
    peer.send(byte);
    await new Promise(setImmediate);
  }
}

/** Responds to the first line. */
function respondOnce(answer: string, inSingleBytes: boolean): Promise<LimitServer> {
  return startScriptedServer(async (peer) => {
    await peer.line();
    await sendText(peer, answer, inSingleBytes);
  });
}

/** Sends a greeting. */
function greet(greetingText: string, inSingleBytes: boolean): Promise<LimitServer> {
  return startScriptedServer(async (peer) => {
    await sendText(peer, greetingText, inSingleBytes);
    while ((await peer.line()) !== undefined) peer.send(`500 no${CRLF}`);
  });
}

const response = (fields: string, body = ""): string => `HTTP/1.1 200 OK${CRLF}${fields}${CRLF}${body}`;
const closing = `connection: close${CRLF}`;
const httpServer =
  (answer: (count: number) => string) =>
  (count: number, inSingleBytes: boolean): Promise<LimitServer> =>
    startScriptedServer(async (peer) => {
      while (await peer.line());
      await sendText(peer, answer(count), inSingleBytes);
    });
const bodyOf = (count: number): string => response(closing, "x".repeat(count));

/** Returns a response whose header section has this many bytes. */
function createResponseHead(count: number): string {
  const empty = response(`x: ${closing}`).length - closing.length + CRLF.length;
  return response(`x: ${"y".repeat(count - empty)}${CRLF}`);
}

/** Returns a packet of a message of `total` packets. A total of 0 is not yet known. */
function createArdpPacket(id: Buffer, number: number, total: number, data = ""): Buffer {
  const header = Buffer.from([7, ...id, number >> 8, number & 0xff, total >> 8, total & 0xff]);
  return Buffer.concat([header, Buffer.from(data)]);
}

/** Returns a packet that redirects the client to another server. */
function createRedirectPacket(id: Buffer, port: number): Buffer {
  return Buffer.from([19, ...id, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4, 127, 0, 0, 1, port >> 8, port & 0xff]);
}

const LINK = "LINK  L FILE a INTERNET-D h ASCII a 0\n";
const REFUSED = "FAILURE NOT-AUTHORIZED\n";

/** Returns packets with 100 links each. */
function createLinkPackets(count: number, id: Buffer): Buffer[] {
  const total = Math.ceil(count / 100);
  return Array.from({ length: total }, (_, index) =>
    createArdpPacket(id, index + 1, total, LINK.repeat(Math.min(100, count - index * 100))),
  );
}

async function startRedirectingServer(count: number): Promise<LimitServer> {
  let left = count;
  const server: LimitServer = await startArdpServer((_, id) => [
    left-- > 0 ? createRedirectPacket(id, server.port) : createArdpPacket(id, 1, 1, REFUSED),
  ]);
  return server;
}

const at = (scheme: string, path = ""): ((port: number) => string) => {
  return (port) => `${scheme}://127.0.0.1:${port}/${path}`;
};
const GOPHER_LINE = `0a\t/a\th\t70${CRLF}`;
/** The number of steps, except waiting, in the plan of an FTP URL without directories. */
const FTP_STEPS = 18;
/** A name without an address, so that only a request that passes the limit fails with `unavailable`. */
const NOWHERE = { addresses: (): readonly string[] => [], failure: "unavailable" };

export const LIMIT_ROWS: readonly LimitRow[] = [
  {
    limit: "maxBodyBytes",
    n: 64,
    scheme: http,
    serve: httpServer(bodyOf),
    url: at("http"),
    read: readWhole,
  },
  {
    limit: "maxStreamBytes",
    n: 64,
    scheme: http,
    serve: httpServer(bodyOf),
    url: at("http"),
    read: readInChunks,
  },
  {
    limit: "maxRedirects",
    n: 3,
    scheme: http,
    serve: (count) =>
      startScriptedServer(async (peer) => {
        const [, number = "0"] = (await peer.line())?.split(/[ /]+/) ?? [];
        while (await peer.line());
        const location = `location: /${Number(number) + 1}${CRLF}content-length: 0${CRLF}${closing}`;
        peer.send(Number(number) < count ? `HTTP/1.1 302 Found${CRLF}${location}${CRLF}` : bodyOf(1));
      }),
    url: at("http", "0"),
  },
  {
    limit: "maxAddresses",
    n: 3,
    scheme: http,
    serve: httpServer(() => bodyOf(1)),
    url: (port) => `http://h.example:${port}/`,
    addresses: (count) => Array.from({ length: count }, () => "127.0.0.1"),
  },
  { limit: "maxHeaderBytes", n: 64, scheme: http, serve: httpServer(createResponseHead), url: at("http") },
  {
    limit: "maxHeaderLines",
    n: 5,
    scheme: http,
    serve: httpServer((count) => response(`a: b${CRLF}`.repeat(count))),
    url: at("http"),
  },
  {
    limit: "maxInterimResponses",
    n: 3,
    scheme: http,
    serve: httpServer((count) => `HTTP/1.1 103 Early${CRLF}${CRLF}`.repeat(count) + bodyOf(1)),
    url: at("http"),
  },
  {
    limit: "maxContentCodings",
    n: 2,
    scheme: http,
    serve: (count) =>
      startScriptedServer(async (peer) => {
        while (await peer.line());
        let body = Buffer.from("x");
        for (let layer = 0; layer < Math.min(count, 5); layer++) body = gzipSync(body);
        peer.send(response(`content-encoding: ${Array(count).fill("gzip").join(", ")}${CRLF}`));
        peer.send(body);
      }),
    url: at("http"),
    read: readWhole,
  },
  {
    limit: "maxBytesWithoutContent",
    n: 64,
    scheme: http,
    serve: httpServer((count) => {
      const extension = `1;x=${CRLF}`;
      const line = extension.replace("=", `=${"y".repeat(count - extension.length)}`);
      return response(`transfer-encoding: chunked${CRLF}`, `${line}z${CRLF}0${CRLF}${CRLF}`);
    }),
    url: at("http"),
    read: readWhole,
  },
  {
    limit: "maxReplyLineBytes",
    n: 64,
    scheme: ftp,
    serve: (count, inSingleBytes) => greet(`220 ${"x".repeat(count - 4)}${CRLF}`, inSingleBytes),
    url: at("ftp", "a"),
    failure: "unsupported",
  },
  {
    limit: "maxReplyBytes",
    n: 64,
    scheme: ftp,
    serve: (count, inSingleBytes) =>
      greet(`220-a${CRLF}220-b${CRLF}220 ${"x".repeat(count - 20)}${CRLF}`, inSingleBytes),
    url: at("ftp", "a"),
    others: { maxReplyLineBytes: Infinity },
    failure: "unsupported",
  },
  {
    limit: "maxCommandBytes",
    n: 64,
    scheme: ftp,
    url: (_, count) => `ftp://h.example/${"x".repeat(count - "RETR \r\n".length)}`,
    others: { maxUrlLength: Infinity },
    ...NOWHERE,
  },
  {
    limit: "maxDirectoryDepth",
    n: 5,
    scheme: ftp,
    url: (_, count) => `ftp://h.example/${"d/".repeat(count)}a`,
    others: { maxSteps: Infinity },
    ...NOWHERE,
  },
  {
    limit: "maxSteps",
    n: 30,
    scheme: ftp,
    url: (_, count) => `ftp://h.example/${"d/".repeat(count - FTP_STEPS)}a`,
    others: { maxDirectoryDepth: Infinity },
    ...NOWHERE,
  },
  {
    limit: "maxListingBytes",
    n: 10 * GOPHER_LINE.length,
    scheme: gopher,
    serve: (count, inSingleBytes) => respondOnce(GOPHER_LINE.repeat(count).slice(0, count), inSingleBytes),
    url: at("gopher", "1"),
    read: readWhole,
  },
  {
    limit: "maxListingEntries",
    n: 3,
    scheme: gopher,
    serve: (count, inSingleBytes) => respondOnce(GOPHER_LINE.repeat(count), inSingleBytes),
    url: at("gopher", "1"),
    read: readWhole,
  },
  {
    limit: "maxGopherLineBytes",
    n: 64,
    scheme: gopher,
    serve: (count, inSingleBytes) =>
      respondOnce(`0${"x".repeat(count - GOPHER_LINE.length + 3)}${GOPHER_LINE.slice(2)}`, inSingleBytes),
    url: at("gopher", "1"),
    read: readWhole,
  },
  {
    limit: "maxWaisApduBytes",
    n: 64,
    scheme: wais,
    serve: (count, inSingleBytes) =>
      startScriptedServer(async (peer) => {
        await peer.read(25);
        await sendText(
          peer,
          `${String(count).padStart(10, "0")}z2wais        0${"x".repeat(count)}`,
          inSingleBytes,
        );
      }),
    url: at("wais", "d?w"),
    failure: "protocol",
  },
  {
    limit: "maxNntpLineBytes",
    n: 64,
    scheme: nntp,
    serve: (count, inSingleBytes) => greet(`200 ${"x".repeat(count - 4)}${CRLF}`, inSingleBytes),
    url: at("nntp", "a.b/1"),
    failure: "unsupported",
  },
  {
    limit: "maxListingLineBytes",
    n: 64,
    scheme: prospero,
    serve: (count) =>
      startArdpServer((command, id) => {
        if (command.includes("GET-OBJECT-INFO")) return [createArdpPacket(id, 1, 1, "FAILURE NOT-FOUND\n")];
        // Sends the line in several packets.
        const name = "a".repeat(count - LINK.length + 2);
        const line = LINK.replace(" a ", () => ` ${name} `);
        const total = Math.ceil(line.length / 1000);
        return Array.from({ length: total }, (_, index) =>
          createArdpPacket(id, index + 1, total, line.slice(index * 1000, (index + 1) * 1000)),
        );
      }),
    url: at("prospero", "x"),
    read: readWhole,
  },
  {
    limit: "maxProsperoPackets",
    n: 3,
    scheme: prospero,
    serve: (count) =>
      startArdpServer((_, id) => [
        ...Array.from({ length: count }, (_none, index) => createArdpPacket(id, index + 2, 0)),
        createArdpPacket(id, 1, count + 1, REFUSED),
      ]),
    url: at("prospero", "x"),
    failure: "permission-denied",
  },
  {
    limit: "maxProsperoLinks",
    n: 3,
    scheme: prospero,
    serve: (count) =>
      startArdpServer((command, id) =>
        command.includes("GET-OBJECT-INFO")
          ? [createArdpPacket(id, 1, 1, "FAILURE NOT-FOUND\n")]
          : createLinkPackets(count, id),
      ),
    url: at("prospero", "x"),
    read: readWhole,
  },
  {
    limit: "maxProsperoForwards",
    n: 3,
    scheme: prospero,
    serve: startRedirectingServer,
    url: at("prospero", "x"),
    failure: "permission-denied",
  },
  {
    limit: "maxOptionChanges",
    n: 3,
    scheme: telnet,
    serve: (count, inSingleBytes) =>
      startScriptedServer((peer) => sendText(peer, "\xff\xfb\x25".repeat(count), inSingleBytes)),
    url: at("telnet"),
    read: readService,
  },
  {
    limit: "maxSubnegotiationBytes",
    n: 64,
    scheme: telnet,
    serve: (count, inSingleBytes) =>
      startScriptedServer((peer) =>
        sendText(peer, `\xff\xfa\x18${"x".repeat(count)}\xff\xf0`, inSingleBytes),
      ),
    url: at("telnet"),
    read: readService,
  },
];
