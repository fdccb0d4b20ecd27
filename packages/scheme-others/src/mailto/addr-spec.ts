/** The position and the reason of a fault in a decoded mail address. */
export interface AddressFault {
  /** The index of the fault in the bytes of the decoded address. */
  readonly index: number;
  readonly reason: string;
}

// RFC 822 §3.3: atom = 1*<any CHAR except specials, SPACE and CTLs>
const atom = "[!#-'*+\\-/-9=?A-Z^-~]+";
const quotedPair = "\\\\[\\0-\\x7f]";
/** Matches the end of a folded line: CRLF and a blank or tab. */
const folding = "\\r\\n[ \\t]";
// qtext = <any CHAR excepting <">, "\" & CR, and including linear-white-space>
const qtext = '[^"\\\\\\r\\x80-\\uffff]*';
// dtext = <any CHAR excluding "[", "]", "\" & CR, & including linear-white-space>
const dtext = "[^[\\]\\\\\\r\\x80-\\uffff]*";
// word = atom / quoted-string, sub-domain = domain-ref / domain-literal            RFC 822 §6.1
const word = new RegExp(`${atom}|"${qtext}(?:(?:${quotedPair}|${folding})${qtext})*"`, "y");
const subDomain = new RegExp(`${atom}|\\[${dtext}(?:(?:${quotedPair}|${folding})${dtext})*\\]`, "y");

/**
 * Finds the first fault in `addr-spec = local-part "@" domain` (RFC 822 §6.1). Returns `undefined` for a valid
 * addr-spec. The blanks and comments of RFC 822 §3.1.4 are faults: they are "additional information", which RFC
 * 1738 §3.5 excludes.
 */
export function findAddrSpecFault(bytes: Uint8Array): AddressFault | undefined {
  // The text has one character per byte. Each byte above 127 is a character with the same code.
  const text = new TextDecoder("latin1").decode(bytes);
  const localEnd = matchDotSeparatedParts(text, 0, word);
  if (localEnd < 0) return { index: ~localEnd, reason: "a word of the local part is missing or invalid" };
  if (text[localEnd] !== "@") return { index: localEnd, reason: "the local part must be followed by '@'" };
  const end = matchDotSeparatedParts(text, localEnd + 1, subDomain);
  if (end < 0) return { index: ~end, reason: "a part of the domain is missing or invalid" };
  return end === text.length ? undefined : { index: end, reason: "the address continues after the domain" };
}

/**
 * Matches one or more parts separated by dots, and returns the index after the last part. Returns `~index` when a part
 * is missing at `index`.
 */
function matchDotSeparatedParts(text: string, start: number, part: RegExp): number {
  for (let index = start; ; index++) {
    part.lastIndex = index;
    if (!part.test(text)) return ~index;
    index = part.lastIndex;
    if (text[index] !== ".") return index;
  }
}
