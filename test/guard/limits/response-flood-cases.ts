import { gzipSync } from "node:zlib";
import type { ClientLimits, Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { nntp, prospero, telnet, wais } from "@anyscheme/scheme-others";
import type { StoppableServer } from "./limit-test-case.ts";
import {
  createFloodOnRequestStarter,
  repeatToOneMib,
  type FloodingServerOptions,
  createFloodOnConnectStarter,
  createProsperoFloodStarter,
  startFtpListingFlood,
  startNntpOverviewFlood,
  BYTES_PER_MIB,
} from "./flooding-servers.ts";
import {
  connectToServiceAndDrainOutput,
  type UrlDereferencer,
  dereferenceAndDrain,
  dereferenceAndDrainInChunks,
  dereferenceNewsgroupNewestFirstAndDrain,
} from "./dereference-and-drain.ts";

/**
 * The value of every client limit that counts bytes. Limits that do not count bytes are set so that they allow about as
 * many bytes or fewer.
 */
export const TESTED_BYTE_LIMIT = 4 * BYTES_PER_MIB;

/** A test case: a limit, and a server that sends a thousand times as much as the limit allows. */
export interface ResponseFloodTestCase {
  readonly limitName: keyof ClientLimits;
  /** The kind of the response, when a limit has several test cases. */
  readonly responseKind?: string;
  /** The value of the tested limit. Default: `TESTED_BYTE_LIMIT`. */
  readonly limitValue?: number;
  readonly createScheme: () => Scheme;
  readonly startServer: (flood: FloodingServerOptions) => Promise<StoppableServer>;
  /** The bytes that the flooding server sends repeatedly. Default: the letter x. */
  readonly repeatedBytes?: Buffer;
  readonly urlPath: string;
  readonly dereferenceAndRead?: UrlDereferencer;
  /** Values of other client limits, which would apply before the tested limit by default. */
  readonly otherLimits?: Partial<ClientLimits>;
}

const HTTP_OK_STATUS_LINE = "HTTP/1.1 200 OK\r\n";
const GOPHER_MENU_LINE = `0${"a".repeat(40)}\t/a\th.example\t70\r\n`;
const GZIP_MEMBER = gzipSync(Buffer.alloc(8 * BYTES_PER_MIB));
/** About 1 MiB of gzip data that decodes to 1 GiB. */
const GZIP_BOMB = Buffer.concat(Array.from({ length: 128 }, () => GZIP_MEMBER));
/** The header of a gzip member that has a file name. RFC 1952 §2.3. */
const NAMED_GZIP_MEMBER_HEADER = "\x1f\x8b\x08\x08\0\0\0\0\0\x03";
/** A gzip member that decodes to one byte, with a file name of 60,000 bytes. */
const LONG_NAME_GZIP_MEMBER = `${NAMED_GZIP_MEMBER_HEADER}${"n".repeat(60_000)}\0${gzipSync("x").toString("latin1", 10)}`;
const DATAGRAM_BYTES = 8_192;

/** Returns an ARDP packet, which does not announce the number of packets of its message. */
function createArdpPacket(number: number, id: Buffer, data: Buffer): Buffer {
  return Buffer.concat([Buffer.of(7, ...id, number >> 8, number & 0xff, 0, 0), data]);
}

const PROSPERO_LINK_LINE = "LINK  L FILE a INTERNET-D h ASCII a 0\n";
const PROSPERO_LINK_LINES = Buffer.from(
  PROSPERO_LINK_LINE.repeat(DATAGRAM_BYTES / PROSPERO_LINK_LINE.length),
);

const createLineFlood = (length: number): Buffer => repeatToOneMib(`${"x".repeat(length - 2)}\r\n`);

export const RESPONSE_FLOOD_TEST_CASES: readonly ResponseFloodTestCase[] = [
  {
    limitName: "maxBodyBytes",
    createScheme: http,
    startServer: createFloodOnRequestStarter(`${HTTP_OK_STATUS_LINE}\r\n`),
    urlPath: "",
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxBodyBytes",
    createScheme: http,
    startServer: createFloodOnRequestStarter(`${HTTP_OK_STATUS_LINE}transfer-encoding: chunked\r\n\r\n`),
    responseKind: "in chunks of one byte",
    repeatedBytes: repeatToOneMib("1\r\nx\r\n"),
    urlPath: "",
    dereferenceAndRead: dereferenceAndDrain,
    otherLimits: { maxEncodedRatio: Infinity },
  },
  {
    limitName: "maxStreamBytes",
    createScheme: http,
    startServer: createFloodOnRequestStarter(`${HTTP_OK_STATUS_LINE}\r\n`),
    urlPath: "",
    dereferenceAndRead: dereferenceAndDrainInChunks,
  },
  {
    limitName: "maxHeaderBytes",
    createScheme: http,
    startServer: createFloodOnRequestStarter(`${HTTP_OK_STATUS_LINE}x: `),
    urlPath: "",
  },
  {
    limitName: "maxInterimResponses",
    createScheme: http,
    startServer: createFloodOnRequestStarter(""),
    repeatedBytes: repeatToOneMib("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
    limitValue: TESTED_BYTE_LIMIT / 42,
    urlPath: "",
    otherLimits: { maxBytesWithoutContent: Infinity },
  },
  {
    limitName: "maxDecodedRatio",
    limitValue: 200,
    createScheme: http,
    startServer: createFloodOnRequestStarter(`${HTTP_OK_STATUS_LINE}content-encoding: gzip\r\n\r\n`),
    repeatedBytes: GZIP_BOMB,
    urlPath: "",
    dereferenceAndRead: dereferenceAndDrainInChunks,
  },
  {
    limitName: "maxEncodedRatio",
    limitValue: 4,
    createScheme: http,
    startServer: createFloodOnRequestStarter(`${HTTP_OK_STATUS_LINE}content-encoding: gzip\r\n\r\n`),
    repeatedBytes: repeatToOneMib(LONG_NAME_GZIP_MEMBER),
    urlPath: "",
    dereferenceAndRead: dereferenceAndDrain,
    otherLimits: { maxBodyBytes: TESTED_BYTE_LIMIT / 4 },
  },
  {
    limitName: "maxBytesWithoutContent",
    createScheme: http,
    startServer: createFloodOnRequestStarter(
      `${HTTP_OK_STATUS_LINE}content-encoding: gzip\r\n\r\n${NAMED_GZIP_MEMBER_HEADER}`,
    ),
    urlPath: "",
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxReplyLineBytes",
    createScheme: ftp,
    startServer: createFloodOnConnectStarter("220 "),
    urlPath: "a",
  },
  {
    limitName: "maxReplyBytes",
    createScheme: ftp,
    startServer: createFloodOnConnectStarter("220-\r\n"),
    repeatedBytes: createLineFlood(1_024),
    urlPath: "a",
  },
  {
    limitName: "maxListingLineBytes",
    createScheme: ftp,
    startServer: startFtpListingFlood,
    urlPath: "",
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxListingBytes",
    createScheme: ftp,
    startServer: startFtpListingFlood,
    repeatedBytes: createLineFlood(64),
    urlPath: "",
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxListingBytes",
    responseKind: "in ranges of articles, the newest first",
    createScheme: nntp,
    startServer: startNntpOverviewFlood,
    repeatedBytes: createLineFlood(1_024),
    urlPath: "a.b",
    dereferenceAndRead: dereferenceNewsgroupNewestFirstAndDrain,
  },
  {
    limitName: "maxListingEntries",
    limitValue: TESTED_BYTE_LIMIT / GOPHER_MENU_LINE.length,
    createScheme: gopher,
    startServer: createFloodOnRequestStarter(""),
    repeatedBytes: repeatToOneMib(GOPHER_MENU_LINE),
    urlPath: "1",
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxGopherLineBytes",
    createScheme: gopher,
    startServer: createFloodOnRequestStarter("0"),
    urlPath: "1",
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxNntpLineBytes",
    createScheme: nntp,
    startServer: createFloodOnConnectStarter("200 "),
    urlPath: "a.b/1",
  },
  {
    limitName: "maxWaisApduBytes",
    createScheme: wais,
    startServer: createFloodOnRequestStarter(
      `${String(1_000 * TESTED_BYTE_LIMIT).padStart(10, "0")}z2wais        0`,
    ),
    urlPath: "d?w",
  },
  {
    limitName: "maxProsperoPackets",
    limitValue: TESTED_BYTE_LIMIT / DATAGRAM_BYTES,
    createScheme: prospero,
    // The Prospero test server never sends the first ARDP packet of the message.
    startServer: createProsperoFloodStarter((index, id) =>
      createArdpPacket(index + 2, id, Buffer.alloc(DATAGRAM_BYTES, "x")),
    ),
    urlPath: "x",
    otherLimits: { maxListingBytes: Infinity },
  },
  {
    limitName: "maxProsperoLinks",
    limitValue: BYTES_PER_MIB / PROSPERO_LINK_LINE.length,
    createScheme: prospero,
    startServer: createProsperoFloodStarter((index, id) =>
      createArdpPacket(index + 1, id, PROSPERO_LINK_LINES),
    ),
    urlPath: "x",
    dereferenceAndRead: dereferenceAndDrain,
    otherLimits: { maxListingBytes: Infinity },
  },
  {
    limitName: "maxOptionChanges",
    limitValue: 64,
    createScheme: telnet,
    startServer: createFloodOnConnectStarter(""),
    repeatedBytes: repeatToOneMib("\xff\xfb\x25"),
    urlPath: "",
    dereferenceAndRead: connectToServiceAndDrainOutput,
  },
  {
    limitName: "maxSubnegotiationBytes",
    createScheme: telnet,
    startServer: createFloodOnConnectStarter("\xff\xfa\x18"),
    urlPath: "",
    dereferenceAndRead: connectToServiceAndDrainOutput,
  },
];

/** The client limits that have no memory test, each with the reason. */
export const LIMITS_WITHOUT_MEMORY_TEST: Readonly<Record<string, string>> = {
  maxUrlLength: "the caller's text is in memory before the limit applies",
  maxConnectionsPerHost: "the client, and not the server, determines the number of connections",
  maxAddresses: "the resolver returns all addresses at once",
  maxHeaderLines: "maxHeaderBytes limits the header before its lines are counted",
  maxRedirects: "the client stores only the URL of each redirect",
  maxContentCodings: "the codings are names in the header, which maxHeaderBytes limits",
  maxCommandBytes: "the limit applies to data that the client sends",
  maxDirectoryDepth: "the limit applies to data that the client sends",
  maxSteps: "the limit applies to data that the client sends",
  maxProsperoForwards: "the client stores only the URL of each forward",
  maxFormQuestions: "maxListingBytes limits a form before its questions are counted",
  maxQueuedDatagrams: "packages/core/test/network/udp.test.ts counts the queued datagrams",
};
