import {
  type CharacterClass,
  checkAuthority,
  type TextOrBytes,
  defineSyntax,
  type UrlFaultDefinition,
  hostportRegExpSource,
  InternetUrl,
  MISSING_PATH_SLASH_FAULT,
  type ParseDiagnostics,
  type Syntax,
  extendUchar,
  writeAuthority,
} from "@anyscheme/core/syntax";

// ppath = psegment *[ "/" psegment ], psegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]            RFC 1738 §5
const pathCharacters: CharacterClass = extendUchar("?:@&=/");
// fieldname = fieldvalue = *[ uchar | "?" | ":" | "@" | "&" ]
const fieldspecCharacters: CharacterClass = extendUchar("?:@&");
// *[ fieldspec ], fieldspec = ";" fieldname "=" fieldvalue: exactly one "=" after each ";". A regular expression
// with a group for each field would overflow the stack for a million fields.
const oneEqualsSignPerFieldspec = "(?![^]*?(?:;[^;=]*(?:;|$)|=[^;=]*=))";
const fieldspecsPattern = `(?:(?=;)${oneEqualsSignPerFieldspec}${extendUchar("?:@&;=").source})?`;

const BAD_FIELDSPEC_FAULT: UrlFaultDefinition = {
  code: "bad-field",
  section: "3.11",
  message: "a field is written as <name>=<value>",
};

// RFC 1738 §3.11: "If :<port> is omitted, the port defaults to 1525."
const DEFAULT_PORT = 1525;

/** A URL `prospero://<host>:<port>/<hsoname>;<field>=<value>` (RFC 1738 §3.11). */
export class ProsperoUrl extends InternetUrl<"prospero"> {
  /** The host-specific object name as written, between the "/" after the host and a ";". */
  get hsoname(): string {
    return this.#parts()[0] ?? "";
  }

  /**
   * The fields of a prospero URL as written, in their order. Field names and values in a prospero URL may be empty, and
   * a name may occur twice.
   */
  get fields(): readonly (readonly [name: string, value: string])[] {
    const fields = this.#parts().slice(1);
    return Object.freeze(
      fields.map((field) => {
        const mark = field.indexOf("=");
        return Object.freeze([field.slice(0, mark), field.slice(mark + 1)] as const);
      }),
    );
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORT;
  }

  override components(): Readonly<Record<string, unknown>> {
    const { scheme, host, port, hsoname, fields } = this;
    return { scheme, host, port, hsoname, fields };
  }

  #parts(): string[] {
    return (this.pathText ?? "").split(";");
  }
}

/** The components from which `build` builds a prospero URL, as decoded text or bytes. */
export interface ProsperoUrlBuildParts {
  readonly host: string;
  readonly port?: number | string | undefined;
  /**
   * The host-specific object name. The name in a prospero URL begins with "/" if the server's own object names begin
   * with "/".
   */
  readonly hsoname: TextOrBytes;
  /** The fields `;name=value` of the prospero URL, in order. Default: none. */
  readonly fields?: readonly (readonly [name: TextOrBytes, value: TextOrBytes])[] | undefined;
}

/** `prosperourl = "prospero://" hostport "/" ppath *[ fieldspec ]` (RFC 1738 §5). */
export const prosperoSyntax: Syntax<ProsperoUrl, ProsperoUrlBuildParts> = defineSyntax<
  ProsperoUrl,
  ProsperoUrlBuildParts
>({
  schemes: ["prospero"],
  defaultPort: DEFAULT_PORT,
  schemePartPattern: `//${hostportRegExpSource}/${pathCharacters.source}${fieldspecsPattern}`,
  reportDeviations(diagnostics) {
    const slash = checkAuthority(diagnostics, { login: false });
    if (slash === undefined) return false;
    if (slash === diagnostics.schemePartEnd)
      return diagnostics.reportFault(MISSING_PATH_SLASH_FAULT, slash, 0, 'write "/" after the host');
    return checkProsperoUrlPath(diagnostics, slash + 1);
  },
  createUrlFromText: (text, deviations) => new ProsperoUrl(text, deviations),
  formatUrl({ host, port, hsoname, fields = [] }, escape) {
    const written = fields.map(
      ([name, value]) => `;${escape(name, fieldspecCharacters)}=${escape(value, fieldspecCharacters)}`,
    );
    const path = escape(hsoname, pathCharacters) + written.join("");
    return `prospero:${writeAuthority({ host, port }, escape)}/${path}`;
  },
});

function checkProsperoUrlPath(diagnostics: ParseDiagnostics, start: number): boolean {
  const { schemePartEnd } = diagnostics;
  let mark = diagnostics.indexOf(";", start);
  if (!diagnostics.checkCharacters(start, mark, pathCharacters)) return false;
  while (mark < schemePartEnd) {
    const next = diagnostics.indexOf(";", mark + 1);
    if (!checkFieldspec(diagnostics, mark + 1, next)) return false;
    mark = next;
  }
  return true;
}

function checkFieldspec(diagnostics: ParseDiagnostics, start: number, end: number): boolean {
  const nameEnd = diagnostics.indexOf("=", start, end);
  if (!diagnostics.checkCharacters(start, nameEnd, fieldspecCharacters)) return false;
  if (nameEnd === end) return diagnostics.reportFault(BAD_FIELDSPEC_FAULT, end, 0, 'write "=" and the value');
  // Only the first "=" in a field of a prospero URL separates its name and value. A "/" has no special
  // meaning in the value of a field.
  return diagnostics.checkCharacters(nameEnd + 1, end, fieldspecCharacters, { reserved: "/=" });
}
