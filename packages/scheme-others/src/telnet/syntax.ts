import {
  checkAuthority,
  type Decoded,
  defineSyntax,
  type Found,
  InternetUrl,
  loginSource,
  type Syntax,
  writeAuthority,
} from "@anyscheme/core/syntax";

// RFC 1738 §3.8: "If :<port> is omitted, the port defaults to 23."
const DEFAULT_PORT = 23;

/** `telnet://<user>:<password>@<host>:<port>/`. RFC 1738 §3.8. The login is advisory only. */
export class TelnetUrl extends InternetUrl<"telnet"> {
  constructor(text: string, found: Found) {
    super(text, found, "telnet://".length);
  }

  /** What follows the host's "/", which is nothing: `""`, or `undefined` without the "/", which means the same. RFC 1738 §3.8. */
  get urlPath(): "" | undefined {
    return this.pathText === undefined ? undefined : "";
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORT;
  }
}

/** What `build` takes: decoded text or octets. The "/" is always written. */
export interface TelnetParts {
  readonly user?: Decoded | undefined;
  readonly password?: Decoded | undefined;
  readonly host: string;
  readonly port?: number | string | undefined;
}

/** `telneturl = "telnet://" login [ "/" ]`. RFC 1738 §5. */
export const telnetSyntax: Syntax<TelnetUrl, TelnetParts> = defineSyntax<TelnetUrl, TelnetParts>({
  schemes: ["telnet"],
  defaultPort: DEFAULT_PORT,
  emptyPath: "",
  schemepart: `//${loginSource}/?`,
  diagnose(reading) {
    const slash = checkAuthority(reading, { login: true });
    if (slash === undefined) return false;
    const rest = slash + 1;
    return rest >= reading.end || reading.refuse("bad-path", rest, reading.end - rest, "leave it out");
  },
  url: (text, found) => new TelnetUrl(text, found),
  write(parts, escape) {
    const slash = parts instanceof TelnetUrl && parts.urlPath === undefined ? "" : "/";
    return `telnet:${writeAuthority(parts, escape)}${slash}`;
  },
});
