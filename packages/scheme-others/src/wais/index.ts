export type { WaisResource } from "./execute-plan.ts";
export { type WaisDiagnostic, WAIS_DIAGNOSTICS } from "./apdu/diagnostic.ts";
export {
  decodeWaisSearchResponse,
  type WaisDocumentHeader,
  type WaisSearchResponse,
} from "./apdu/search-response.ts";
export type { WaisSearchResults, WaisSearchResultsMetadata } from "./directory/search-results.ts";
export { decodeWpath, encodeWpath, type DecodedWpath } from "./document/wpath.ts";
export type { WaisEntry } from "./directory/document-entry.ts";
export type { WaisLimits, WaisOptions } from "./scheme-options.ts";
export type { WaisDocumentRequest, WaisPlan } from "./plan.ts";
export { wais } from "./scheme.ts";
export { parseWaisSource, type WaisSource } from "./directory/source-description.ts";
export { type WaisUrlKind, type WaisUrlBuildParts, waisSyntax, WaisUrl } from "./syntax.ts";
