import { AccessError, lineSafe } from "@anyscheme/core";
import { decodeOctets, decodeText } from "@anyscheme/core/syntax";

/** The name of a field and its text, decoded. */
export type HeaderField = readonly [name: string, value: string];

// RFC 822 §3.1.2: "The field-name must be composed of printable ASCII characters (i.e., characters that have values between
// 33. and 126., decimal, except colon)."
const fieldName = /^[!-9;-~]+$/;

/**
 * One field of RFC 6068, decoded; its name in lower case, since case means nothing there. Only `body` has lines. Throws
 * `refused-octets` for what would end a line of a header, and so begin another field.
 */
export function headerField(
  [name, value = ""]: readonly [name: string, value: string | undefined],
  options: { allowControl?: boolean | undefined },
): HeaderField {
  const decoded = decodeText(name).toLowerCase();
  if (!fieldName.test(decoded)) {
    throw new AccessError("refused-octets", "a name of a header field is no such name");
  }
  const octets = decodeOctets(value);
  if (decoded === "body") checkLines(octets, options);
  else lineSafe(octets, `header field ${decoded}`, options);
  return Object.freeze([decoded, decodeText(value)] as const);
}

/** RFC 6068 §5: "line breaks in the body of a message MUST be encoded with "%0D%0A"". A tab is as harmless there. */
function checkLines(octets: Uint8Array, options: { allowControl?: boolean | undefined }): void {
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString("latin1");
  for (const line of text.split("\r\n"))
    lineSafe(Buffer.from(line.replaceAll("\t", " "), "latin1"), "body", options);
}
