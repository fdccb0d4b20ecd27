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
export { isHost, isHostNumber } from "./host.ts";
export { MASK, type OtherReading, Url } from "./url.ts";
export {
  type Authority,
  type AuthorityParts,
  type AuthorityRules,
  type Escape,
  InternetUrl,
  readAuthority,
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
export { resolveReference } from "./reference.ts";
