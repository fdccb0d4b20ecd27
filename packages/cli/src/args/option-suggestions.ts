import { computeEditDistance } from "@anyscheme/core/text";

/** The advice for options of curl and wget that the command does not have, by the option as written. */
const ADVICE_BY_FOREIGN_OPTION: Readonly<Record<string, string>> = {
  "-L": "the command follows redirects; --max-redirs sets their maximum number",
  "--location": "the command follows redirects; --max-redirs sets their maximum number",
  "-k": "no option disables the check of certificates; --cacert FILE trusts a certificate",
  "--insecure": "no option disables the check of certificates; --cacert FILE trusts a certificate",
  "--no-check-certificate":
    "no option disables the check of certificates; --cacert FILE trusts a certificate",
  "-f": "an HTTP error is always a failure, with exit code 22",
  "--fail": "an HTTP error is always a failure, with exit code 22",
  "-A": 'use -H "user-agent: TEXT"',
  "--user-agent": 'use -H "user-agent: TEXT"',
  "-e": 'use -H "referer: URL"',
  "--referer": 'use -H "referer: URL"',
  "-b": 'use -H "cookie: NAME=VALUE"',
  "--cookie": 'use -H "cookie: NAME=VALUE"',
  "--compressed": "the command requests and decodes compressed bodies without an option",
  "-D": "use -I, -i or --json",
  "--dump-header": "use -I, -i or --json",
  "-n": "the command does not read .netrc; use --user",
  "--netrc": "the command does not read .netrc; use --user",
  "-c": "use -C - to resume a download",
  "--continue": "use -C - to resume a download",
  "-P": "use -o with the path of the folder or file",
  "--mirror": "use get -r",
  "-Z": "-O with several URLs transfers in parallel; --parallel-max sets the maximum number",
  "--parallel": "-O with several URLs transfers in parallel; --parallel-max sets the maximum number",
  "-T": "the command does not upload files; use client.put of the library",
  "--upload-file": "the command does not upload files; use client.put of the library",
  "-q": "use -s",
  "--quiet": "use -s",
  "-w": "use --json, or -v",
  "--write-out": "use --json, or -v",
  "--spider": "use -I",
  "-F": "the command sends no multipart forms; use --data",
  "--form": "the command sends no multipart forms; use --data",
  "--url": "write the URL without an option",
  "-S": "messages of failures are always shown without -s",
  "--show-error": "messages of failures are always shown without -s",
};

/** Returns the advice for an unknown option: the option that has its effect, or the option with the nearest name. */
export function formatUnknownOptionAdvice(option: string, names: readonly string[]): string | undefined {
  const advice = Object.hasOwn(ADVICE_BY_FOREIGN_OPTION, option)
    ? ADVICE_BY_FOREIGN_OPTION[option]
    : undefined;
  if (advice !== undefined) return advice;
  const nearest = option.startsWith("--") ? findNearestName(option.slice(2), names) : undefined;
  return nearest === undefined ? undefined : `did you mean --${nearest}?`;
}

/** Maps a word that users of other programs know, such as `download`, to the corresponding command. */
const COMMAND_BY_FOREIGN_WORD: Readonly<Record<string, string>> = {
  fetch: "get",
  download: "get",
  curl: "get",
  wget: "get",
  cat: "get",
  dir: "ls",
  list: "ls",
  telnet: "open",
  search: "form",
  serve: "gateway",
  check: "lint",
};

export function formatUnknownCommandAdvice(word: string, names: readonly string[]): string | undefined {
  const key = word.toLowerCase();
  const known = Object.hasOwn(COMMAND_BY_FOREIGN_WORD, key) ? COMMAND_BY_FOREIGN_WORD[key] : undefined;
  const name = known ?? findNearestName(key, names);
  return name === undefined ? undefined : `did you mean ${name}?`;
}

/**
 * Returns the name with the smallest edit distance from a word. Returns `undefined` if the smallest distance is greater
 * than two, or than a third of the length of the word.
 */
export function findNearestName(word: string, names: readonly string[]): string | undefined {
  const maxDistance = Math.min(2, Math.floor(word.length / 3));
  // A much longer word is no misspelled name, and its comparison would take quadratic time.
  const candidates = names.filter((name) => Math.abs(name.length - word.length) <= maxDistance);
  const distances = candidates.map((name) => ({ name, distance: computeEditDistance(word, name) }));
  const [nearest] = distances.toSorted((a, b) => a.distance - b.distance);
  return nearest && nearest.distance <= maxDistance ? nearest.name : undefined;
}
