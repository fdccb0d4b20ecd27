import { createHash } from "node:crypto";

/** The digests of the Subresource Integrity standard, from the weakest to the strongest. */
const ALGORITHMS = ["sha256", "sha384", "sha512"];

/** Matches one entry of integrity metadata. <https://www.w3.org/TR/sri-2/#the-integrity-attribute> */
const ENTRY = /^(sha256|sha384|sha512)-([A-Za-z0-9+/_-]+={0,2})(?:\?[\x21-\x7e]*)?$/i;

/**
 * True when bytes have one of the strongest digests of the metadata, or when the metadata has no known digest.
 * <https://www.w3.org/TR/sri-2/#does-response-match-metadatalist>
 */
export function matchesIntegrity(bytes: Uint8Array, metadata: string): boolean {
  const entries = metadata.split(/[\t\n\f\r ]+/).flatMap((text) => {
    const [, algorithm = "", digest = ""] = ENTRY.exec(text) ?? [];
    return algorithm === "" ? [] : [{ algorithm: algorithm.toLowerCase(), digest: toPlainBase64(digest) }];
  });
  const strongest = ALGORITHMS.findLast((name) => entries.some(({ algorithm }) => algorithm === name));
  if (strongest === undefined) return true;
  const digest = toPlainBase64(createHash(strongest).update(bytes).digest("base64"));
  return entries.some((entry) => entry.algorithm === strongest && entry.digest === digest);
}

/** Converts a digest in base64url to base64 without padding. */
function toPlainBase64(text: string): string {
  return text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
}
