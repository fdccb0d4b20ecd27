import { AccessError } from "@anyscheme/core";
import { bytesToLatin1, latin1ToBytes, rejectControlBytes } from "@anyscheme/core/plugin";
import { percentDecode, percentDecodeText } from "@anyscheme/core/syntax";

/** The decoded name and value of a header field. */
export type HeaderField = readonly [name: string, value: string];

// RFC 822 §3.1.2: "The field-name must be composed of printable ASCII characters (i.e., characters that have values between
// 33. and 126., decimal, except colon)."
const FIELD_NAME = /^[!-9;-~]+$/;

/**
 * Decodes a header field of RFC 6068. The name becomes lower case. Throws `refused-characters` for a line end in any field but `body`,
 * because it would begin another header field.
 */
export function decodeHeaderField(
  [name, value = ""]: readonly [name: string, value: string | undefined],
  options: { allowControlCharacters?: boolean | undefined },
): HeaderField {
  const decoded = percentDecodeText(name).toLowerCase();
  if (!FIELD_NAME.test(decoded)) {
    throw new AccessError("refused-characters", "the name of a header field is invalid");
  }
  const bytes = percentDecode(value);
  if (decoded === "body") checkBody(bytes, options);
  else rejectControlBytes(bytes, `header field ${decoded}`, options);
  return Object.freeze([decoded, percentDecodeText(value)] as const);
}

/** Checks the lines of a body. RFC 6068 §5: "line breaks in the body of a message MUST be encoded with "%0D%0A"". A tab is allowed too. */
function checkBody(bytes: Uint8Array, options: { allowControlCharacters?: boolean | undefined }): void {
  for (const line of bytesToLatin1(bytes).split("\r\n"))
    rejectControlBytes(latin1ToBytes(line.replaceAll("\t", " ")), "body", options);
}
