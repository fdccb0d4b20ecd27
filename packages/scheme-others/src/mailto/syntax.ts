import {
  type CharacterClass,
  createCharacterClass,
  type TextOrBytes,
  defineSyntax,
  percentDecode,
  type UrlFaultDefinition,
  type Syntax,
  uchar,
  Url,
  xchar,
} from "@anyscheme/core/syntax";
import { type MailAddressFault, findAsciiAddrSpecFault } from "./addr-spec.ts";
import { type PercentEncodedHeaderField, splitMailtoHeaderField } from "./header-fields.ts";
import {
  parseRfc1738RecipientAndHeaders,
  parseRfc6068Recipients,
  type RecipientsAndHeaders,
} from "./recipients.ts";

export type { MailAddressFault };

const MAILTO_PREFIX = "mailto:";

const EMPTY_ADDRESS_FAULT: UrlFaultDefinition = {
  code: "empty-address",
  section: "3.5",
  message: "the address is missing",
};

// The characters that RFC 6068 permits within an address. Excludes ",", which separates addresses in RFC 6068, and
// "?", which begins the header fields.
const ADDRESS_CHARACTERS: CharacterClass = createCharacterClass(`${uchar.characters.replace(",", "")}@:`);

/** A URL `mailto:<rfc822-addr-spec>`. RFC 1738 §3.5. */
export class MailtoUrl extends Url<"mailto"> {
  /**
   * The text of a mailto URL after the colon, as written. RFC 1738 §3.5 says "there are no reserved characters", so a
   * "?" is part of the address.
   */
  get address(): string {
    return this.href.slice(MAILTO_PREFIX.length, this.urlEnd);
  }

  /**
   * The reason why the decoded address is not an `addr-spec` of RFC 822. Modern mode also permits the recipients of RFC
   * 6068. An invalid address is not a syntax error of the URL.
   */
  get addressFault(): MailAddressFault | undefined {
    return this.mode === "modern"
      ? parseRecipientsAndHeaders(this).fault
      : findAsciiAddrSpecFault(percentDecode(this.address));
  }

  /**
   * The header fields (RFC 6068) after the first "?" of the address, as written, in order. A field without "=" has no
   * value. `undefined` for a mailto URL whose address contains no "?".
   */
  get headers(): readonly PercentEncodedHeaderField[] | undefined {
    const { address } = this;
    const mark = address.indexOf("?");
    if (mark < 0) return undefined;
    const fields = address.slice(mark + 1).split("&");
    return Object.freeze(fields.filter((field) => field !== "").map(splitMailtoHeaderField));
  }

  override components(): Readonly<Record<string, unknown>> {
    return { scheme: this.scheme, address: this.address };
  }
}

/** The parts from which `build` builds a mailto URL. */
export interface MailtoUrlBuildParts {
  /** The decoded address. `build` encodes characters with a meaning in RFC 6068. */
  readonly address: TextOrBytes;
}

/** `mailtourl = "mailto:" encoded822addr`, `encoded822addr = 1*xchar`. RFC 1738 §5. */
export const mailtoSyntax: Syntax<MailtoUrl, MailtoUrlBuildParts> = defineSyntax<
  MailtoUrl,
  MailtoUrlBuildParts
>({
  schemes: ["mailto"],
  schemePartPattern: `(?!$)${xchar.source}`,
  reportDeviations(diagnostics) {
    const { schemePartStart, schemePartEnd } = diagnostics;
    if (schemePartStart === schemePartEnd)
      return diagnostics.reportFault(EMPTY_ADDRESS_FAULT, schemePartStart, 0, "write the address");
    const mark = diagnostics.indexOf("?", schemePartStart);
    return (
      diagnostics.checkCharacters(schemePartStart, mark, xchar, { delimiters: false }) &&
      diagnostics.checkCharacters(mark, schemePartEnd, xchar)
    );
  },
  createUrlFromText: (text, deviations) => new MailtoUrl(text, deviations),
  formatUrl: (parts, escape) =>
    MAILTO_PREFIX + escape(parts.address, parts instanceof MailtoUrl ? xchar : ADDRESS_CHARACTERS),
});

/** Parses the recipients and the header fields of a mailto URL in the mode of the URL. */
export function parseRecipientsAndHeaders({ address, mode }: MailtoUrl): RecipientsAndHeaders {
  return mode === "modern" ? parseRfc6068Recipients(address) : parseRfc1738RecipientAndHeaders(address);
}
