import type { AccessError } from "@anyscheme/core";
import { LIMIT_OPTIONS } from "../args/limit-table.ts";

/** What each advice to a programmer is on a command line: by the option of the library that it names. */
const ADVICE_BY_LIBRARY_OPTION: readonly (readonly [
  names: RegExp,
  advice: (error: AccessError) => string,
])[] = [
  [/\ballowPorts\b/, ({ step, url }) => `--allow-port ${schemeOf(url)}:${step?.target?.port} allows it`],
  [/\b(?:allowAddresses|allowNames|allowSchemeRedirects)\b/, () => "give that URL itself to reach it"],
  [/\ballowForms\b/, () => "the command form fills it in"],
  [/\bnews\(/, () => 'name one with --news-server HOST or in NNTPSERVER, or give an "nntp:" URL'],
  [/\boption groups\b/, () => "newsServers of the settings says which groups a server is asked for"],
  [/\boption ca\b/, () => "if you trust its issuer, add its certificate with --ca FILE"],
  [/\bstartTls\b/, () => 'use an "nntps:" URL'],
];

/** Names of the library: `maxRedirects`, `file({ root })`. */
const LIBRARY_NAME = /\b[a-z]+[A-Z]\w*|\(\{|\w\(\)/;

/** The advice of an error in terms of the command line; what only a program can do is left out. */
export function adviceForError(error: AccessError): string | undefined {
  const { code, advice, limit } = error;
  if (code === "authentication-required") return "give --user NAME[:PASSWORD], or answer at a terminal";
  if (advice === undefined) return undefined;
  if (limit !== undefined) {
    const row = LIMIT_OPTIONS.find((each) => each.limit === limit);
    return `${advice.replace(` ${limit}`, "")}${row ? `; --${row.name} changes it` : ""}`;
  }
  const row = ADVICE_BY_LIBRARY_OPTION.find(([names]) => names.test(advice));
  if (row) return row[1](error);
  if (LIBRARY_NAME.test(advice)) return undefined;
  return code === "unknown-scheme" ? advice.replace(/; .*/s, "") : advice;
}

function schemeOf(url = ""): string {
  return url.slice(0, Math.max(0, url.indexOf(":")));
}
