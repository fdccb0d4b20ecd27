import { gzipSync } from "node:zlib";
import type { ClientLimits, Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { nntp, prospero, telnet, wais } from "@anyscheme/scheme-others";
import type { LimitServer } from "./limit-rows.ts";
import {
  floodOnRequest,
  repeatToChunk,
  type Flood,
  floodOnConnect,
  floodProsperoLinks,
  floodFtpListing,
  MIB,
} from "./flooding-servers.ts";
import { readService, type ReadResource, readWhole, readInChunks } from "./read-resource.ts";

/** The value of byte limits. Other limits are set to allow about as many bytes. */
export const BYTES = 4 * MIB;

/** A limit, and a server that sends a thousand times as much. */
export interface MemoryRow {
  readonly limit: keyof ClientLimits;
  /** The value of the limit. Default: `BYTES`. */
  readonly value?: number;
  readonly scheme: () => Scheme;
  readonly serve: (flood: Flood) => Promise<LimitServer>;
  /** The bytes that the server repeats. Default: an endless text. */
  readonly bytes?: Buffer;
  readonly path: string;
  readonly read?: ReadResource;
  /** Limits that would be reached first. */
  readonly others?: Partial<ClientLimits>;
}

const OK = "HTTP/1.1 200 OK\r\n";
const MENU_LINE = `0${"a".repeat(40)}\t/a\th.example\t70\r\n`;
const MEMBER = gzipSync(Buffer.alloc(8 * MIB));
/** About 1 MiB that expands to 1 GiB. */
const BOMB = Buffer.concat(Array.from({ length: 128 }, () => MEMBER));
/** The header of a gzip member with a name. RFC 1952 §2.3. */
const NAMED_MEMBER = "\x1f\x8b\x08\x08\0\0\0\0\0\x03";
/** A gzip member of one byte, with a name of 60,000 bytes. */
const LONG_NAME_MEMBER = `${NAMED_MEMBER}${"n".repeat(60_000)}\0${gzipSync("x").toString("latin1", 10)}`;
const DATAGRAM = 8_192;

/** Returns an ARDP packet of a message with an unknown number of packets. */
function createArdpPacket(number: number, id: Buffer, data: Buffer): Buffer {
  return Buffer.concat([Buffer.of(7, ...id, number >> 8, number & 0xff, 0, 0), data]);
}

const LINK = "LINK  L FILE a INTERNET-D h ASCII a 0\n";
const LINKS = Buffer.from(LINK.repeat(DATAGRAM / LINK.length));

const line = (length: number): Buffer => repeatToChunk(`${"x".repeat(length - 2)}\r\n`);

export const MEMORY_ROWS: readonly MemoryRow[] = [
  { limit: "maxBodyBytes", scheme: http, serve: floodOnRequest(`${OK}\r\n`), path: "", read: readWhole },
  { limit: "maxStreamBytes", scheme: http, serve: floodOnRequest(`${OK}\r\n`), path: "", read: readInChunks },
  { limit: "maxHeaderBytes", scheme: http, serve: floodOnRequest(`${OK}x: `), path: "" },
  {
    limit: "maxInterimResponses",
    scheme: http,
    serve: floodOnRequest(""),
    bytes: repeatToChunk("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
    value: BYTES / 42,
    path: "",
    others: { maxBytesWithoutContent: Infinity },
  },
  {
    limit: "maxDecodedRatio",
    value: 200,
    scheme: http,
    serve: floodOnRequest(`${OK}content-encoding: gzip\r\n\r\n`),
    bytes: BOMB,
    path: "",
    read: readInChunks,
  },
  {
    limit: "maxEncodedRatio",
    value: 4,
    scheme: http,
    serve: floodOnRequest(`${OK}content-encoding: gzip\r\n\r\n`),
    bytes: repeatToChunk(LONG_NAME_MEMBER),
    path: "",
    read: readWhole,
    others: { maxBodyBytes: BYTES / 4 },
  },
  {
    limit: "maxBytesWithoutContent",
    scheme: http,
    serve: floodOnRequest(`${OK}content-encoding: gzip\r\n\r\n${NAMED_MEMBER}`),
    path: "",
    read: readWhole,
  },
  { limit: "maxReplyLineBytes", scheme: ftp, serve: floodOnConnect("220 "), path: "a" },
  { limit: "maxReplyBytes", scheme: ftp, serve: floodOnConnect("220-\r\n"), bytes: line(1_024), path: "a" },
  { limit: "maxListingLineBytes", scheme: ftp, serve: floodFtpListing, path: "", read: readWhole },
  {
    limit: "maxListingBytes",
    scheme: ftp,
    serve: floodFtpListing,
    bytes: line(64),
    path: "",
    read: readWhole,
  },
  {
    limit: "maxListingEntries",
    value: BYTES / MENU_LINE.length,
    scheme: gopher,
    serve: floodOnRequest(""),
    bytes: repeatToChunk(MENU_LINE),
    path: "1",
    read: readWhole,
  },
  { limit: "maxGopherLineBytes", scheme: gopher, serve: floodOnRequest("0"), path: "1", read: readWhole },
  { limit: "maxNntpLineBytes", scheme: nntp, serve: floodOnConnect("200 "), path: "a.b/1" },
  {
    limit: "maxWaisApduBytes",
    scheme: wais,
    serve: floodOnRequest(`${String(1_000 * BYTES).padStart(10, "0")}z2wais        0`),
    path: "d?w",
  },
  {
    limit: "maxProsperoPackets",
    value: BYTES / DATAGRAM,
    scheme: prospero,
    // The first packet is never sent.
    serve: floodProsperoLinks((index, id) => createArdpPacket(index + 2, id, Buffer.alloc(DATAGRAM, "x"))),
    path: "x",
    others: { maxListingBytes: Infinity },
  },
  {
    limit: "maxProsperoLinks",
    value: MIB / LINK.length,
    scheme: prospero,
    serve: floodProsperoLinks((index, id) => createArdpPacket(index + 1, id, LINKS)),
    path: "x",
    read: readWhole,
    others: { maxListingBytes: Infinity },
  },
  {
    limit: "maxOptionChanges",
    value: 64,
    scheme: telnet,
    serve: floodOnConnect(""),
    bytes: repeatToChunk("\xff\xfb\x25"),
    path: "",
    read: readService,
  },
  {
    limit: "maxSubnegotiationBytes",
    scheme: telnet,
    serve: floodOnConnect("\xff\xfa\x18"),
    path: "",
    read: readService,
  },
];

/** Limits that bound no received bytes, each with the reason. */
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
