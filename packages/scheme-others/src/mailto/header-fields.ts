import { AccessError } from "@anyscheme/core";
import { rejectControlBytes } from "@anyscheme/core/plugin";
import { percentDecode, percentDecodeText } from "@anyscheme/core/syntax";

/** The name of a field and its text, decoded. */
export type HeaderField = readonly [name: string, value: string];

// RFC 822 §3.1.2: "The field-name must be composed of printable ASCII characters (i.e., characters that have values between
// 33. and 126., decimal, except colon)."
const fieldName = /^[!-9;-~]+$/;

/**
 * One field of RFC 6068, decoded; its name in lower case, since case means nothing there. Only `body` has lines. Throws
 * `refused-characters` for what would end a line of a header, and so begin another field.
 */
export function decodeHeaderField(
  [name, value = ""]: readonly [name: string, value: string | undefined],
  options: { allowControlCharacters?: boolean | undefined },
): HeaderField {
  const decoded = percentDecodeText(name).toLowerCase();
  if (!fieldName.test(decoded)) {
    throw new AccessError("refused-characters", "a name of a header field is no such name");
  }
  const bytes = percentDecode(value);
  if (decoded === "body") checkBody(bytes, options);
  else rejectControlBytes(bytes, `header field ${decoded}`, options);
  return Object.freeze([decoded, percentDecodeText(value)] as const);
}

/** RFC 6068 §5: "line breaks in the body of a message MUST be encoded with "%0D%0A"". A tab is as harmless there. */
function checkBody(bytes: Uint8Array, options: { allowControlCharacters?: boolean | undefined }): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  for (const line of text.split("\r\n"))
    rejectControlBytes(Buffer.from(line.replaceAll("\t", " "), "latin1"), "body", options);
}
