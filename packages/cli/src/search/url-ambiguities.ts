import type { UrlMatch } from "@anyscheme/core/extract";
import type { Url } from "@anyscheme/core/syntax";
import { MailtoUrl } from "@anyscheme/scheme-others/mailto/syntax";
import { describeOtherReadings } from "../output/other-readings.ts";

/** A part of a valid URL that other programs interpret differently. */
export interface UrlAmbiguity {
  readonly code: "other-host" | "no-addr-spec" | "hyphen";
  /** The offset in the text of the URL, in UTF-16 units. */
  readonly index: number;
  readonly length: number;
  readonly section: string;
  readonly message: string;
  readonly suggestion: string;
}

/** Finds the parts of a URL that other standards for URLs or mail interpret differently (RFC 1738 §3.1, §3.5). */
export function findUrlAmbiguities({ url, text }: UrlMatch): UrlAmbiguity[] {
  return [...findHostAmbiguity(url, text), ...findMailAddressAmbiguity(url)];
}

// In modern mode, only a "?" in the login of an unregistered scheme leads other standards to another host.
function findHostAmbiguity(url: Url, text: string): UrlAmbiguity[] {
  const readings = url.otherReadings.filter(({ host }) => host !== undefined);
  const index = text.indexOf("?");
  if (readings.length === 0 || index < 0) return [];
  const message = describeOtherReadings(readings).join(", and ");
  return [{ code: "other-host", index, length: 1, section: "3.1", message, suggestion: 'write "%3F"' }];
}

function findMailAddressAmbiguity(url: Url): UrlAmbiguity[] {
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
 * Describes the ambiguity of a hyphen at a line end. By the Appendix of RFC 1738, the hyphen "may or may not
 * actually be part of the URL". The parameter `text` is the URL with the hyphen, and `other` is the URL without the
 * hyphen.
 */
export function describeHyphenAmbiguity(text: string, other: string): UrlAmbiguity {
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
