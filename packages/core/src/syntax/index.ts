export {
  type CharacterClass,
  createCharacterClass,
  uchar,
  extendUchar,
  xchar,
} from "./characters/characters.ts";
export { removeDotSegments } from "./reference.ts";
export {
  escapeCharacter,
  escapeDisallowed,
  type TextOrBytes,
  percentDecode,
  percentDecodeText,
  percentEncode,
  normalizeEscapes,
} from "./characters/percent-encoding.ts";
export {
  type UrlSyntaxDeviation,
  createDeviation,
  type UrlFaultDefinition,
  type UrlFaultCode,
  formatRfcSection,
  createInvalidPartsError,
  UrlSyntaxError,
} from "./faults/syntax-fault.ts";
export {
  type ParseMode,
  ParseDiagnostics,
  RESERVED_CHARACTER_FAULT,
  type LenientCharacters,
} from "./faults/parse-fault-recorder.ts";
export {
  EMPTY_HOST_FAULT,
  NON_RFC1738_HOST_FAULT,
  hostRegExpSource,
  isHost,
  isDottedDecimalAddress,
} from "./host.ts";
export { type ParserDifference } from "./faults/parser-differences.ts";
export { type LazyDeviations, PASSWORD_MASK, Url } from "./url.ts";
export {
  type AuthorityComponents,
  type AuthorityRules,
  checkAuthority,
  MISSING_PATH_SLASH_FAULT,
  splitAuthority,
} from "./authority.ts";
export {
  type AuthorityBuildParts,
  type ComponentEscaper,
  hostportRegExpSource,
  InternetUrl,
  authorityRegExpSource,
  writeAuthority,
} from "./internet-url.ts";
export {
  defineSyntax,
  type UrlFormatOptions,
  type SyntaxDefinition,
  type UrlHierarchy,
  DEFAULT_MAX_URL_LENGTH,
  type UrlParseOptions,
  type ParseResult,
  type Syntax,
} from "./syntax.ts";
export {
  type GenericUrlBuildParts,
  type GenericSchemeRules,
  createGenericSyntax,
  type GenericSyntaxOptions,
  GenericUrl,
} from "./generic-url.ts";
export type { EqualityLevel } from "./normalize-url.ts";
