/** The position and the reason of a fault in a decoded mail address. */
export interface MailAddressFault {
  /** The index of the fault in the bytes of the decoded address. */
  readonly index: number;
  readonly reason: string;
}

/** The patterns of a word of a local part and of a part of a domain. */
interface AddressGrammar {
  readonly wordPattern: RegExp;
  readonly subDomainPattern: RegExp;
}

/**
 * Creates the grammar of mail addresses in RFC 822 §3.3 and §6.1. `others` are the bytes above 127 that an atom or a
 * string may contain.
 */
function createAddressGrammar(others: string): AddressGrammar {
  // atom = 1*<any CHAR except specials, SPACE and CTLs>
  const atom = `[!#-'*+\\-/-9=?A-Z^-~${others}]+`;
  const quotedPair = "\\\\[\\0-\\x7f]";
  // A folded line in a mail header (RFC 822 §3.1.1) continues after CRLF and a blank or tab.
  const folding = "\\r\\n[ \\t]";
  const excluded = others === "" ? "\\x80-\\uffff" : "";
  // qtext = <any CHAR excepting <">, "\" & CR, and including linear-white-space>
  const qtext = `[^"\\\\\\r${excluded}]*`;
  // dtext = <any CHAR excluding "[", "]", "\" & CR, & including linear-white-space>
  const dtext = `[^[\\]\\\\\\r${excluded}]*`;
  // word = atom / quoted-string, sub-domain = domain-ref / domain-literal            RFC 822 §6.1
  return {
    wordPattern: new RegExp(`${atom}|"${qtext}(?:(?:${quotedPair}|${folding})${qtext})*"`, "y"),
    subDomainPattern: new RegExp(`${atom}|\\[${dtext}(?:(?:${quotedPair}|${folding})${dtext})*\\]`, "y"),
  };
}

const RFC822_GRAMMAR = createAddressGrammar("");
// RFC 6532 §3.2 adds the characters outside US-ASCII, in UTF-8.
const UTF8_GRAMMAR = createAddressGrammar("\\x80-\\uffff");

/** Decodes UTF-8, and throws an error for bytes that are not UTF-8. */
const utf8Decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Finds a fault in a mail address of RFC 6068 §2, which may contain UTF-8 characters (RFC 6532). Returns `undefined`
 * for a valid mail address. Invisible characters are faults, because an address with such characters looks like another
 * address.
 */
export function findMailAddressFault(bytes: Uint8Array): MailAddressFault | undefined {
  const index = bytes.findIndex((byte) => byte > 0x7f);
  if (index < 0) return findAsciiAddrSpecFault(bytes);
  try {
    if (/\p{Cf}|[\x80-\x9f]/u.test(utf8Decoder.decode(bytes)))
      return { index, reason: "the address contains an invisible character" };
  } catch {
    return { index, reason: "the address is not valid UTF-8" };
  }
  return findGrammarFault(bytes, UTF8_GRAMMAR);
}

/**
 * Finds the first fault in `addr-spec = local-part "@" domain` (RFC 822 §6.1). Returns `undefined` for a valid
 * addr-spec. The blanks and comments of RFC 822 §3.1.4 are faults: they are "additional information", which RFC
 * 1738 §3.5 excludes.
 */
export function findAsciiAddrSpecFault(bytes: Uint8Array): MailAddressFault | undefined {
  return findGrammarFault(bytes, RFC822_GRAMMAR);
}

function findGrammarFault(
  bytes: Uint8Array,
  { wordPattern, subDomainPattern }: AddressGrammar,
): MailAddressFault | undefined {
  // The text of the mail address has one character per byte. Each byte above 127 of the mail address becomes
  // the character with the same code.
  const text = new TextDecoder("latin1").decode(bytes);
  const localEnd = matchDotSeparatedParts(text, 0, wordPattern);
  if (localEnd < 0) return { index: ~localEnd, reason: "a word of the local part is missing or invalid" };
  if (text[localEnd] !== "@") return { index: localEnd, reason: "the local part must be followed by '@'" };
  const end = matchDotSeparatedParts(text, localEnd + 1, subDomainPattern);
  if (end < 0) return { index: ~end, reason: "a part of the domain is missing or invalid" };
  return end === text.length ? undefined : { index: end, reason: "the address continues after the domain" };
}

/**
 * Matches one or more parts separated by dots, and returns the index after the last part. Returns `~index` when a part
 * of the mail address is missing at `index`.
 */
function matchDotSeparatedParts(text: string, start: number, part: RegExp): number {
  for (let index = start; ; index++) {
    part.lastIndex = index;
    if (!part.test(text)) return ~index;
    index = part.lastIndex;
    if (text[index] !== ".") return index;
  }
}
