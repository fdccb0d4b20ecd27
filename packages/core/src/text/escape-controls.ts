/**
 * Characters that are not shown but do something: controls (C0, DEL, C1), line and paragraph separators, and those that turn
 * the direction of writing round (Unicode Standard Annex #9).
 */
export const CONTROL_CHARACTERS: RegExp =
  /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu;

/** A text as it is safe to show: what a server or a URL says never moves the cursor. `\x1b`, `\u{202e}`. */
export function escapeControls(text: string): string {
  return text.replace(CONTROL_CHARACTERS, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u{${digits}}`;
  });
}
