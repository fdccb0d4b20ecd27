import type { Url } from "@anyscheme/core/syntax";
import { MailtoUrl } from "@anyscheme/scheme-others/mailto/syntax";

/** A part of a valid URL that other programs interpret differently. */
export interface UrlAmbiguity {
  readonly code: "no-addr-spec" | "hyphen";
  /** The offset in the text of the URL, in UTF-16 units. */
  readonly index: number;
  readonly length: number;
  readonly section: string;
  readonly message: string;
  readonly suggestion: string;
}

/** Finds a mail address that mail programs interpret differently (RFC 1738 §3.5). */
export function findMailtoAddressAmbiguities(url: Url): UrlAmbiguity[] {
  if (!(url instanceof MailtoUrl) || url.addressFault === undefined) return [];
  const { index, reason } = url.addressFault;
  const { start, length } = locateDecodedByte(url.address, index);
  return [
    {
      code: "no-addr-spec",
      index: "mailto:".length + start,
      length,
      section: "3.5",
      message: `not a mail address by RFC 822: ${reason}`,
      suggestion: "write a mail address, as in user@host.example",
    },
  ];
}

/** Returns the position in a percent-encoded component of the byte that has the offset `index` after decoding. */
function locateDecodedByte(component: string, index: number): { start: number; length: number } {
  let bytes = 0;
  for (const { 0: source, index: start } of component.matchAll(/%[0-9A-Fa-f]{2}|[^]/gu)) {
    bytes += source.startsWith("%") ? 1 : Buffer.byteLength(source);
    if (bytes > index) return { start, length: source.length };
  }
  return { start: component.length, length: 0 };
}

/**
 * Describes the ambiguity of a hyphen at a line end. By the Appendix of RFC 1738, the hyphen "may or may not actually
 * be part of the URL". The parameter `text` is the URL with the hyphen, and `other` is the URL without it.
 */
export function createLineEndHyphenAmbiguity(text: string, other: string): UrlAmbiguity {
  let index = 0;
  while (text[index] === other[index]) index++;
  return {
    code: "hyphen",
    index,
    length: 1,
    section: "Appendix",
    message: "the hyphen at the line end may or may not be part of the URL",
    suggestion: "break the line at a character other than a hyphen",
  };
}
