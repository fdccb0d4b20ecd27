import type { AccessError } from "@anyscheme/core";
import { LIMIT_OPTION_DEFINITIONS } from "../args/limit-options.ts";

/** The command-line advice for each library option that the advice of an error may name. */
const ADVICE_BY_LIBRARY_OPTION: readonly (readonly [
  names: RegExp,
  advice: (error: AccessError) => string,
])[] = [
  [
    /\ballowPorts\b/,
    ({ advice = "", step, url }) => {
      const [, scheme = extractScheme(url), port = step?.target?.port] =
        /"([^"]+)": \[(\d+)\]/.exec(advice) ?? [];
      return `--allow-port ${scheme}:${port} allows it`;
    },
  ],
  [
    /\ballowProxyResolution\b/,
    () => "use socks5:// instead of socks5h://, or name the proxy with --proxy socks5h://HOST:PORT",
  ],
  [/^use no proxy\b/, () => "use --no-proxy for this URL"],
  [
    /\b(?:allowAddresses|allowNames|allowSchemeRedirects)\b/,
    () => "to dereference this URL, pass it to a command of its own, without --public-only",
  ],
  [/\ballowForms\b/, () => "use: anyscheme form URL"],
  [/\bnews\(/, () => 'name a news server with --news-server HOST or in NNTPSERVER, or use an "nntp:" URL'],
  [/\boption groups\b/, () => "the setting newsServers lists the groups of each server"],
  [
    /\boption ca\b/,
    ({ code }) =>
      `if you trust the issuer of the certificate, add the issuer's certificate with --${code === "proxy" ? "proxy-cacert" : "cacert"} FILE`,
  ],
  [/\boption credentials\b/, () => "the server refused this login; check the user name and the password"],
  [/\boption tls\b/, () => "the server requires TLS: use --tls explicit"],
  [/\bstartTls\b/, () => 'use an "nntps:" URL'],
];

/** Matches names of library functions and options, such as `maxRedirects` and `file({ root })`. */
const LIBRARY_IDENTIFIER = /\b[a-z]+[A-Z]\w*|\(\{|\w\(\)/;

const FILE_ROOT_ADVICE = "the root of file: URLs is the current folder; --file-root DIR changes the root";

/**
 * Returns the advice for an error, with command-line options in place of library options. Returns `undefined` for
 * advice that only a programmer can follow.
 */
export function adaptAdviceToCommandLine(error: AccessError): string | undefined {
  const { code, advice, limit } = error;
  if (code === "authentication-required" && advice?.startsWith("the server refused the login"))
    return `${advice}; check the user name and the password`;
  if (code === "authentication-required")
    return "use --user NAME[:PASSWORD], or enter the password at a terminal";
  if (advice === undefined)
    return code === "not-found" && extractScheme(error.url) === "file" ? FILE_ROOT_ADVICE : undefined;
  if (limit !== undefined) {
    const option = LIMIT_OPTION_DEFINITIONS.find((each) => each.clientLimitName === limit);
    return `${advice.replace(` ${limit}`, "")}${option ? `; the option --${option.name} changes the limit` : ""}`;
  }
  if (code === "unknown-scheme")
    return `${advice.replace(/; .*/s, "")}; --scheme FILE adds a scheme from a module`;
  const row = ADVICE_BY_LIBRARY_OPTION.find(([names]) => names.test(advice));
  if (row) return row[1](error);
  if (LIBRARY_IDENTIFIER.test(advice)) return undefined;
  return advice;
}

/** Returns the reason of an error, with the command-line option in place of the library option `range`. */
export function adaptReasonToCommandLine({ reason }: AccessError): string {
  return reason.replace(/ the option range$/, " --continue-at");
}

function extractScheme(url = ""): string {
  return url.slice(0, Math.max(0, url.indexOf(":")));
}
