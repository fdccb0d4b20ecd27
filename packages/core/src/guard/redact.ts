import { encode, MASK } from "../syntax/index.ts";

/** Masks secrets in texts. Secrets are masked by value, in the spellings in which a server might echo them. */
export interface Redactor {
  (text: string): string;
  /** Masks this value from now on: text, or octets where a password is no text. */
  add(secret: string | Uint8Array): void;
}

/** A redactor for one access. */
export function createRedactor(): Redactor {
  let longestFirst: readonly string[] = [];
  const redact = (text: string): string => {
    let masked = text;
    for (const spelling of longestFirst) masked = masked.replaceAll(spelling, MASK);
    return masked;
  };
  return Object.assign(redact, {
    add(secret: string | Uint8Array): void {
      if (secret.length === 0) return;
      const spellings = new Set([...longestFirst, ...spellingsOf(secret)]);
      longestFirst = [...spellings].toSorted((a, b) => b.length - a.length);
    },
  });
}

function spellingsOf(secret: string | Uint8Array): string[] {
  const octets = typeof secret === "string" ? Buffer.from(secret, "utf8") : Buffer.from(secret);
  const text = octets.toString("utf8");
  const escaped = [encode(octets), encodeURIComponent(text)];
  const hex = octets.toString("hex");
  return [
    ...(typeof secret === "string" ? [secret] : []),
    text,
    octets.toString("latin1"),
    ...escaped,
    ...escaped.map((spelling) => spelling.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase())),
    JSON.stringify(text).slice(1, -1),
    octets.toString("base64").replace(/=+$/, ""),
    octets.toString("base64url"),
    ...withinBase64(octets),
    hex,
    hex.toUpperCase(),
  ];
}

/** What the octets become in the base64 of a longer text, as of `user:password`; it depends on where they stand, modulo 3. */
function withinBase64(octets: Buffer): string[] {
  return [0, 1, 2]
    .map((offset) => {
      const whole = Buffer.concat([Buffer.alloc(offset), octets]);
      return whole.toString("base64").slice(Math.ceil((offset * 8) / 6), Math.floor((whole.length * 8) / 6));
    })
    .filter(({ length }) => length >= 4);
}
