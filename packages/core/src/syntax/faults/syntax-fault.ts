/** The codes of all syntax faults of URLs. */
export type UrlFaultCode =
  | "missing-scheme"
  | "bad-scheme"
  | "wrong-scheme"
  | "wrapper-prefix"
  | "too-long"
  | "missing-slashes"
  | "missing-slash"
  | "single-slash"
  | "login-not-allowed"
  | "login-question-mark"
  | "port-not-allowed"
  | "at-sign"
  | "empty-host"
  | "bad-host"
  | "bad-host-number"
  | "bad-a-label"
  | "escape-in-host"
  | "zone-id"
  | "host-form"
  | "bad-port"
  | "port-range"
  | "empty-port"
  | "bad-escape"
  | "control"
  | "space"
  | "delimiter"
  | "backslash"
  | "unsafe"
  | "non-ascii"
  | "lone-surrogate"
  | "reserved"
  | "fragment"
  | "bad-typecode"
  | "type-keyword"
  | "bad-path"
  | "bad-gophertype"
  | "tab-in-field"
  | "empty-address"
  | "bad-group"
  | "group-form"
  | "group-escape"
  | "bad-message-id"
  | "id-brackets"
  | "server-not-allowed"
  | "trailing-slash"
  | "bad-article-number"
  | "bad-wais-path"
  | "bad-field";

/** A kind of syntax fault in a URL. `docs/conformance.md` lists all faults. */
export interface UrlFaultDefinition {
  readonly code: UrlFaultCode;
  /** The section of RFC 1738 that the text violates, as in `"3.1"`. */
  readonly section: string;
  /** A sentence that describes the fault. */
  readonly message: string;
  /** The later RFC that allows this part of the URL, as in `"RFC 3986 §2.3"`. `undefined` when no later RFC does. */
  readonly allowedByRfc?: string | undefined;
}

/**
 * A part of a text that violates RFC 1738. `index` and `length` count UTF-16 units of the text. In modern mode, `index`
 * counts from the end of the white space before the URL.
 */
export interface UrlSyntaxDeviation {
  readonly code: UrlFaultCode;
  readonly index: number;
  readonly length: number;
  /** The section of RFC 1738 that the part of the text violates, as in `"3.1"`. */
  readonly section: string;
  readonly message: string;
  /** The later RFC that allows this part of the URL, as in `"RFC 3986 §2.3"`. `undefined` when no later RFC does. */
  readonly allowedByRfc?: string | undefined;
  /** The proposed correction, as in `write "%7E"`. */
  readonly suggestion: string;
}

/** Creates a deviation. `suggestion` is the proposed correction. */
export function createDeviation(
  { code, section, message, allowedByRfc }: UrlFaultDefinition,
  index: number,
  length: number,
  suggestion: string,
): UrlSyntaxDeviation {
  return Object.freeze({ code, index, length, section, message, allowedByRfc, suggestion });
}

/**
 * Thrown by `parse` and `build` for a text or parts that form no URL of the scheme. The error has the fields of the
 * fault, such as `code` and `index`. Neither the message nor the fields repeat the text, which may contain a password.
 * RFC 1738 §2, §3, §5.
 */
export class UrlSyntaxError extends Error implements UrlSyntaxDeviation {
  override readonly name = "UrlSyntaxError";
  declare readonly code: UrlFaultCode;
  declare readonly index: number;
  declare readonly length: number;
  declare readonly section: string;
  declare readonly allowedByRfc?: string | undefined;
  declare readonly suggestion: string;

  constructor({ message, ...fault }: UrlSyntaxDeviation) {
    super(
      `${message} (offset ${fault.index}, RFC 1738 ${formatRfcSection(fault.section)}): ${fault.suggestion}`,
    );
    Object.assign(this, fault);
  }
}

/** Creates the error of `build` for invalid parts, which have no offset in a text. */
export function createInvalidPartsError(fault: UrlFaultDefinition, suggestion: string): UrlSyntaxError {
  return new UrlSyntaxError(createDeviation(fault, 0, 0, suggestion));
}

/** Returns `§3.1` for a section, or the name of the Appendix. */
export function formatRfcSection(section: string): string {
  return /^\d/.test(section) ? `§${section}` : section;
}
