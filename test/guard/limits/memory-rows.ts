import { gzipSync } from "node:zlib";
import type { Limits, Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { nntp, prospero, telnet, wais } from "@anyscheme/scheme-others";
import type { LimitServer } from "./limit-rows.ts";
import {
  answering,
  chunkOf,
  type Flood,
  greeting,
  linksByProspero,
  listingByFtp,
  MIB,
} from "./flooding-servers.ts";
import { listen, type Read, readAll, streamAll } from "./read-resource.ts";

/** What a limit that counts bytes is set to; those of other things come to as much. */
export const BYTES = 4 * MIB;

/** A limit, and a server that sends a thousand times what it allows. */
export interface MemoryRow {
  readonly limit: keyof Limits;
  /** The value of the limit. Default: that many bytes. */
  readonly value?: number;
  readonly scheme: () => Scheme;
  readonly serve: (flood: Flood) => Promise<LimitServer>;
  /** What is poured out. Default: a text without an end. */
  readonly bytes?: Buffer;
  readonly path: string;
  readonly read?: Read;
  /** Limits that would come first. */
  readonly others?: Partial<Limits>;
}

const OK = "HTTP/1.1 200 OK\r\n";
const MENU_LINE = `0${"a".repeat(40)}\t/a\th.example\t70\r\n`;
const MEMBER = gzipSync(Buffer.alloc(8 * MIB));
/** About 1 MiB that stands for 1 GiB. */
const BOMB = Buffer.concat(Array.from({ length: 128 }, () => MEMBER));
/** The head of a gzip member that has a name. RFC 1952 §2.3. */
const NAMED_MEMBER = "\x1f\x8b\x08\x08\0\0\0\0\0\x03";
/** A gzip member of one byte, with a name of 60 000. */
const WORDY_MEMBER = `${NAMED_MEMBER}${"n".repeat(60_000)}\0${gzipSync("x").toString("latin1", 10)}`;
const DATAGRAM = 8_192;

/** A packet of ARDP whose sender does not know yet how many there will be. */
function packet(number: number, id: Buffer, data: Buffer): Buffer {
  return Buffer.concat([Buffer.of(7, ...id, number >> 8, number & 0xff, 0, 0), data]);
}

const LINK = "LINK  L FILE a INTERNET-D h ASCII a 0\n";
const LINKS = Buffer.from(LINK.repeat(DATAGRAM / LINK.length));

const line = (length: number): Buffer => chunkOf(`${"x".repeat(length - 2)}\r\n`);

export const MEMORY_ROWS: readonly MemoryRow[] = [
  { limit: "maxBodyBytes", scheme: http, serve: answering(`${OK}\r\n`), path: "", read: readAll },
  { limit: "maxStreamBytes", scheme: http, serve: answering(`${OK}\r\n`), path: "", read: streamAll },
  { limit: "maxHeaderBytes", scheme: http, serve: answering(`${OK}x: `), path: "" },
  {
    limit: "maxInterimResponses",
    scheme: http,
    serve: answering(""),
    bytes: chunkOf("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
    value: BYTES / 42,
    path: "",
    others: { maxBytesWithoutContent: Infinity },
  },
  {
    limit: "maxDecodedRatio",
    value: 200,
    scheme: http,
    serve: answering(`${OK}content-encoding: gzip\r\n\r\n`),
    bytes: BOMB,
    path: "",
    read: streamAll,
  },
  {
    limit: "maxEncodedRatio",
    value: 4,
    scheme: http,
    serve: answering(`${OK}content-encoding: gzip\r\n\r\n`),
    bytes: chunkOf(WORDY_MEMBER),
    path: "",
    read: readAll,
    others: { maxBodyBytes: BYTES / 4 },
  },
  {
    limit: "maxBytesWithoutContent",
    scheme: http,
    serve: answering(`${OK}content-encoding: gzip\r\n\r\n${NAMED_MEMBER}`),
    path: "",
    read: readAll,
  },
  { limit: "maxReplyLineBytes", scheme: ftp, serve: greeting("220 "), path: "a" },
  { limit: "maxReplyBytes", scheme: ftp, serve: greeting("220-\r\n"), bytes: line(1_024), path: "a" },
  { limit: "maxListingLineBytes", scheme: ftp, serve: listingByFtp, path: "", read: readAll },
  {
    limit: "maxListingBytes",
    scheme: ftp,
    serve: listingByFtp,
    bytes: line(64),
    path: "",
    read: readAll,
  },
  {
    limit: "maxListingEntries",
    value: BYTES / MENU_LINE.length,
    scheme: gopher,
    serve: answering(""),
    bytes: chunkOf(MENU_LINE),
    path: "1",
    read: readAll,
  },
  { limit: "maxGopherLineBytes", scheme: gopher, serve: answering("0"), path: "1", read: readAll },
  { limit: "maxNntpLineBytes", scheme: nntp, serve: greeting("200 "), path: "a.b/1" },
  {
    limit: "maxWaisApduBytes",
    scheme: wais,
    serve: answering(`${String(1_000 * BYTES).padStart(10, "0")}z2wais        0`),
    path: "d?w",
  },
  {
    limit: "maxProsperoPackets",
    value: BYTES / DATAGRAM,
    scheme: prospero,
    // The first one never comes.
    serve: linksByProspero((index, id) => packet(index + 2, id, Buffer.alloc(DATAGRAM, "x"))),
    path: "x",
    others: { maxListingBytes: Infinity },
  },
  {
    limit: "maxProsperoLinks",
    value: MIB / LINK.length,
    scheme: prospero,
    serve: linksByProspero((index, id) => packet(index + 1, id, LINKS)),
    path: "x",
    read: readAll,
    others: { maxListingBytes: Infinity },
  },
  {
    limit: "maxOptionChanges",
    value: 64,
    scheme: telnet,
    serve: greeting(""),
    bytes: chunkOf("\xff\xfb\x25"),
    path: "",
    read: listen,
  },
  {
    limit: "maxSubnegotiationBytes",
    scheme: telnet,
    serve: greeting("\xff\xfa\x18"),
    path: "",
    read: listen,
  },
];

/** Limits of which no server can send too many bytes, each with the reason. */
export const WITHOUT_MEMORY: Readonly<Record<string, string>> = {
  maxUrlLength: "the text is there already when it is judged",
  maxConnectionsPerHost: "connections that we open",
  maxAddresses: "the resolver gives the answer as a whole",
  maxHeaderLines: "counted when a header is there as a whole, whose bytes are limited",
  maxRedirects: "nothing is held of a hop but its URL",
  maxContentCodings: "a name each, within the header",
  maxCommandBytes: "what we send",
  maxDirectoryDepth: "what we send",
  maxSteps: "what we send",
  maxProsperoForwards: "nothing is held of a forward but its URL",
  maxQueuedDatagrams: "packages/core/test/network/udp.test.ts counts what is kept",
};
