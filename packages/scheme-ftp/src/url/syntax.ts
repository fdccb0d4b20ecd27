import {
  checkAuthority,
  type CharacterClass,
  escapeDisallowed,
  type Decoded,
  defineSyntax,
  type Escape,
  type Fault,
  InternetUrl,
  loginSource,
  type Diagnostics,
  RESERVED,
  type Syntax,
  ucharPlus,
  writeAuthority,
} from "@anyscheme/core/syntax";

// fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]            RFC 1738 §5
const segmentCharacters: CharacterClass = ucharPlus("?:@&=");
const pathCharacters: CharacterClass = ucharPlus("?:@&=/");

/** `ftptype = "A" | "I" | "D" | "a" | "i" | "d"`. RFC 1738 §5. */
export type FtpTypecode = "A" | "I" | "D" | "a" | "i" | "d";

// RFC 1738 §3.2: "If :<port> is omitted, the port defaults to 21."
const DEFAULT_PORT = 21;

const BAD_TYPECODE: Fault = ["bad-typecode", "3.2.2", "the typecode is one of 'a', 'i' and 'd'"];
const TYPE_KEYWORD: Fault = ["type-keyword", "5", "the keyword ';type=' is written in lower case"];

const typed = /^;type=.$/i;
/** `;type=<typecode>` has seven characters. */
const TYPE_LENGTH = 7;

/** `ftp://<user>:<password>@<host>:<port>/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>`. RFC 1738 §3.2. */
export class FtpUrl extends InternetUrl<"ftp"> {
  /** The arguments of the CWD commands as written, empty ones included. RFC 1738 §3.2.2. */
  get cwd(): readonly string[] {
    return Object.freeze(this.#segments().slice(0, -1));
  }

  /** The last segment as written: `""` is an empty name, `undefined` means that there is no path. RFC 1738 §3.2.2. */
  get name(): string | undefined {
    return this.#segments().at(-1);
  }

  /** The typecode as written; `undefined` when `;type=` is omitted. RFC 1738 §3.2.3. */
  get type(): FtpTypecode | undefined {
    return this.#pathEnd() < this.end ? (this.href.charAt(this.end - 1) as FtpTypecode) : undefined;
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORT;
  }

  override components(): Readonly<Record<string, unknown>> {
    const { cwd, name, type } = this;
    return { ...super.components(), cwd, name, type };
  }

  /** The path is split before anything is decoded: `%2F` stays in its segment. */
  #segments(): string[] {
    if (this.authorityEnd === this.end) return [];
    return this.href.slice(this.authorityEnd + 1, this.#pathEnd()).split("/");
  }

  /** The index behind the last segment: of the ";" before the type, or the end. */
  #pathEnd(): number {
    // No host ends in "=" and a character, so that this can only stand in the path.
    const mark = this.end - TYPE_LENGTH;
    return typed.test(this.href.slice(mark, this.end)) ? mark : this.end;
  }
}

/** What `build` takes: decoded text or bytes. */
export interface FtpParts {
  readonly user?: Decoded | undefined;
  readonly password?: Decoded | undefined;
  readonly host: string;
  readonly port?: number | string | undefined;
  readonly cwd?: readonly Decoded[] | undefined;
  /** Default: none; an empty name when there are directories or a type. */
  readonly name?: Decoded | undefined;
  readonly type?: FtpTypecode | undefined;
}

/** `ftpurl = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]`. RFC 1738 §5. */
export const ftpSyntax: Syntax<FtpUrl, FtpParts> = defineSyntax<FtpUrl, FtpParts>({
  schemes: ["ftp"],
  defaultPort: DEFAULT_PORT,
  hierarchy: "path",
  emptyPath: "",
  schemepart: `//${loginSource}(?:/${pathCharacters.source}(?:;type=[AIDaid])?)?`,
  diagnose(reading) {
    const slash = checkAuthority(reading, { login: true });
    return slash !== undefined && checkPath(reading, slash);
  },
  url: (text, deviations) => new FtpUrl(text, deviations),
  write,
});

/** The URL of something that a listing of `base` names, in the directories `below` those of `base`; the login stays. */
export function entryUrl(base: FtpUrl, below: readonly Uint8Array[], name: Uint8Array): FtpUrl {
  const { user, password, host, port } = base;
  return ftpSyntax.parse(
    write({ user, password, host, port, cwd: [...base.cwd, ...below], name }, escapeDisallowed),
  );
}

function write(parts: FtpParts, escape: Escape): string {
  const { cwd = [], name, type } = parts;
  const start = `ftp:${writeAuthority(parts, escape)}`;
  if (cwd.length === 0 && name === undefined && type === undefined) return start;
  const segments = [...cwd, name ?? ""].map((segment) => escape(segment, segmentCharacters));
  return `${start}/${segments.join("/")}${type === undefined ? "" : `;type=${type}`}`;
}

/** Checks what follows the host, from its "/" on. */
function checkPath(reading: Diagnostics, slash: number): boolean {
  if (slash === reading.end) return true;
  const path = reading.text.slice(slash, reading.end);
  const mark = path.includes(";") ? path.search(/;type=/i) : -1;
  // Another ";" than that of the type can only belong to its segment, as in "FILE.TXT;1".
  const tolerance = { reserved: ";" };
  if (mark < 0) return reading.check(slash + 1, reading.end, pathCharacters, tolerance);
  return (
    reading.check(slash + 1, slash + mark, pathCharacters, tolerance) && checkType(reading, slash + mark)
  );
}

/**
 * Checks `;type=<typecode>` at `mark`, which has to be the end of the URL: some readers end the path at the first ";type="
 * wherever it stands, so that one in the middle has no single meaning.
 */
function checkType(reading: Diagnostics, mark: number): boolean {
  const equals = mark + ";type".length;
  const code = reading.text.slice(equals + 1, reading.end);
  if (code.includes("/")) return reading.reportFault(RESERVED, mark, 1, 'write "%3B"');
  const keyword = reading.text.slice(mark, equals);
  if (keyword !== ";type" && !reading.reportDeviation(TYPE_KEYWORD, mark, keyword.length, 'write ";type="'))
    return false;
  if (!reading.check(equals + 1, reading.end, segmentCharacters)) return false;
  const advice = 'write "a", "i" or "d", or "%3B" for a ";" of the name';
  return /^[AIDaid]$/.test(code) || reading.reportFault(BAD_TYPECODE, equals + 1, code.length, advice);
}
