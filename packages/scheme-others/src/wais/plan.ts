import { AccessError, type Plan, type Step } from "@anyscheme/core";
import {
  createResolveAndConnectSteps,
  createExpectReplyStep,
  rejectControlBytes,
  createPlan,
  createSendStep,
  createStep,
  type PlanOptions,
  toSingleLine,
  decodeUtf8OrLatin1,
} from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { encodeWaisInitRequest } from "./apdu/init-apdus.ts";
import { encodeWaisMessage } from "./apdu/wais-message.ts";
import {
  type WaisDocumentChunkRange,
  encodeRetrievalRequest,
  encodeWaisWordSearchRequest,
  type WaisRetrievalRequest,
} from "./apdu/search-request.ts";
import { decodeWpath } from "./document/wpath.ts";
import type { WaisOptions } from "./scheme-options.ts";
import type { WaisUrl } from "./syntax.ts";

/** The WAIS document that a plan fetches. */
export interface WaisDocumentRequest extends WaisRetrievalRequest {
  /** The length of the WAIS document in bytes, if the URL contains the length. */
  readonly length: number | undefined;
  readonly chunkBytes: number;
}

/** Returns a WAIS request with smaller chunks, for a server that cannot send larger chunks. */
export function createWaisRequestWithSmallerChunks(
  document: WaisDocumentRequest,
  maxRecordBytes: number,
): WaisDocumentRequest {
  const fitting = maxRecordBytes - document.documentId.length - WAIS_RESPONSE_OVERHEAD_BYTES;
  return { ...document, chunkBytes: Math.max(1, Math.min(document.chunkBytes, fitting)) };
}

/** The plan of a WAIS request. Each step that sends a request is a field of the plan. */
export interface WaisPlan extends Plan<WaisUrl> {
  readonly initRequest?: Step | undefined;
  readonly request: Step;
  /**
   * The step that fetches the next chunk of a WAIS document, or the description of a database. The client repeats this
   * step up to the end of the document.
   */
  readonly fetchNextChunk?: Step | undefined;
  /**
   * The step that fetches a document in smaller chunks. Absent if the caller has set the chunk size, or if the first
   * chunk of the WAIS document is small.
   */
  readonly fetchSmallerChunks?: Step | undefined;
  /**
   * The step that finds out whether the database exists, if a search without words has found nothing. The step searches
   * for a word, because WAIS servers report a missing database only for a search with words.
   */
  readonly probeDatabase?: Step | undefined;
  /** The WAIS document to fetch, or `undefined` for a search. */
  readonly document?: WaisDocumentRequest | undefined;
}

/** The default maximum number of documents that a search finds, as in browsers. */
export const DEFAULT_MAX_DOCUMENTS = 200;

/** The chunk size of old WAIS clients, in bytes, which every WAIS server supports. */
export const FALLBACK_WAIS_CHUNK_BYTES = 10_000;

/**
 * The default size of the chunks of a WAIS document, in bytes. Larger chunks of a document need fewer WAIS responses. A
 * WAIS server that writes small blocks waits in each response for a delayed acknowledgement (Nagle's algorithm). The
 * largest response of freeWAIS has space for this chunk and a document-id of 16 KiB.
 */
const DEFAULT_CHUNK_BYTES = 80_000;

/**
 * The number of bytes in a WAIS response for headers, tags and lengths. The number does not include the text and the
 * document-id of the WAIS document.
 */
export const WAIS_RESPONSE_OVERHEAD_BYTES = 150;

/** The size of the largest message that freeWAIS sends. */
export const FREEWAIS_MAX_RESPONSE_BYTES = 100_000;

/**
 * Plans a request for a database, a search or a document (RFC 1738 §3.9). Throws `refused-characters` for control
 * characters, and for a database name with an "@".
 */
export function planWais(url: WaisUrl, options: PlanOptions & WaisOptions = {}): WaisPlan {
  const database = decodeDatabaseName(url, options);
  const { transferDescription, ...requests } =
    url.kind === "document"
      ? planDocumentRetrieval(url, database, options)
      : planSearch(url, database, options);
  const { request, fetchNextChunk, fetchSmallerChunks, probeDatabase, document } = requests;
  const initRequest = options.sendInitRequest ? planInitRequest(document, options) : undefined;
  const steps = [
    ...createResolveAndConnectSteps(url),
    initRequest,
    initRequest && createExpectReplyStep(["21"], "RFC 1625", "an Init response that accepts the request"),
    request,
    createExpectReplyStep(["23"], "3.9", "a search response"),
    fetchSmallerChunks,
    probeDatabase,
    fetchNextChunk,
    createStep("transfer", "3.9", transferDescription),
    createStep("close", "3.9", "by the client"),
  ];
  return createPlan(url, steps, { initRequest, ...requests });
}

/** Encodes the WAIS request for a chunk of a document. */
export function encodeWaisChunkRequest(
  document: WaisDocumentRequest,
  chunk: WaisDocumentChunkRange,
): Uint8Array {
  return encodeWaisMessage(encodeRetrievalRequest(document, chunk));
}

/**
 * Returns the range of the WAIS document's chunk that begins at `start`. The last chunk extends one byte beyond the
 * length in the wais URL, to detect a longer document.
 */
export function getWaisChunkRange(
  { length = Infinity, chunkBytes }: WaisDocumentRequest,
  start: number,
): WaisDocumentChunkRange {
  return { start, endExclusive: Math.min(start + chunkBytes, length + 1) };
}

/** The steps of a WAIS plan that send requests. */
interface WaisRequestPlan extends Omit<WaisPlan, keyof Plan | "initRequest"> {
  /** The text of the `transfer` step, which tells what the WAIS server sends. */
  readonly transferDescription: string;
}

function planSearch(url: WaisUrl, database: Uint8Array, options: PlanOptions & WaisOptions): WaisRequestPlan {
  const { maxDocuments = DEFAULT_MAX_DOCUMENTS } = options;
  const written = options.plusMeaning === "blank" ? url.search?.replaceAll("+", "%20") : url.search;
  const words = rejectControlBytes(percentDecode(written ?? ""), "search", options);
  const bytes = encodeWaisMessage(encodeWaisWordSearchRequest({ database, words, maxDocuments }));
  const name = formatDatabaseName(database);
  const probeDatabase = words.length === 0 ? planProbeSearch(database, name) : undefined;
  if (url.kind === "index") {
    const query = words.length === 0 ? "nothing" : quoteBytes(words);
    const description = `search for ${query} in ${name}, at most ${maxDocuments} documents`;
    return {
      request: createSendStep(bytes, "3.9", description),
      probeDatabase,
      transferDescription: "the documents found",
    };
  }
  return {
    request: createSendStep(bytes, "3.9", `search without words in ${name}, which finds its description`),
    fetchNextChunk: createSendStep(undefined, "3.9", "fetch the description", {
      onReply: "a document of type WSRC is found",
    }),
    probeDatabase,
    transferDescription: "the description of the database",
  };
}

/**
 * The word of a probe search, which is valid in every query language. The WAIS database need not contain the word of
 * the probe search.
 */
const PROBE_WORD = "wais";

function planProbeSearch(database: Uint8Array, name: string): Step {
  const search = { database, words: Buffer.from(PROBE_WORD), maxDocuments: 1 };
  const text = `search for ${quoteBytes(search.words)} in ${name}, which shows whether there is such a database`;
  return createSendStep(encodeWaisMessage(encodeWaisWordSearchRequest(search)), "3.9", text, {
    onReply: "nothing is found",
  });
}

function planDocumentRetrieval(
  url: WaisUrl,
  database: Uint8Array,
  options: PlanOptions & WaisOptions,
): WaisRequestPlan {
  const { chunkBytes = DEFAULT_CHUNK_BYTES } = options;
  const type = decodeDocumentType(url, options);
  const { id, length } = decodeWpath(url.wpath ?? "");
  const document: WaisDocumentRequest = { database, documentId: id, type, length, chunkBytes };
  const first = getWaisChunkRange(document, 0);
  const name = `a document of type ${toSingleLine(decodeUtf8OrLatin1(type))} in ${formatDatabaseName(database)}`;
  const request = createSendStep(
    encodeWaisChunkRequest(document, first),
    "3.9",
    `fetch bytes 0 to ${first.endExclusive} of ${name}`,
  );
  const canShrink = options.chunkBytes === undefined && first.endExclusive > FALLBACK_WAIS_CHUNK_BYTES;
  const fetchSmallerChunks = createSendStep(undefined, "3.9", "fetch the document in smaller chunks", {
    onReply: "the server cannot send so large a chunk",
  });
  const fetchNextChunk = createSendStep(
    undefined,
    "3.9",
    `fetch the next ${chunkBytes} bytes, and so on to ${length ?? "the end"}`,
    { onReply: `${first.endExclusive} bytes arrived` },
  );
  const isOneChunk = length !== undefined && first.endExclusive > length;
  return {
    request,
    ...(canShrink && { fetchSmallerChunks }),
    ...((canShrink || !isOneChunk) && { fetchNextChunk }),
    document,
    transferDescription:
      length === undefined
        ? "the document, up to the first chunk that is shorter than requested"
        : `the document of ${length} bytes`,
  };
}

function planInitRequest(
  document: WaisDocumentRequest | undefined,
  options: PlanOptions & WaisOptions,
): Step {
  const { identification } = options;
  if (identification !== undefined)
    rejectControlBytes(Buffer.from(identification, "latin1"), "identification", options);
  const maxRecordBytes = Math.max(
    FREEWAIS_MAX_RESPONSE_BYTES,
    document ? computeMaxChunkResponseBytes(document) : 0,
  );
  const bytes = encodeWaisMessage(encodeWaisInitRequest({ maxRecordBytes, identification }));
  return createSendStep(bytes, "RFC 1625", `the Init request, for messages of up to ${maxRecordBytes} bytes`);
}

/** Returns the maximum size of a WAIS response that contains one chunk, in bytes. */
export function computeMaxChunkResponseBytes(document: WaisDocumentRequest): number {
  return (
    getWaisChunkRange(document, 0).endExclusive + document.documentId.length + WAIS_RESPONSE_OVERHEAD_BYTES
  );
}

function decodeDatabaseName(url: WaisUrl, options: PlanOptions): Uint8Array {
  const database = rejectControlBytes(percentDecode(url.database), "database", options);
  if (database.includes(0x40)) {
    const advice = 'request the database from the server after the "@"';
    const reason =
      'the name of the database contains "@", which makes servers forward the request to another server';
    throw new AccessError("refused-characters", reason, { advice });
  }
  return database;
}

/**
 * Decodes the first document type in a wais URL. Browsers write several document types separated by commas, but WAIS
 * servers accept only a single type.
 */
function decodeDocumentType(url: WaisUrl, options: PlanOptions): Uint8Array {
  const types = rejectControlBytes(percentDecode(url.wtype ?? ""), "wtype", options);
  const comma = types.indexOf(0x2c);
  const type = comma < 0 ? types : types.subarray(0, comma);
  if (type.length === 0)
    throw new AccessError(
      "unsupported",
      "the URL has no document type, and servers close the connection for a request without a type",
    );
  return type;
}

function formatDatabaseName(database: Uint8Array): string {
  return database.length === 0 ? "the database that the server chooses" : quoteBytes(database);
}

function quoteBytes(bytes: Uint8Array): string {
  return `"${toSingleLine(decodeUtf8OrLatin1(bytes))}"`;
}
