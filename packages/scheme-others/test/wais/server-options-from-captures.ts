import type { TestWaisDatabase, TestWaisDocument, WaisTestServerOptions } from "@anyscheme/servers";
import { readApduElements } from "../../src/wais/apdu/elements.ts";
import type { WaisDocumentHeader } from "../../src/wais/apdu/search-response.ts";
import {
  extractApdu,
  captureNames,
  decodeSearchResponseApdu,
  readCapturedExchanges,
} from "./read-captures.ts";

/** Returns the options of a test server with the name, documents and scores of the captured server freeWAIS-sf. */
export function createWaisServerOptionsFromCaptures(
  catalogue: "with" | "without" = "with",
): WaisTestServerOptions {
  const found = collectCapturedDocuments();
  const pieces = collectCapturedChunks();
  const databases = new Map<string, TestWaisDocument[]>();
  const about = new Map<string, Uint8Array>();
  for (const { header, database, localId } of found.values()) {
    const contents = Object.fromEntries(
      header.types.map((type, index) => [
        type,
        joinDocumentChunks(pieces.get(formatDocumentKey(localId, type)), index === 0 ? header : undefined),
      ]),
    );
    const [first = new Uint8Array(0)] = Object.values(contents);
    if (SOURCE_OR_CATALOGUE_ID.test(localId)) about.set(localId, first);
    else
      databases.set(database, [
        ...(databases.get(database) ?? []),
        { headline: header.headline ?? "", localId, contents },
      ]);
  }
  const scores = collectCapturedScores();
  return {
    serverName: "vm:21010",
    implementation: { id: "LS6", name: "University of Dortmund Informatik VI", version: "2.2.8 string" },
    scoreDocument: (words, { localId }) => scores.get(`${words} ${localId}`) ?? 0,
    databases: Array.from(databases, ([name, documents]): TestWaisDatabase => {
      const description = about.get(`0 0 db/${name}.src`);
      const listed = about.get(`0 0 db/${name}.cat`);
      return { name, documents, description, catalogue: catalogue === "with" ? listed : null };
    }),
  };
}

/**
 * Matches the local ids of documents that describe a WAIS database. The server sends the description of a database as
 * any requested type.
 */
const SOURCE_OR_CATALOGUE_ID = /^0 0 db\/.*\.(?:src|cat)$/;

function formatDocumentKey(localId: string, type: string): string {
  return SOURCE_OR_CATALOGUE_ID.test(localId) ? localId : `${localId} ${type}`;
}

interface CapturedDocument {
  readonly header: WaisDocumentHeader;
  readonly database: string;
  readonly localId: string;
}

function parseCapturedDocuments(response: Buffer | undefined): readonly CapturedDocument[] {
  if (!response || response.length <= 25 || response[23] !== 0x20 || response[27] !== 23) return [];
  return decodeSearchResponseApdu(extractApdu(response)).headers.map((header) => {
    const localId = getLocalId(header.documentId ?? new Uint8Array(0));
    return { header, localId, database: (header.source ?? "").replace("db/", "") };
  });
}

function collectCapturedDocuments(): ReadonlyMap<string, CapturedDocument> {
  const all = captureNames.flatMap((name) =>
    readCapturedExchanges(name).flatMap(({ response }) => parseCapturedDocuments(response)),
  );
  // Responses of protocol version 1 contain no document types.
  return new Map(all.filter(({ header }) => header.types.length > 0).map((found) => [found.localId, found]));
}

function collectCapturedScores(): ReadonlyMap<string, number> {
  const scores = new Map<string, number>();
  for (const { request, response } of captureNames.flatMap(readCapturedExchanges)) {
    // The date factor follows the seed words.
    const words = /c[^]j[^]([^]*)o\u0001\u0001r/.exec(request.toString("latin1"))?.[1];
    for (const { localId, header } of parseCapturedDocuments(response))
      scores.set(`${words} ${localId}`, header.score ?? 0);
  }
  return scores;
}

/** Returns the captured chunks of every document, by local id and type. */
function collectCapturedChunks(): ReadonlyMap<
  string,
  readonly (readonly [start: number, text: Uint8Array])[]
> {
  const pieces = new Map<string, (readonly [number, Uint8Array])[]>();
  for (const { request, response } of captureNames.flatMap(readCapturedExchanges)) {
    const { un: id, wt: type, wb: start } = readQueryTerms(extractApdu(request));
    if (!id || !type || !start || !response || response.length <= 25) continue;
    const [text] = decodeSearchResponseApdu(extractApdu(response)).texts;
    const name = formatDocumentKey(getLocalId(id), type.toString());
    if (text) pieces.set(name, [...(pieces.get(name) ?? []), [Number(start), text]]);
  }
  return pieces;
}

/** Returns the first term for each use attribute of a document request, or no terms for other requests. */
function readQueryTerms(apdu: Buffer): Readonly<Record<string, Buffer>> {
  const query = apdu.subarray(2 + apdu.readUInt16BE(0));
  if (apdu[2] !== 22 || query[0] !== 21) return {};
  const [queryElement] = readApduElements(query);
  const terms: Record<string, Buffer> = {};
  let use = "";
  for (const { tag, bytes } of queryElement?.children() ?? []) {
    const value = Buffer.from(bytes);
    if (tag === 44) use = value.toString("latin1", 0, 2);
    else if (tag === 45) terms[use] ??= value;
  }
  return terms;
}

/** Returns the captured part of a document, padded to its length and number of lines. */
function joinDocumentChunks(
  pieces: readonly (readonly [start: number, text: Uint8Array])[] = [],
  header: WaisDocumentHeader | undefined,
): Uint8Array {
  const captured = Math.max(0, ...pieces.map(([start, text]) => start + text.length));
  const bytes = Buffer.alloc(header?.length ?? captured, "x");
  for (const [start, text] of pieces) bytes.set(text, start);
  const lines = bytes.subarray(0, captured).filter((byte) => byte === 0x0a).length;
  // In the description of a database, freeWAIS counts the end of the document as a line.
  const counted = (header?.lines ?? 1) - (header?.score === 0 || header?.score === 1000 ? 1 : 0);
  if (captured < bytes.length) bytes.fill("\n", captured, captured + counted - lines - 1);
  return bytes;
}

function getLocalId(documentId: Uint8Array): string {
  for (const { tag, latin1 } of readApduElements(documentId)) if (tag === 3) return latin1;
  throw new Error("a document-id without a local id");
}
