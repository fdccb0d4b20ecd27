const BLANK = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const APOSTROPHE = 0x27;

/** The bytes at which the writer of the original software opens a quoted run, which then goes on to the end of the token. */
const OPENS_RUN = /[ \t\f\v\n\r/']/;

/** A token as it is written in a message; one character a byte. Any quoting of the same token means the same. */
export function quote(token: string): string {
  if (token === "") return "''";
  const start = token.search(OPENS_RUN);
  if (start < 0) return token;
  return `${token.slice(0, start)}'${token.slice(start).replaceAll("'", "''")}'`;
}

/** Whether a line ends within a quoted run. A doubled apostrophe leaves the run and enters it again. */
export function isQuoteOpen(line: string): boolean {
  let quoted = false;
  for (let at = line.indexOf("'"); at >= 0; at = line.indexOf("'", at + 1)) quoted = !quoted;
  return quoted;
}

/** The tokens of a line, unquoted. They are separated by blanks and tabs outside apostrophes. */
export function tokenize(line: string): string[] {
  const tokens: string[] = [];
  // A carriage return that nobody has quoted is part of the line's end.
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

/** Where the blank or tab is that comes next, or the end; `tab` is the next tab, if there is one. */
function tokenEnd(line: string, at: number, length: number, tab: number): number {
  const blank = line.indexOf(" ", at);
  const end = blank < 0 || blank > length ? length : blank;
  return tab >= 0 && tab < end ? tab : end;
}

/** Adds the token that begins here and has apostrophes; returns the index behind it. */
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
    // Two apostrophes inside a run are one.
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
