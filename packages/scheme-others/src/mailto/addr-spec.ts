/** Where decoded bytes are no `addr-spec`. */
export interface AddressFault {
  /** Counts bytes of the decoded address. */
  readonly index: number;
  readonly reason: string;
}

// RFC 822 §3.3: atom = 1*<any CHAR except specials, SPACE and CTLs>
const atom = "[!#-'*+\\-/-9=?A-Z^-~]+";
const quotedPair = "\\\\[\\0-\\x7f]";
/** White space may go on in another line: CRLF and a blank or tab. */
const folding = "\\r\\n[ \\t]";
// qtext = <any CHAR excepting <">, "\" & CR, and including linear-white-space>
const qtext = '[^"\\\\\\r\\x80-\\uffff]*';
// dtext = <any CHAR excluding "[", "]", "\" & CR, & including linear-white-space>
const dtext = "[^[\\]\\\\\\r\\x80-\\uffff]*";
// word = atom / quoted-string, sub-domain = domain-ref / domain-literal            RFC 822 §6.1
const word = new RegExp(`${atom}|"${qtext}(?:(?:${quotedPair}|${folding})${qtext})*"`, "y");
const subDomain = new RegExp(`${atom}|\\[${dtext}(?:(?:${quotedPair}|${folding})${dtext})*\\]`, "y");

/** Characters beyond US-ASCII come out as others, but as one each and beyond it. */
const oneCharacterEach = new TextDecoder("latin1");

/**
 * What keeps bytes from being `addr-spec = local-part "@" domain` of RFC 822 §6.1; `undefined` for an addr-spec. The blanks
 * and comments that RFC 822 §3.1.4 allows between the parts are "additional information", which RFC 1738 §3.5 leaves out.
 */
export function findAddrSpecFault(bytes: Uint8Array): AddressFault | undefined {
  const text = oneCharacterEach.decode(bytes);
  const localEnd = matchDotted(text, 0, word);
  if (localEnd < 0) return { index: ~localEnd, reason: "a word of the local part is missing or is no word" };
  if (text[localEnd] !== "@") return { index: localEnd, reason: "an '@' has to follow the local part" };
  const end = matchDotted(text, localEnd + 1, subDomain);
  if (end < 0) return { index: ~end, reason: "a part of the domain is missing or is none" };
  return end === text.length ? undefined : { index: end, reason: "the domain ends before the address does" };
}

/** The index behind `part *("." part)`, or the complement of the index where a part should begin. */
function matchDotted(text: string, start: number, part: RegExp): number {
  for (let index = start; ; index++) {
    part.lastIndex = index;
    if (!part.test(text)) return ~index;
    index = part.lastIndex;
    if (text[index] !== ".") return index;
  }
}
