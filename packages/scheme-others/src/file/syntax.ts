import {
  type Authority,
  type CharacterClass,
  type Decoded,
  defineSyntax,
  InternetUrl,
  readAuthority,
  type Reading,
  type Syntax,
  ucharAnd,
  writeAuthority,
} from "@anyscheme/core/syntax";

// fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]            RFC 1738 §5
const segmentCharacters: CharacterClass = ucharAnd("?:@&=");

/** `file://<host>/<path>`. RFC 1738 §3.10. */
export class FileUrl extends InternetUrl<"file"> {
  readonly #segments: readonly string[];

  constructor(reading: Reading, authority: Authority, segments: readonly string[]) {
    super(reading, authority, undefined);
    this.#segments = Object.freeze(segments);
  }

  /** The path's segments as written; the "/" after the host is not part of them. */
  get segments(): readonly string[] {
    return this.#segments;
  }

  /** Whether the file is on "the machine from which the URL is being interpreted": the host is empty or `localhost`. */
  get isLocal(): boolean {
    return this.host === "" || this.effectiveHost === "localhost";
  }

  override components(): Readonly<Record<string, unknown>> {
    return { scheme: this.scheme, host: this.host, segments: this.#segments };
  }
}

export interface FileParts {
  /** Default: the empty host, which is this machine. */
  readonly host?: string | undefined;
  readonly segments: readonly Decoded[];
}

/** `fileurl = "file://" [ host | "localhost" ] "/" fpath`. RFC 1738 §5. */
export const fileSyntax: Syntax<FileUrl, FileParts> = defineSyntax<FileUrl, FileParts>({
  schemes: ["file"],
  hierarchy: "path",
  read(reading) {
    const authority = readHost(reading);
    if (!authority) return undefined;
    if (authority.end === reading.end) {
      reading.refuse("missing-slash", reading.end, 0, 'write "/" after the host');
      return undefined;
    }
    const segments = reading.text.slice(authority.end + 1, reading.end).split("/");
    let index = authority.end + 1;
    for (const segment of segments) {
      if (!reading.check(index, index + segment.length, segmentCharacters, { reserved: ";" }))
        return undefined;
      index += segment.length + 1;
    }
    return new FileUrl(reading, authority, segments);
  },
  write(parts, escape) {
    const path = parts.segments.map((segment) => escape(segment, segmentCharacters)).join("/");
    const authority = parts.host ? writeAuthority({ host: parts.host }, escape) : "//";
    return `file:${authority}/${path}`;
  },
});

/** The host, or none in the form `file:/path` that tolerant mode lets in. */
function readHost(reading: Reading): Authority | undefined {
  const { text, start } = reading;
  if (text.startsWith("/", start) && !text.startsWith("//", start)) {
    const going = reading.depart("single-slash", start, 1, 'write "///"');
    return going
      ? { user: undefined, password: undefined, host: "", port: undefined, end: start }
      : undefined;
  }
  return readAuthority(reading, { login: false, port: false, emptyHost: true });
}
