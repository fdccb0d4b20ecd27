// The syntax of headers, shared by requests and responses.

/** Source of a regular expression for a token. RFC 9110 §5.6.2. */
export const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

const token = new RegExp(`^${TOKEN}$`);

/** Matches a character that a header value may not have. RFC 9110 §5.5. */
const invalidCharacter = /[^\t\x20-\x7e\x80-\xff]/;

export function isToken(text: string): boolean {
  return token.test(text);
}

/** Returns the first character that a header value may not have. */
export function findInvalidCharacter(value: string): string | undefined {
  return invalidCharacter.exec(value)?.[0];
}
