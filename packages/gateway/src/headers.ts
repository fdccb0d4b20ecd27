/** What every reply says: nothing runs, nothing is guessed, nothing is told to others. */
export const EVERY_REPLY: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  // With "no-referrer", browsers send a form of ours without its origin, as if it came from a stranger.
  "referrer-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

export const PAGE: Readonly<Record<string, string>> = {
  ...EVERY_REPLY,
  "content-type": "text/html; charset=utf-8",
};

/** Bytes of a stranger: a document made of them is in nobody's origin, and can do nothing. */
export const BYTES: Readonly<Record<string, string>> = {
  ...EVERY_REPLY,
  "content-security-policy": "default-src 'none'; sandbox",
};

/** A name for `Content-Disposition`; RFC 6266 with the encoding of RFC 8187. */
export function dispositionOf(kind: "inline" | "attachment", name: string | undefined): string {
  if (kind === "inline" || name === undefined || name === "") return kind;
  const plain = name.replace(/[^\w.-]/g, "_");
  const encoded = encodeURIComponent(name.replace(/\p{Cs}/gu, "_")).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
