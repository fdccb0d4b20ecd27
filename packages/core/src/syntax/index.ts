export { type CharacterClass, characterClass, uchar, ucharAnd, xchar } from "./octets.ts";
export {
  conform,
  type Decoded,
  decodeOctets,
  decodeText,
  encode,
  normalizeEscapes,
} from "./percent-encoding.ts";
export { type Deviation, type FaultCode, FAULTS, sectionName, UrlSyntaxError } from "./deviation.ts";
export { deviation, type Mode, Reading, type Tolerance } from "./reading.ts";
export { hostSource, isHost, isHostNumber } from "./host.ts";
export { type Found, MASK, type OtherReading, Url } from "./url.ts";
export { type AuthorityRules, checkAuthority } from "./authority.ts";
export {
  type AuthorityParts,
  type Escape,
  hostportSource,
  InternetUrl,
  loginSource,
  writeAuthority,
} from "./internet-url.ts";
export {
  defineSyntax,
  type Grammar,
  type Hierarchy,
  MAX_URL_LENGTH,
  type ParseOptions,
  type ParseResult,
  schemeOf,
  type Syntax,
} from "./syntax.ts";
export { type GenericParts, genericSyntax, GenericUrl } from "./generic-url.ts";
export type { EqualityLevel } from "./equality.ts";
export { resolveReference } from "./reference.ts";
export {
  type Extracted,
  type ExtractOptions,
  extractUrls,
  MAX_EXTRACT_LENGTH,
  type Refused,
  type UrlReader,
} from "./extract.ts";
