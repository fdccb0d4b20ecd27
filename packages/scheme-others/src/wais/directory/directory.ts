import { AccessError, type DirectoryResource, type Step } from "@anyscheme/core";
import type { AccessContext, DirectoryCompleteness } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { type Diagnostic, diagnosticError, OMITTED_RECORD_CODES } from "../apdu/diagnostic.ts";
import { decodeSearchResponse, type DocumentHeader, type SearchResponse } from "../apdu/response.ts";
import { fetchSourceDescription } from "./source-document.ts";
import { createEntry, type WaisEntry } from "./entry.ts";
import type { WaisOptions } from "../options.ts";
import { DEFAULT_MAX_DOCUMENTS, FREEWAIS_MAX_RESPONSE_BYTES, type WaisPlan } from "../plan.ts";
import type { WaisSession } from "../session.ts";
import type { WaisSource } from "./source-description.ts";
import { waisSyntax, type WaisUrl } from "../syntax.ts";

/** What a directory of a WAIS server tells besides its entries. */
export interface WaisDirectoryInfo {
  /** What the server says of the database; only for a URL without a search, and where the server has a description. */
  readonly source: WaisSource | undefined;
  /** The catalogue of the database, which servers give instead of "nothing found"; it is not among the entries. */
  readonly catalogue: WaisEntry | undefined;
  /** What the server said beside the documents, as about a fault in the query. */
  readonly diagnostics: readonly Diagnostic[];
  /** The URL of a search in this database, for words as text or bytes. */
  readonly search: (words: string | Uint8Array) => WaisUrl;
}

export type WaisDirectory = DirectoryResource<WaisEntry> & WaisDirectoryInfo;

/** freeWAIS: "Search produced no result. Here's the Catalog for database: X". */
const NO_RESULT = /^Search produced no result\b/;

/**
 * The documents that the plan's request finds. Throws what a diagnostic stands for when no document is beside it. The
 * connection is closed when all has been read.
 */
export async function searchDirectory(
  plan: WaisPlan,
  session: WaisSession,
  context: AccessContext,
  options: WaisOptions,
): Promise<WaisDirectory> {
  const { url } = plan;
  const apdu = await session.request(plan.request, plan.request.description);
  const response = decodeSearchResponse(apdu, context.limits);
  const { headers, diagnostics } = response;
  context.trace({ action: "receive", text: summarize(headers.length, diagnostics) });
  const missed = headers.length === 1 && headers[0] !== undefined && isCatalogue(headers[0]);
  const [fault] = diagnostics;
  if (fault && (missed || headers.length === 0)) throw diagnosticError(fault);
  if (headers.length === 0 && plan.probe) await probeDatabase(plan.probe, session, context);
  const description = await fetchSourceDescription(headers, plan, session, context);
  session.close();
  const found = headers.map((header) => createEntry(header, url, (text) => context.parse(text)));
  return context.createDirectory<WaisEntry, WaisDirectoryInfo>({
    entries: inOrder(missed ? [] : found),
    completeness: directoryCompleteness(response, missed ? 0 : headers.length, apdu.length, options),
    extra: {
      source: description,
      catalogue: missed ? found[0] : undefined,
      diagnostics,
      search: (words) => searchUrl(url, words, options),
    },
  });
}

/**
 * Searches for a word after a search for nothing has found nothing. Servers give that answer for a database without a
 * description, and for one that they do not have. Throws `not-found` unless a document or the catalogue is found.
 */
async function probeDatabase(probe: Step, session: WaisSession, context: AccessContext): Promise<void> {
  const apdu = await session.request(probe, probe.description);
  const { headers, diagnostics } = decodeSearchResponse(apdu, context.limits);
  context.trace({ action: "receive", text: summarize(headers.length, diagnostics) });
  if (headers.length > 0) return;
  const [fault] = diagnostics;
  if (fault) throw diagnosticError(fault);
  const advice = 'a search, as in "wais://host/database?words", shows more';
  throw new AccessError(
    "not-found",
    "the server has no description of the database, and perhaps no such database",
    { advice },
  );
}

/** freeWAIS drops the last documents until its answer fits, and does not report it. Less than one document then remains free. */
const LARGEST_DOCUMENT_BYTES = 2_000;

/** An answer with as many documents as were asked for, or as fit into the largest answer of freeWAIS, may lack further ones. */
function directoryCompleteness(
  { hasMore, diagnostics }: SearchResponse,
  documents: number,
  answerBytes: number,
  { maxDocuments = DEFAULT_MAX_DOCUMENTS }: WaisOptions,
): DirectoryCompleteness {
  if (hasMore || diagnostics.some(({ code }) => OMITTED_RECORD_CODES.has(code))) return "truncated";
  const mayBeCut = answerBytes > FREEWAIS_MAX_RESPONSE_BYTES - LARGEST_DOCUMENT_BYTES;
  return documents >= maxDocuments || mayBeCut ? "unverified" : "verified";
}

function isCatalogue({ score, headline }: DocumentHeader): boolean {
  return score === 0 && NO_RESULT.test(headline ?? "");
}

function searchUrl(url: WaisUrl, words: string | Uint8Array, { plus }: WaisOptions): WaisUrl {
  const { host, port, database } = url;
  const built = waisSyntax.build({ host, port, database: percentDecode(database), search: words });
  if (plus !== "blank" || !built.search?.includes("+")) return built;
  return waisSyntax.parse(built.href.replace(/\?.*$/, (search) => search.replaceAll("+", "%2B")));
}

function summarize(documents: number, diagnostics: readonly Diagnostic[]): string {
  const said = diagnostics.map(({ code, text }) => `, ${code} ${text}`).join("");
  return `${documents} ${documents === 1 ? "document" : "documents"}${said}`;
}

async function* inOrder(entries: readonly WaisEntry[]): AsyncGenerator<WaisEntry> {
  yield* entries;
}
