import { MASK } from "../syntax/index.ts";

/** Masks secrets in texts. Secrets are masked by value, in the spellings in which a server might echo them. */
export interface Redactor {
  (text: string): string;
  /** Masks this value from now on. */
  add(secret: string): void;
}

/** A redactor for one access. */
export function createRedactor(): Redactor {
  const spellings = new Set<string>();
  let longestFirst: readonly string[] = [];
  const redact = (text: string): string => {
    let masked = text;
    for (const spelling of longestFirst) masked = masked.replaceAll(spelling, MASK);
    return masked;
  };
  return Object.assign(redact, {
    add(secret: string): void {
      if (secret === "") return;
      for (const spelling of spellingsOf(secret)) spellings.add(spelling);
      longestFirst = [...spellings].toSorted((a, b) => b.length - a.length);
    },
  });
}

function spellingsOf(secret: string): string[] {
  const octets = Buffer.from(secret, "utf8");
  const base64 = octets.toString("base64").replace(/=+$/, "");
  return [
    secret,
    octets.toString("latin1"),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
    base64,
    octets.toString("base64url"),
    octets.toString("hex"),
  ];
}
