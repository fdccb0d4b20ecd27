import { guessMediaType } from "@anyscheme/core/plugin";

/** How a file is transferred, and why. RFC 959 §3.1.1. */
export interface TransferType {
  readonly code: "A" | "I";
  readonly reason: string;
}

/** Media types of text that may be in an encoding of more than one byte a character, which TYPE A would spoil (RFC 7303 §3). */
const ANY_ENCODING: ReadonlySet<string> = new Set(["text/xml"]);

/**
 * Guesses the type from the name. RFC 1738 §3.2.3: "the data content type of a file can only be guessed from the name, e.g.,
 * from the suffix of the name; the appropriate type code [...] can then be deduced from the data content". Text is what has
 * a media type `text/…`, since its lines end with CR LF in transfer (RFC 2046 §4.1.1), as those of TYPE A do. All else, and
 * whatever is in doubt, is `I`.
 */
export function guessTransferType(name: Uint8Array): TransferType {
  const mediaType = guessMediaType(name);
  if (mediaType === undefined) return { code: "I", reason: "the name does not tell what it is" };
  const isText = mediaType.startsWith("text/") && !ANY_ENCODING.has(mediaType);
  return { code: isText ? "A" : "I", reason: `the name stands for ${mediaType}` };
}
