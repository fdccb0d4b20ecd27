/**
 * Quotes a token as the original Prospero software does: the quotation begins at the first special byte and extends
 * to the end.
 */
export function quoteToken(token: string): string {
  if (token === "") return "''";
  const start = token.search(/[ \t\f\v\n\r/']/);
  return start < 0 ? token : `${token.slice(0, start)}'${token.slice(start).replaceAll("'", "''")}'`;
}

/**
 * Matches a quoted part of a token in a Prospero message. Within a Prospero quotation, two apostrophes mean one
 * apostrophe.
 */
const quotedPartPattern = /'((?:[^']|'')*)'/g;

/**
 * Returns the lines of a Prospero message with their tokens. The text of the Prospero message has one character per
 * byte.
 */
export function splitProsperoMessageIntoTokenLines(text: string): { tokens: string[]; line: string }[] {
  const lines = text.match(/(?:[^'\n]|'(?:[^']|'')*')+/g) ?? [];
  return lines.map((line) => {
    const tokens = line.match(/(?:[^ \t']|'(?:[^']|'')*')+/g) ?? [];
    return {
      line,
      tokens: tokens.map((token) =>
        token.replace(quotedPartPattern, (_, inner: string) => inner.replaceAll("''", "'")),
      ),
    };
  });
}
