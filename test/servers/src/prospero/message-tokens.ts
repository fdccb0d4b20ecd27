/**
 * Returns a token as the original software writes it: the first of these bytes begins a quoted run, which extends to
 * the end.
 */
export function quoteToken(token: string): string {
  if (token === "") return "''";
  const start = token.search(/[ \t\f\v\n\r/']/);
  return start < 0 ? token : `${token.slice(0, start)}'${token.slice(start).replaceAll("'", "''")}'`;
}

/** Matches a run between apostrophes, in which two apostrophes mean one. */
const run = /'((?:[^']|'')*)'/g;

/** Returns the lines of a message, each with its tokens and its text. One character per byte. */
export function splitIntoTokenLines(text: string): { tokens: string[]; line: string }[] {
  const lines = text.match(/(?:[^'\n]|'(?:[^']|'')*')+/g) ?? [];
  return lines.map((line) => {
    const tokens = line.match(/(?:[^ \t']|'(?:[^']|'')*')+/g) ?? [];
    return {
      line,
      tokens: tokens.map((token) => token.replace(run, (_, inner: string) => inner.replaceAll("''", "'"))),
    };
  });
}
