/** A token as the original software writes it: a quoted run is opened at the first of these bytes and goes on to the end. */
export function written(token: string): string {
  if (token === "") return "''";
  const start = token.search(/[ \t\f\v\n\r/']/);
  return start < 0 ? token : `${token.slice(0, start)}'${token.slice(start).replaceAll("'", "''")}'`;
}

/** A run between apostrophes, where two of them are one. */
const run = /'((?:[^']|'')*)'/g;

/** The lines of a message, each as its tokens and as it came; one character a byte. */
export function readMessage(text: string): { tokens: string[]; line: string }[] {
  const lines = text.match(/(?:[^'\n]|'(?:[^']|'')*')+/g) ?? [];
  return lines.map((line) => {
    const tokens = line.match(/(?:[^ \t']|'(?:[^']|'')*')+/g) ?? [];
    return {
      line,
      tokens: tokens.map((token) => token.replace(run, (_, inner: string) => inner.replaceAll("''", "'"))),
    };
  });
}
