/**
 * Matches the characters that control a terminal or the direction of text: control characters (C0, DEL, C1), line and
 * paragraph separators, and controls of text direction (Unicode Standard Annex #9). The regular expression of control
 * characters also matches the byte order mark and lone surrogates.
 */
export const CONTROL_CHARACTERS: RegExp =
  /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu;

/**
 * Escapes control characters as `\x1b` and `\u{202e}`. The text of a server or of a URL must not send control sequences
 * to the terminal.
 */
export function escapeControls(text: string): string {
  return text.replace(CONTROL_CHARACTERS, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u{${digits}}`;
  });
}

/** Replaces control characters by U+FFFD, for server replies on one line. */
export function replaceControls(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, "\ufffd");
}
