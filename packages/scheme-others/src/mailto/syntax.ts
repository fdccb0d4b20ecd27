import {
  type CharacterClass,
  characterClass,
  type Decoded,
  percentDecode,
  defineSyntax,
  type Fault,
  type Syntax,
  uchar,
  Url,
  xchar,
} from "@anyscheme/core/syntax";
import { type AddressFault, findAddrSpecFault } from "./addr-spec.ts";

export type { AddressFault };

const PREFIX = "mailto:";

const EMPTY_ADDRESS: Fault = { code: "empty-address", section: "3.5", message: "the address is missing" };

// What an address may hold without ending it for readers of RFC 6068, to whom "," begins another one and "?" the headers.
const addressWritten: CharacterClass = characterClass(`${uchar.characters.replace(",", "")}@:`);

/** `mailto:<rfc822-addr-spec>`. RFC 1738 §3.5. */
export class MailtoUrl extends Url<"mailto"> {
  /** All that follows the colon, as written: "there are no reserved characters", so a "?" is part of it. RFC 1738 §3.5. */
  get address(): string {
    return this.href.slice(PREFIX.length, this.end);
  }

  /** Where and why the decoded address is no `addr-spec` of RFC 822, which is no fault of syntax; else `undefined`. */
  get addressFault(): AddressFault | undefined {
    return findAddrSpecFault(percentDecode(this.address));
  }

  /**
   * The header fields that readers of RFC 6068 see behind the first "?" of the address, as written and in order; a field
   * without "=" has no value. `undefined` without a "?".
   */
  get headers(): readonly (readonly [name: string, value: string | undefined])[] | undefined {
    const { address } = this;
    const mark = address.indexOf("?");
    if (mark < 0) return undefined;
    const fields = address.slice(mark + 1).split("&");
    return Object.freeze(fields.filter((field) => field !== "").map(splitHeader));
  }

  override components(): Readonly<Record<string, unknown>> {
    return { scheme: this.scheme, address: this.address };
  }
}

/** What `build` takes. */
export interface MailtoParts {
  /** Decoded. All that could mean more than an address to readers of RFC 6068 is encoded. */
  readonly address: Decoded;
}

/** `mailtourl = "mailto:" encoded822addr`, `encoded822addr = 1*xchar`. RFC 1738 §5. */
export const mailtoSyntax: Syntax<MailtoUrl, MailtoParts> = defineSyntax<MailtoUrl, MailtoParts>({
  schemes: ["mailto"],
  schemepart: `(?!$)${xchar.source}`,
  diagnose(diagnostics) {
    const { start, end } = diagnostics;
    if (start === end) return diagnostics.reportFault(EMPTY_ADDRESS, start, 0, "write the address");
    return diagnostics.check(start, end, xchar);
  },
  url: (text, deviations) => new MailtoUrl(text, deviations),
  write: (parts, escape) =>
    PREFIX + escape(parts.address, parts instanceof MailtoUrl ? xchar : addressWritten),
});

function splitHeader(field: string): readonly [name: string, value: string | undefined] {
  const mark = field.indexOf("=");
  const nameEnd = mark < 0 ? field.length : mark;
  return Object.freeze([field.slice(0, nameEnd), mark < 0 ? undefined : field.slice(mark + 1)] as const);
}
