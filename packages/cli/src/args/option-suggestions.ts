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
  "-S": "messages of failures are always shown without -s",
  "--show-error": "messages of failures are always shown without -s",
};

/** Returns the advice for an unknown option: the option that has its effect, or the option with the nearest name. */
export function suggestOption(option: string, names: readonly string[]): string | undefined {
  const advice = ADVICE_BY_FOREIGN_OPTION[option];
  if (advice !== undefined) return advice;
  const nearest = option.startsWith("--") ? findNearestName(option.slice(2), names) : undefined;
  return nearest === undefined ? undefined : `did you mean --${nearest}?`;
}

/** The commands that do what a user of another program expects from these words. */
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

/** Returns the advice for an unknown command. */
export function suggestCommand(word: string, names: readonly string[]): string | undefined {
  const name = COMMAND_BY_FOREIGN_WORD[word] ?? findNearestName(word, names);
  return name === undefined ? undefined : `did you mean ${name}?`;
}

/**
 * Returns the name with the smallest edit distance from a word. Returns `undefined` if that distance is greater than
 * two, or than a third of the length of the word.
 */
export function findNearestName(word: string, names: readonly string[]): string | undefined {
  const maxDistance = Math.min(2, Math.floor(word.length / 3));
  const distances = names.map((name) => ({ name, distance: computeEditDistance(word, name) }));
  const [nearest] = distances.toSorted((a, b) => a.distance - b.distance);
  return nearest && nearest.distance <= maxDistance ? nearest.name : undefined;
}

/** Returns the number of insertions, deletions, replacements and swaps of neighbours that turn one text into another. */
function computeEditDistance(a: string, b: string): number {
  // A longer word is no misspelled name, and would cost quadratic time.
  if (Math.abs(a.length - b.length) > 2) return Infinity;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? (beforePrevious[column - 2] ?? 0) + 1 : Infinity;
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
