import { AccessError, type DirectoryResource, type Step, type DirectoryCompleteness } from "@anyscheme/core";
import type { AccessContext } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import {
  type WaisDiagnostic,
  createWaisDiagnosticError,
  WAIS_PARTIAL_RESULT_DIAGNOSTIC_CODES,
} from "../apdu/diagnostic.ts";
import {
  decodeWaisSearchResponse,
  type WaisDocumentHeader,
  type WaisSearchResponse,
} from "../apdu/search-response.ts";
import { documentHeaderToWaisEntry, type WaisEntry } from "./document-entry.ts";
import type { WaisOptions } from "../scheme-options.ts";
import { DEFAULT_MAX_DOCUMENTS, FREEWAIS_MAX_RESPONSE_BYTES, type WaisPlan } from "../plan.ts";
import type { WaisConnection } from "../wais-connection.ts";
import { fetchWaisSourceDescription, type WaisSource } from "./source-description.ts";
import { waisSyntax, type WaisUrl } from "../syntax.ts";

/** The information of a WAIS directory besides its entries. */
export interface WaisSearchResultsMetadata {
  /**
   * The description of the WAIS database. Defined only for a wais URL without a search, and only if the server has a
   * description of the database.
   */
  readonly source: WaisSource | undefined;
  /**
   * The catalogue of the database, which servers send if a search finds nothing. The catalogue is not among the entries
   * of the WAIS directory.
   */
  readonly catalogue: WaisEntry | undefined;
  /** The diagnostics of the WAIS server, such as an error in the query. */
  readonly diagnostics: readonly WaisDiagnostic[];
  /** Builds the URL of a search in this database, for words as text or bytes. */
  readonly buildSearchUrl: (words: string | Uint8Array) => WaisUrl;
}

export type WaisSearchResults = DirectoryResource<WaisEntry> & WaisSearchResultsMetadata;

/** Matches the headline that freeWAIS gives to the catalogue of the database if a search finds nothing. */
const NO_SEARCH_RESULT = /^Search produced no result\b/;

/**
 * Lists the documents that the search of the plan finds. Throws the error of a diagnostic if the search finds no
 * document. Closes the connection.
 */
export async function requestWaisSearchResults(
  plan: WaisPlan,
  session: WaisConnection,
  context: AccessContext,
  options: WaisOptions,
): Promise<WaisSearchResults> {
  const { url } = plan;
  const apdu = await session.request(plan.request, plan.request.description);
  const response = decodeWaisSearchResponse(apdu, context.limits);
  const { headers, diagnostics } = response;
  context.trace({ action: "receive", text: summarizeSearchResponse(headers.length, diagnostics) });
  const isCatalogueOnly = headers.length === 1 && headers[0] !== undefined && isCatalogueHeader(headers[0]);
  const [diagnostic] = diagnostics;
  if (diagnostic && (isCatalogueOnly || headers.length === 0)) throw createWaisDiagnosticError(diagnostic);
  if (headers.length === 0 && plan.probeDatabase) await probeDatabase(plan.probeDatabase, session, context);
  const description = await fetchWaisSourceDescription(headers, plan, session, context);
  session.close();
  const found = headers.map((header) =>
    documentHeaderToWaisEntry(header, url, (text) => context.parse(text)),
  );
  return context.createDirectory<WaisEntry, WaisSearchResultsMetadata>({
    entries: isCatalogueOnly ? [] : found,
    completeness: getSearchCompleteness(response, isCatalogueOnly ? 0 : headers.length, apdu.length, options),
    schemeProperties: {
      source: description,
      catalogue: isCatalogueOnly ? found[0] : undefined,
      diagnostics,
      buildSearchUrl: (words) => buildSearchUrl(url, words, options),
    },
  });
}

/**
 * If a WAIS search without words finds nothing, searches for a word. The search for a word distinguishes a missing WAIS
 * database from a database without a description. Throws `not-found` if the search finds neither a document nor the
 * catalogue.
 */
async function probeDatabase(probe: Step, session: WaisConnection, context: AccessContext): Promise<void> {
  const apdu = await session.request(probe, probe.description);
  const { headers, diagnostics } = decodeWaisSearchResponse(apdu, context.limits);
  context.trace({ action: "receive", text: summarizeSearchResponse(headers.length, diagnostics) });
  if (headers.length > 0) return;
  const [diagnostic] = diagnostics;
  if (diagnostic) throw createWaisDiagnosticError(diagnostic);
  const advice = 'try a search, as in "wais://host/database?words"';
  throw new AccessError("not-found", "the server has no description of the database, or no such database", {
    advice,
  });
}

/**
 * The estimated largest size of a document header, in bytes. freeWAIS silently omits the last documents until the
 * response fits its largest size.
 */
const LARGEST_DOCUMENT_BYTES = 2_000;

/**
 * Returns the completeness of a WAIS directory of search results. Further documents may exist if the response has the
 * requested number of documents, or almost the largest size of freeWAIS.
 */
function getSearchCompleteness(
  { hasMore, diagnostics }: WaisSearchResponse,
  documents: number,
  responseBytes: number,
  { maxDocuments = DEFAULT_MAX_DOCUMENTS }: WaisOptions,
): DirectoryCompleteness {
  if (hasMore || diagnostics.some(({ code }) => WAIS_PARTIAL_RESULT_DIAGNOSTIC_CODES.has(code)))
    return "truncated";
  const mayBeTruncated = responseBytes > FREEWAIS_MAX_RESPONSE_BYTES - LARGEST_DOCUMENT_BYTES;
  return documents >= maxDocuments || mayBeTruncated ? "unverified" : "verified";
}

function isCatalogueHeader({ score, headline }: WaisDocumentHeader): boolean {
  return score === 0 && NO_SEARCH_RESULT.test(headline ?? "");
}

function buildSearchUrl(url: WaisUrl, words: string | Uint8Array, { plusMeaning }: WaisOptions): WaisUrl {
  const { host, port, database } = url;
  const built = waisSyntax.build({ host, port, database: percentDecode(database), search: words });
  if (plusMeaning !== "blank" || !built.search?.includes("+")) return built;
  return waisSyntax.parse(built.href.replace(/\?.*$/s, (search) => search.replaceAll("+", "%2B")));
}

function summarizeSearchResponse(documents: number, diagnostics: readonly WaisDiagnostic[]): string {
  const texts = diagnostics.map(({ code, text }) => `, ${code} ${text}`).join("");
  return `${documents} ${documents === 1 ? "document" : "documents"}${texts}`;
}
