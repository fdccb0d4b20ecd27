import {
  type Authority,
  type CharacterClass,
  conform,
  type Decoded,
  defineSyntax,
  type Escape,
  InternetUrl,
  readAuthority,
  type Reading,
  type Syntax,
  ucharAnd,
  writeAuthority,
} from "@anyscheme/core/syntax";

// fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]            RFC 1738 §5
const segmentCharacters: CharacterClass = ucharAnd("?:@&=");

/** `ftptype = "A" | "I" | "D" | "a" | "i" | "d"`. RFC 1738 §5. */
export type FtpTypecode = "A" | "I" | "D" | "a" | "i" | "d";

interface FtpPath {
  readonly cwd: readonly string[];
  readonly name: string | undefined;
  readonly type: FtpTypecode | undefined;
}

/** `ftp://<user>:<password>@<host>:<port>/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>`. RFC 1738 §3.2. */
export class FtpUrl extends InternetUrl<"ftp"> {
  readonly #path: FtpPath;

  constructor(reading: Reading, authority: Authority, path: FtpPath) {
    super(reading, authority, DEFAULT_PORT);
    this.#path = Object.freeze({ ...path, cwd: Object.freeze(path.cwd) });
  }

  /** The arguments of the CWD commands as written, empty ones included. RFC 1738 §3.2.2. */
  get cwd(): readonly string[] {
    return this.#path.cwd;
  }

  /** The last segment as written: `""` is an empty name, `undefined` means that there is no path. RFC 1738 §3.2.2. */
  get name(): string | undefined {
    return this.#path.name;
  }

  /** The typecode as written; `undefined` when `;type=` is omitted. RFC 1738 §3.2.3. */
  get type(): FtpTypecode | undefined {
    return this.#path.type;
  }

  override components(): Readonly<Record<string, unknown>> {
    return { ...super.components(), ...this.#path };
  }
}

/** What `build` takes: decoded text or octets. */
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

// RFC 1738 §3.2: "If :<port> is omitted, the port defaults to 21."
const DEFAULT_PORT = 21;

/** `ftpurl = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]`. RFC 1738 §5. */
export const ftpSyntax: Syntax<FtpUrl, FtpParts> = defineSyntax<FtpUrl, FtpParts>({
  schemes: ["ftp"],
  defaultPort: DEFAULT_PORT,
  hierarchy: "path",
  read(reading) {
    const authority = readAuthority(reading, { login: true });
    if (!authority) return undefined;
    const path = readPath(reading, authority.end);
    return path && new FtpUrl(reading, authority, path);
  },
  write,
});

/** The URL of something that a listing of `base` names, in the directories `below` those of `base`; the login stays. */
export function urlOfEntry(base: FtpUrl, below: readonly Uint8Array[], name: Uint8Array): FtpUrl {
  const { user, password, host, port } = base;
  return ftpSyntax.parse(write({ user, password, host, port, cwd: [...base.cwd, ...below], name }, conform));
}

function write(parts: FtpParts, escape: Escape): string {
  const { cwd = [], name, type } = parts;
  const start = `ftp:${writeAuthority(parts, escape)}`;
  if (cwd.length === 0 && name === undefined && type === undefined) return start;
  const segments = [...cwd, name ?? ""].map((segment) => escape(segment, segmentCharacters));
  return `${start}/${segments.join("/")}${type === undefined ? "" : `;type=${type}`}`;
}

/** Reads what follows the host, from its "/" on. The path is split before anything is decoded: `%2F` stays in its segment. */
function readPath(reading: Reading, slash: number): FtpPath | undefined {
  if (slash === reading.end) return { cwd: [], name: undefined, type: undefined };
  const segments = reading.text.slice(slash + 1, reading.end).split("/");
  const name = segments.pop() ?? "";
  let start = slash + 1;
  for (const segment of segments) {
    if (!checkDirectory(reading, start, segment)) return undefined;
    start += segment.length + 1;
  }
  return readName(reading, start, name, segments);
}

/** Where the first `;type=` of a segment begins, in any case; -1 when there is none. */
function typeIndex(segment: string): number {
  return segment.search(/;type=/i);
}

// Some readers end the path at the first ";type=" wherever it stands, so one that is not at the end has no single meaning.
function checkDirectory(reading: Reading, start: number, segment: string): boolean {
  const mark = typeIndex(segment);
  if (mark < 0) return checkSegment(reading, start, start + segment.length);
  return (
    checkSegment(reading, start, start + mark) && reading.refuse("reserved", start + mark, 1, 'write "%3B"')
  );
}

// Another ";" than that of the type can only belong to its segment, as in "FILE.TXT;1".
function checkSegment(reading: Reading, start: number, end: number): boolean {
  return reading.check(start, end, segmentCharacters, { reserved: ";" });
}

function readName(
  reading: Reading,
  start: number,
  segment: string,
  cwd: readonly string[],
): FtpPath | undefined {
  const mark = typeIndex(segment);
  if (mark < 0) {
    return checkSegment(reading, start, reading.end) ? { cwd, name: segment, type: undefined } : undefined;
  }
  if (!checkSegment(reading, start, start + mark)) return undefined;
  const type = readType(reading, start + mark);
  return type && { cwd, name: segment.slice(0, mark), type };
}

/** Reads `;type=<typecode>` at `mark`, up to the end. */
function readType(reading: Reading, mark: number): FtpTypecode | undefined {
  const equals = mark + ";type".length;
  const keyword = reading.text.slice(mark, equals);
  if (keyword !== ";type" && !reading.depart("type-keyword", mark, keyword.length, 'write ";type="'))
    return undefined;
  const code = reading.text.slice(equals + 1, reading.end);
  if (!reading.check(equals + 1, reading.end, segmentCharacters)) return undefined;
  if (isTypecode(code)) return code;
  const advice = 'write "a", "i" or "d", or "%3B" for a ";" of the name';
  reading.refuse("bad-typecode", equals + 1, code.length, advice);
  return undefined;
}

function isTypecode(code: string): code is FtpTypecode {
  return /^[AIDaid]$/.test(code);
}
