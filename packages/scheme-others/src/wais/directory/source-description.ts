import { AccessError, UrlSyntaxError } from "@anyscheme/core";
import { limitByteSource } from "@anyscheme/core/io";
import { type AccessContext, decodeUtf8OrLatin1 } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { WaisDocumentHeader } from "../apdu/search-response.ts";
import { createWaisDocumentByteSource } from "../document/document-byte-source.ts";
import {
  getWaisChunkRange,
  type WaisDocumentRequest,
  encodeWaisChunkRequest,
  FALLBACK_WAIS_CHUNK_BYTES,
  type WaisPlan,
} from "../plan.ts";
import type { WaisConnection } from "../wais-connection.ts";
import { waisSyntax, type WaisUrl } from "../syntax.ts";

/** The description of a database, a document of type WSRC. The description of a WAIS database may omit any field. */
export interface WaisSource {
  readonly database: string | undefined;
  /** The host name of the WAIS server, or its address if the source description has no name. */
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly description: string | undefined;
  readonly maintainer: string | undefined;
  readonly keywords: readonly string[];
  readonly cost: string | undefined;
  readonly costUnit: string | undefined;
  /** The wais URL of the database, if the host is valid in a URL. */
  readonly url: WaisUrl | undefined;
  /**
   * The reason why the text of the WAIS source description is invalid. The remaining fields contain the valid part of
   * the WAIS source description.
   */
  readonly fault: string | undefined;
}

/**
 * The maximum number of characters that `parseWaisSource` parses. Descriptions of real WAIS databases have a few
 * thousand characters.
 */
const MAX_SOURCE_DESCRIPTION_LENGTH = 1_048_576;

/** Matches the beginning of a string, a parenthesis or a word, after optional blanks. */
const SOURCE_DESCRIPTION_TOKEN = /\s*(?:(")|([()])|([^\s()"]+))/y;

/**
 * Parses `(:source :version 3 :ip-name "…" …)`. Returns `undefined` for a text that is no WAIS source description.
 * Parses at most the first 1 048 576 characters.
 */
export function parseWaisSource(bytes: Uint8Array): WaisSource | undefined {
  const text = decodeUtf8OrLatin1(bytes);
  const read = parseDescriptionFields(text.slice(0, MAX_SOURCE_DESCRIPTION_LENGTH));
  if (!read) return undefined;
  const { fields } = read;
  const fault =
    text.length > MAX_SOURCE_DESCRIPTION_LENGTH ? "the text is longer than 1 048 576 characters" : read.fault;
  const one = (name: string): string | undefined => fields.get(name)?.join(" ");
  const host = one("ip-name") || one("ip-address");
  const database = one("database-name");
  const port = one("tcp-port");
  const trimmed = (name: string): string | undefined => one(name)?.trim();
  return {
    database,
    host,
    port,
    description: trimmed("description"),
    maintainer: trimmed("maintainer"),
    keywords: fields.get("keyword-list") ?? [],
    cost: one("cost"),
    costUnit: one("cost-unit")?.replace(/^:/, ""),
    url: buildDatabaseUrl(host, port, database),
    fault,
  };
}

/** Returns the words and strings after each `:name` of the outermost list in a WAIS source description. */
function parseDescriptionFields(
  text: string,
): { fields: ReadonlyMap<string, readonly string[]>; fault: string | undefined } | undefined {
  const fields = new Map<string, string[]>();
  let fault: string | undefined;
  let name = "";
  let values: string[] = [];
  let depth = 0;
  for (const { quotedText, isUnterminated, word, parenthesis } of tokenizeDescription(text)) {
    if (isUnterminated) fault = "a quotation mark is not closed";
    if (parenthesis !== undefined) depth += parenthesis === "(" ? 1 : -1;
    if (depth <= 0) break;
    if (parenthesis !== undefined) continue;
    // The value of ":cost-unit" also begins with a colon, as in ":cost-unit :free".
    const isValue = quotedText !== undefined || depth > 1 || (name === "cost-unit" && values.length === 0);
    if (word?.startsWith(":") && !isValue) {
      name = word.slice(1).toLowerCase();
      values = [];
      fields.set(name, values);
    } else {
      values.push(quotedText ?? word ?? "");
    }
  }
  if (depth > 0) fault ??= "a parenthesis is not closed";
  return fields.has("source") ? { fields, fault } : undefined;
}

interface SourceDescriptionToken {
  readonly quotedText: string | undefined;
  /** True when a string in a WAIS source description lacks its final quote. */
  readonly isUnterminated: boolean;
  readonly parenthesis: string | undefined;
  readonly word: string | undefined;
}

function* tokenizeDescription(text: string): Generator<SourceDescriptionToken> {
  const pattern = new RegExp(SOURCE_DESCRIPTION_TOKEN);
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [, quotationMark, parenthesis, word] = match;
    let quotedText: string | undefined;
    let isUnterminated = false;
    if (quotationMark !== undefined) {
      const start = pattern.lastIndex;
      const end = findStringEnd(text, start);
      isUnterminated = end === text.length;
      // A backslash as the last character of the text quotes nothing.
      quotedText = text.slice(start, end).replace(/\\(.?)/gs, "$1");
      pattern.lastIndex = end + 1;
    }
    yield { quotedText, isUnterminated, parenthesis, word };
  }
}

/**
 * Returns the index of the quotation mark that closes a string in a WAIS source description, or the length of the text.
 * A string in a WAIS source description may contain `\"` and `\\`. A regular expression with a repeated alternative
 * would overflow V8's stack for a long string.
 */
function findStringEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === "\\") at++;
  }
  return text.length;
}

function buildDatabaseUrl(
  host: string | undefined,
  port: string | undefined,
  database: string | undefined,
): WaisUrl | undefined {
  if (!host || database === undefined) return undefined;
  try {
    return waisSyntax.build({ host, port, database });
  } catch (error) {
    if (error instanceof UrlSyntaxError) return undefined;
    throw error;
  }
}

const SOURCE_DESCRIPTION_WTYPE = "WSRC";

/**
 * Fetches the description of the plan's database, if a search without words has found it. Returns `undefined` if the
 * server lists the description but does not send it.
 */
export async function fetchWaisSourceDescription(
  headers: readonly WaisDocumentHeader[],
  { url, fetchNextChunk }: WaisPlan,
  session: WaisConnection,
  context: AccessContext,
): Promise<WaisSource | undefined> {
  const documentId = headers.find(({ types }) => types[0] === SOURCE_DESCRIPTION_WTYPE)?.documentId;
  if (!fetchNextChunk || !documentId) return undefined;
  const document: WaisDocumentRequest = {
    database: percentDecode(url.database),
    documentId,
    type: Buffer.from(SOURCE_DESCRIPTION_WTYPE),
    length: undefined,
    chunkBytes: FALLBACK_WAIS_CHUNK_BYTES,
  };
  const request = encodeWaisChunkRequest(document, getWaisChunkRange(document, 0));
  try {
    const first = await session.request(fetchNextChunk, fetchNextChunk.description, request);
    const chunks: Uint8Array[] = [];
    const source = createWaisDocumentByteSource(document, first, session, fetchNextChunk);
    const reason = "the description of the database is too long";
    await limitByteSource(source, context.limits, "maxListingBytes", reason).readChunks(
      (bytes) => chunks.push(bytes) > 0,
    );
    const description = parseWaisSource(Buffer.concat(chunks));
    const fault = description ? description.fault : "the text is not a source description";
    if (fault !== undefined)
      context.trace({ action: "receive", text: `the description is incomplete: ${fault}` });
    return description;
  } catch (error) {
    if (!(error instanceof AccessError) || (error.code !== "not-found" && error.code !== "unsupported"))
      throw error;
    context.trace({ action: "receive", text: `no description: ${error.reason}` });
    return undefined;
  }
}
