/** Characters that a parser could confuse with US-ASCII, by case folding, truncation or handling of surrogates. */
const NON_ASCII_CHARACTERS: readonly string[] = [
  "\u0080",
  "\u00a0",
  "\u00e9",
  "\u0130",
  "\u017f",
  "\u0660",
  "\u2028",
  "\u212a",
  "\u0125",
  "\uff0f",
  "\uff11",
  "\ufeff",
  "\ud800",
  "\udc00",
  "\u{1f600}",
];

/**
 * Texts that URL parsers often misread: reserved and unsafe characters, control characters, incomplete escapes, and
 * characters that look like US-ASCII.
 */
export const MISLEADING_URL_PIECES: readonly [string, ...string[]] = [
  "//",
  ...NON_ASCII_CHARACTERS,
  ...Array.from(" ;/?:@=&<>\"#%{}|\\^~[]`$-_.+!*'(),"),
  ...Array.from("0159aAzZgG"),
  ...Array.from("\0\t\n\r\x0b\x1f\x7f"),
  ...":: .. %0 %g0 %00 %09 %0D%0A %2F %25".split(" "),
  ...";type= ;TYPE=a ;type=d localhost @h :80 :65536 127.1 0x7f.1 256 [::1]".split(" "),
];
