import { AccessError, type Plan, type Step } from "@anyscheme/core";
import {
  connectSteps,
  expectStep,
  rejectControlBytes,
  makePlan,
  sendStep,
  step,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { encodeInit } from "./apdu/init.ts";
import { encodeMessage } from "./apdu/message.ts";
import { type Chunk, encodeWordSearch, type Retrieval, createRetrievalEncoder } from "./apdu/search.ts";
import { wordsOf } from "./charset.ts";
import { decodeWpath } from "./document/wpath.ts";
import type { WaisOptions } from "./options.ts";
import type { WaisUrl } from "./syntax.ts";

/** What a plan fetches a document by. */
export interface DocumentRequest extends Retrieval {
  /** In bytes, where the URL gives it. */
  readonly length: number | undefined;
  readonly chunkBytes: number;
}

/** A document from its beginning in smaller chunks, for a server that cannot give larger ones. */
export function withSmallerChunks(document: DocumentRequest, maxRecordBytes: number): DocumentRequest {
  const fitting = maxRecordBytes - document.documentId.length - RESPONSE_OVERHEAD_BYTES;
  return { ...document, chunkBytes: Math.max(1, Math.min(document.chunkBytes, fitting)) };
}

/** A plan for a WAIS server, and its requests by the part they play. */
export interface WaisPlan extends Plan<WaisUrl> {
  readonly init: Step | undefined;
  readonly request: Step;
  /** Sent as often as needed: the next chunk, or the description of a database. */
  readonly fetchMore: Step | undefined;
  /** Requests a document in smaller chunks; absent where the caller has chosen their size. */
  readonly fetchSmaller: Step | undefined;
  /** Searches for a word where a search for nothing finds nothing: only then do servers report a missing database. */
  readonly probe: Step | undefined;
  /** What a retrieval asks for; `undefined` for a search. */
  readonly document: DocumentRequest | undefined;
}

/** How many documents a search may find by default, as browsers request. */
export const DEFAULT_MAX_DOCUMENTS = 200;

/** What all clients of old fetch at a time, and every server can give. */
export const FALLBACK_CHUNK_BYTES = 10_000;

/**
 * Fewer chunks are fewer exchanges. A server that writes in small blocks waits in each of them, by Nagle's algorithm, for a
 * delayed acknowledgement. The largest answer of freeWAIS holds such a chunk and a document-id of 16 KiB.
 */
const DEFAULT_CHUNK_BYTES = 80_000;

/** What an answer has besides the text and the document-id: heads, tags, lengths. */
export const RESPONSE_OVERHEAD_BYTES = 150;

/** The largest message that freeWAIS sends. */
export const FREEWAIS_MAX_RESPONSE_BYTES = 100_000;

/** RFC 1738 §3.9. Throws `refused-characters` for what must not be sent. */
export function planWais(url: WaisUrl, options: PlanOptions & WaisOptions = {}): WaisPlan {
  const database = decodeDatabase(url, options);
  const requests =
    url.kind === "document" ? planDocument(url, database, options) : planSearch(url, database, options);
  const init = options.init ? planInit(requests.document, options) : undefined;
  const { request, fetchMore, fetchSmaller, probe, document, result } = requests;
  const steps = [
    ...connectSteps(url),
    ...(init ? [init, expectStep(["21"], "RFC 1625", "an init response that accepts")] : []),
    request,
    expectStep(["23"], "3.9", "a search response"),
    ...(fetchSmaller ? [fetchSmaller] : []),
    ...(probe ? [probe] : []),
    ...(fetchMore ? [fetchMore] : []),
    step("transfer", "3.9", result),
    step("close", "3.9", "by us"),
  ];
  return makePlan(url, steps, { init, request, fetchMore, fetchSmaller, probe, document });
}

/** Makes the bytes that ask for a chunk. */
export function chunkRequestEncoder(document: DocumentRequest): (chunk: Chunk) => Uint8Array {
  const encode = createRetrievalEncoder(document);
  return (chunk) => encodeMessage(encode(chunk));
}

/**
 * The chunk that begins at a byte of the document. The last one reaches one byte further than the length that the URL gives, so
 * that a document that is longer does not look complete.
 */
export function chunkAt({ length = Infinity, chunkBytes }: DocumentRequest, start: number): Chunk {
  return { start, end: Math.min(start + chunkBytes, length + 1) };
}

interface Requests extends Pick<WaisPlan, "request" | "fetchMore" | "fetchSmaller" | "probe" | "document"> {
  /** What is transferred. */
  readonly result: string;
}

function planSearch(url: WaisUrl, database: Uint8Array, options: PlanOptions & WaisOptions): Requests {
  const maxDocuments = checkWholeNumber(options.maxDocuments ?? DEFAULT_MAX_DOCUMENTS, "maxDocuments");
  const written = options.plus === "blank" ? url.search?.replaceAll("+", "%20") : url.search;
  const words = rejectControlBytes(percentDecode(written ?? ""), "search", options);
  const bytes = encodeMessage(encodeWordSearch({ database, words, maxDocuments }));
  const place = describeDatabase(database);
  const probe = words.length === 0 ? planProbe(database, place) : undefined;
  if (url.kind === "index") {
    const request = sendStep(
      bytes,
      "3.9",
      `search for ${words.length === 0 ? "nothing" : quote(words)} in ${place}, at most ${maxDocuments} documents`,
    );
    const result = "the documents found";
    return { request, fetchMore: undefined, fetchSmaller: undefined, probe, document: undefined, result };
  }
  return {
    request: sendStep(bytes, "3.9", `search for nothing in ${place}, which gives its description`),
    fetchMore: sendStep(undefined, "3.9", "fetch the description", {
      onReply: "a document of type WSRC is found",
    }),
    fetchSmaller: undefined,
    probe,
    document: undefined,
    result: "the description of the database",
  };
}

/** A word that every query language takes for a word; it need not be in the database. */
const PROBE_WORD = "wais";

function planProbe(database: Uint8Array, place: string): Step {
  const search = { database, words: Buffer.from(PROBE_WORD), maxDocuments: 1 };
  const text = `search for ${quote(search.words)} in ${place}, which shows whether there is such a database`;
  return sendStep(encodeMessage(encodeWordSearch(search)), "3.9", text, { onReply: "nothing is found" });
}

function planDocument(url: WaisUrl, database: Uint8Array, options: PlanOptions & WaisOptions): Requests {
  const chunkBytes = checkWholeNumber(options.chunkBytes ?? DEFAULT_CHUNK_BYTES, "chunkBytes");
  const type = decodeType(url, options);
  const { id, length } = decodeWpath(url.wpath ?? "");
  const document: DocumentRequest = { database, documentId: id, type, length, chunkBytes };
  const first = chunkAt(document, 0);
  const what = `a document of type ${wordsOf(type)} in ${describeDatabase(database)}`;
  const more = { onReply: `${first.end} bytes came` };
  const fetchSmaller =
    options.chunkBytes === undefined && first.end > FALLBACK_CHUNK_BYTES
      ? sendStep(undefined, "3.9", "fetch the document in smaller chunks", {
          onReply: "the server cannot give so large a chunk",
        })
      : undefined;
  return {
    request: sendStep(
      chunkRequestEncoder(document)(first),
      "3.9",
      `fetch bytes 0 to ${first.end} of ${what}`,
    ),
    fetchSmaller,
    probe: undefined,
    fetchMore:
      length !== undefined && first.end > length && !fetchSmaller
        ? undefined
        : sendStep(
            undefined,
            "3.9",
            `fetch the next ${chunkBytes} bytes, and so on to ${length ?? "the end"}`,
            more,
          ),
    document,
    result: length === undefined ? "the document, up to a shorter chunk" : `the document of ${length} bytes`,
  };
}

function planInit(document: DocumentRequest | undefined, options: PlanOptions & WaisOptions): Step {
  const { identification } = options;
  if (identification !== undefined)
    rejectControlBytes(Buffer.from(identification, "latin1"), "identification", options);
  const maxRecordBytes = Math.max(FREEWAIS_MAX_RESPONSE_BYTES, document ? maxResponseBytes(document) : 0);
  const bytes = encodeMessage(encodeInit({ maxRecordBytes, identification }));
  return sendStep(bytes, "RFC 1625", `init, messages of up to ${maxRecordBytes} bytes`);
}

/** The size of the largest answer with one chunk. */
export function maxResponseBytes(document: DocumentRequest): number {
  return chunkAt(document, 0).end + document.documentId.length + RESPONSE_OVERHEAD_BYTES;
}

function decodeDatabase(url: WaisUrl, options: PlanOptions): Uint8Array {
  const database = rejectControlBytes(percentDecode(url.database), "database", options);
  if (database.includes(0x40)) {
    const advice = "ask the server that is named behind it";
    const what = 'the database holds "@", by which servers ask another server in their turn';
    throw new AccessError("refused-characters", what, { advice });
  }
  return database;
}

/** One type. Browsers write several of them, separated by commas, of which a server takes one. */
function decodeType(url: WaisUrl, options: PlanOptions): Uint8Array {
  const types = rejectControlBytes(percentDecode(url.wtype ?? ""), "wtype", options);
  const comma = types.indexOf(0x2c);
  const type = comma < 0 ? types : types.subarray(0, comma);
  if (type.length === 0)
    throw new AccessError("unsupported", "the URL names no type, without which servers hang up");
  return type;
}

function checkWholeNumber(value: number, name: string): number {
  if (!Number.isSafeInteger(value) || value < 1 || value > 0xffffffff)
    throw new TypeError(`the option ${name} has to be a whole number from 1 to 4294967295`);
  return value;
}

function describeDatabase(database: Uint8Array): string {
  return database.length === 0 ? "the database that the server chooses" : quote(database);
}

function quote(bytes: Uint8Array): string {
  return `"${wordsOf(bytes)}"`;
}
