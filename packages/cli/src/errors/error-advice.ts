import type { AccessError } from "@anyscheme/core";
import { LIMIT_OPTIONS } from "../args/limit-options.ts";

/** The command line's advice, by the library option in the library's advice. */
const ADVICE_BY_LIBRARY_OPTION: readonly (readonly [
  names: RegExp,
  advice: (error: AccessError) => string,
])[] = [
  [/\ballowPorts\b/, ({ step, url }) => `--allow-port ${extractScheme(url)}:${step?.target?.port} allows it`],
  [
    /\b(?:allowAddresses|allowNames|allowSchemeRedirects)\b/,
    () => "to fetch the URL, give it on the command line",
  ],
  [/\ballowForms\b/, () => "use: anyscheme form URL"],
  [/\bnews\(/, () => 'name one with --news-server HOST or in NNTPSERVER, or give an "nntp:" URL'],
  [/\boption groups\b/, () => "the setting newsServers lists the groups of each server"],
  [/\boption ca\b/, () => "if you trust its issuer, add its certificate with --cacert FILE"],
  [/\bstartTls\b/, () => 'use an "nntps:" URL'],
];

/** Matches names of the library: `maxRedirects`, `file({ root })`. */
const LIBRARY_NAME = /\b[a-z]+[A-Z]\w*|\(\{|\w\(\)/;

/**
 * Returns the advice for an error in terms of the command line. Returns `undefined` for advice that concerns
 * programs only.
 */
export function adaptAdviceToCommandLine(error: AccessError): string | undefined {
  const { code, advice, limit } = error;
  if (code === "authentication-required") return "give --user NAME[:PASSWORD], or answer at a terminal";
  if (advice === undefined) return undefined;
  if (limit !== undefined) {
    const option = LIMIT_OPTIONS.find((each) => each.clientLimit === limit);
    return `${advice.replace(` ${limit}`, "")}${option ? `; --${option.name} changes it` : ""}`;
  }
  const row = ADVICE_BY_LIBRARY_OPTION.find(([names]) => names.test(advice));
  if (row) return row[1](error);
  if (LIBRARY_NAME.test(advice)) return undefined;
  return code === "unknown-scheme" ? advice.replace(/; .*/s, "") : advice;
}

function extractScheme(url = ""): string {
  return url.slice(0, Math.max(0, url.indexOf(":")));
}
