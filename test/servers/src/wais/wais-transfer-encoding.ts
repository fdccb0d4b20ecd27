// The text encoding "h" of WAIS encodes three bytes as four characters, each from a range of 65 characters
// that begins with "0".

const lowestEncodedCharacterCode = 0x30;
/** The value that marks a missing byte in the last three-byte group of WAIS text encoding "h". */
const missingByteValue = 64;

export function encodeWaisTransferEncoding(bytes: Buffer): Buffer {
  const values: number[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b, c] = bytes.subarray(at, at + 3);
    values.push(a & 63, ((a >> 6) << 4) | ((b ?? 0) >> 4));
    values.push(
      b === undefined ? missingByteValue : (((c ?? 0) >> 6) << 4) | (b & 15),
      c === undefined ? missingByteValue : c & 63,
    );
  }
  return Buffer.from([...values.map((value) => lowestEncodedCharacterCode + value), 0x0d]);
}

export function decodeWaisTransferEncoding(text: Buffer): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at + 4 <= text.length; at += 4) {
    const [v0 = 0, v1 = 0, v2 = 0, v3 = 0] = Array.from(
      text.subarray(at, at + 4),
      (byte) => byte - lowestEncodedCharacterCode,
    );
    bytes.push(((v1 >> 4) << 6) | v0);
    if (v2 !== missingByteValue) bytes.push(((v1 & 15) << 4) | (v2 & 15));
    if (v3 !== missingByteValue) bytes.push(((v2 >> 4) << 6) | v3);
  }
  return Buffer.from(bytes);
}
