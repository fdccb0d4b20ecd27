const BLANK = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const APOSTROPHE = 0x27;

/** The bytes before which the original software opens a quotation. The quotation extends to the end of the token. */
const NEEDS_QUOTES = /[ \t\f\v\n\r/']/;

/** Quotes a token for a message, as the original software does. The string has one character per byte. */
export function quote(token: string): string {
  if (token === "") return "''";
  const start = token.search(NEEDS_QUOTES);
  if (start < 0) return token;
  return `${token.slice(0, start)}'${token.slice(start).replaceAll("'", "''")}'`;
}

/** True when a line ends within a quotation. A doubled apostrophe closes the quotation and opens it again. */
export function isQuoteOpen(line: string): boolean {
  let quoted = false;
  for (let at = line.indexOf("'"); at >= 0; at = line.indexOf("'", at + 1)) quoted = !quoted;
  return quoted;
}

/** Splits a line into tokens at blanks and tabs outside quotations, and unquotes them. */
export function tokenize(line: string): string[] {
  const tokens: string[] = [];
  // An unquoted carriage return is part of the line end.
  const length = line.charCodeAt(line.length - 1) === CR ? line.length - 1 : line.length;
  let tab = line.indexOf("\t");
  let apostrophe = line.indexOf("'");
  for (let at = 0; at < length;) {
    if (tab >= 0 && tab < at) tab = line.indexOf("\t", at);
    const end = tokenEnd(line, at, length, tab);
    if (apostrophe >= 0 && apostrophe < at) apostrophe = line.indexOf("'", at);
    if (apostrophe >= 0 && apostrophe < end) {
      at = readQuoted(line, at, length, tokens);
    } else {
      if (end > at) tokens.push(line.slice(at, end));
      at = end + 1;
    }
  }
  return tokens;
}

/**
 * Returns the position of the next blank or tab, or the end. `tab` is the position of the next tab, if the line has
 * any.
 */
function tokenEnd(line: string, at: number, length: number, tab: number): number {
  const blank = line.indexOf(" ", at);
  const end = blank < 0 || blank > length ? length : blank;
  return tab >= 0 && tab < end ? tab : end;
}

/** Adds the token at `start`, which has apostrophes. Returns the position after the token. */
function readQuoted(line: string, start: number, length: number, tokens: string[]): number {
  let at = start;
  let from = start;
  let token = "";
  while (at < length) {
    const byte = line.charCodeAt(at);
    if (byte === BLANK || byte === TAB) break;
    if (byte !== APOSTROPHE) {
      at++;
      continue;
    }
    token += line.slice(from, at);
    let close = line.indexOf("'", at + 1);
    // A doubled apostrophe means a single apostrophe.
    while (close >= 0 && line.charCodeAt(close + 1) === APOSTROPHE) {
      token += line.slice(at + 1, close + 1);
      at = close + 1;
      close = line.indexOf("'", at + 1);
    }
    const end = close < 0 ? line.length : close;
    token += line.slice(at + 1, end);
    at = end + 1;
    from = at;
  }
  tokens.push(token + line.slice(from, at));
  return at;
}
