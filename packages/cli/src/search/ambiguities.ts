import type { UrlMatch } from "@anyscheme/core/extract";
import type { Url } from "@anyscheme/core/syntax";
import { MailtoUrl } from "@anyscheme/scheme-others/mailto/syntax";

/** What departs from nothing in the grammar of RFC 1738, and is not understood by everybody in the same way. */
export interface Ambiguity {
  readonly code: "other-host" | "no-addr-spec" | "hyphen";
  /** In UTF-16 units of the text of the URL. */
  readonly index: number;
  readonly length: number;
  readonly section: string;
  readonly message: string;
  readonly suggestion: string;
}

/** What readers of other standards, or of mail, take for something else. RFC 1738 §3.1, §3.5. */
export function findAmbiguities({ url, text }: UrlMatch): Ambiguity[] {
  return [...hostAmbiguity(url, text), ...addressAmbiguity(url)];
}

function hostAmbiguity({ readings }: Url, text: string): Ambiguity[] {
  if (readings.length === 0) return [];
  const readers = readings.map(({ reader }) => reader).join(" and ");
  const message = `the host ends here for readers of ${readers}`;
  return [
    {
      code: "other-host",
      index: text.indexOf("?"),
      length: 1,
      section: "3.1",
      message,
      suggestion: 'write "%3F"',
    },
  ];
}

function addressAmbiguity(url: Url): Ambiguity[] {
  if (!(url instanceof MailtoUrl) || url.addressFault === undefined) return [];
  const { index, reason } = url.addressFault;
  const { start, length } = sourceOfDecodedByte(url.address, index);
  return [
    {
      code: "no-addr-spec",
      index: "mailto:".length + start,
      length,
      section: "3.5",
      message: `by RFC 822 this is no address: ${reason}`,
      suggestion: "write an address, as in user@host.example",
    },
  ];
}

/** Where in a component the byte is written that comes at `index` when it is decoded. */
function sourceOfDecodedByte(component: string, index: number): { start: number; length: number } {
  let bytes = 0;
  for (const { 0: written, index: start } of component.matchAll(/%[0-9A-Fa-f]{2}|[^]/gu)) {
    bytes += written.startsWith("%") ? 1 : Buffer.byteLength(written);
    if (bytes > index) return { start, length: written.length };
  }
  return { start: component.length, length: 0 };
}

/**
 * The hyphen that a second reading of the same place leaves out: it "may or may not actually be part of the URL" (RFC 1738
 * Appendix). `text` is the first reading's, which has it.
 */
export function hyphenAmbiguity(text: string, other: string): Ambiguity {
  let index = 0;
  while (text[index] === other[index]) index++;
  return {
    code: "hyphen",
    index,
    length: 1,
    section: "Appendix",
    message: "the hyphen at the line end may or may not be part of the URL",
    suggestion: "break the line in another place",
  };
}
