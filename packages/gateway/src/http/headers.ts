/** Headers of every response: no scripts, no type sniffing, no referrer for other sites, no caching. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  // The value "no-referrer" would make browsers send the gateway's own forms with `Origin: null`.
  "referrer-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON_HEADERS,
  "content-type": "text/html; charset=utf-8",
};

/** Headers of a server's content. The sandbox gives the document a separate origin. */
export const CONTENT_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON_HEADERS,
  "content-security-policy": "default-src 'none'; sandbox",
};

/** Returns the value of `Content-Disposition`. RFC 6266, with the encoding of RFC 8187. */
export function contentDisposition(kind: "inline" | "attachment", name: string | undefined): string {
  if (kind === "inline" || name === undefined || name === "") return kind;
  const plain = name.replace(/[^\w.-]/g, "_");
  const encoded = encodeURIComponent(name.replace(/\p{Cs}/gu, "_")).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
