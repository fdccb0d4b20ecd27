import {
  checkAuthority,
  type TextOrBytes,
  defineSyntax,
  type UrlFaultDefinition,
  InternetUrl,
  authorityRegExpSource,
  type Syntax,
  writeAuthority,
} from "@anyscheme/core/syntax";

// RFC 1738 §3.8: "If :<port> is omitted, the port defaults to 23."
const DEFAULT_PORT = 23;

const BAD_PATH_FAULT: UrlFaultDefinition = {
  code: "bad-path",
  section: "3.8",
  message: "only a '/' may follow the host",
};

/** A URL `telnet://<user>:<password>@<host>:<port>/`. RFC 1738 §3.8. The client does not send the login in the URL. */
export class TelnetUrl extends InternetUrl<"telnet"> {
  /**
   * The path of a telnet URL is `""`, or `undefined` without the "/" after the host. Telnet URLs with and
   * without the final "/" have the same meaning. RFC 1738 §3.8.
   */
  get urlPath(): "" | undefined {
    return this.pathText === undefined ? undefined : "";
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORT;
  }
}

/**
 * The parts from which `build` builds a telnet URL, as decoded text or bytes. `build` always writes the "/" after the
 * host of a telnet URL.
 */
export interface TelnetUrlBuildParts {
  readonly user?: TextOrBytes | undefined;
  readonly password?: TextOrBytes | undefined;
  readonly host: string;
  readonly port?: number | string | undefined;
}

/** `telneturl = "telnet://" login [ "/" ]`. RFC 1738 §5. */
export const telnetSyntax: Syntax<TelnetUrl, TelnetUrlBuildParts> = defineSyntax<
  TelnetUrl,
  TelnetUrlBuildParts
>({
  schemes: ["telnet"],
  defaultPort: DEFAULT_PORT,
  emptyPathEquivalent: "",
  schemePartPattern: `//${authorityRegExpSource}/?`,
  reportDeviations(diagnostics) {
    const slash = checkAuthority(diagnostics, { login: true });
    if (slash === undefined) return false;
    const rest = slash + 1;
    return (
      rest >= diagnostics.schemePartEnd ||
      diagnostics.reportFault(BAD_PATH_FAULT, rest, diagnostics.schemePartEnd - rest, "remove it")
    );
  },
  createUrlFromText: (text, deviations) => new TelnetUrl(text, deviations),
  formatUrl(parts, escape) {
    const slash = parts instanceof TelnetUrl && parts.urlPath === undefined ? "" : "/";
    return `telnet:${writeAuthority(parts, escape)}${slash}`;
  },
});
