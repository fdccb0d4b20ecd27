/** The tags of the WAIS protocol elements that this server reads or writes. */
export const waisApduElementTags = {
  referenceId: 2,
  protocolVersion: 3,
  options: 4,
  preferredMessageSize: 5,
  maximumRecordSize: 6,
  implementationId: 8,
  implementationName: 9,
  implementationVersion: 10,
  databaseNames: 18,
  queryType: 20,
  query: 21,
  presentStatus: 27,
  diagnostic: 28,
  attributes: 44,
  term: 45,
  userInformation: 99,
  chunkCode: 100,
  chunkIdLength: 101,
  seedWords: 106,
  maxDocuments: 114,
  documentId: 116,
  versionNumber: 117,
  score: 118,
  bestMatch: 119,
  documentLength: 120,
  source: 121,
  date: 122,
  headline: 123,
  text: 127,
  lines: 131,
  typeBlock: 132,
  type: 133,
  header: 150,
  textGroup: 153,
} as const;

/** A decoded element of a WAIS message. */
export interface WaisApduElement {
  readonly tag: number;
  readonly content: Buffer;
}

/**
 * Encodes a number in base 128, most significant digit first. All bytes of the encoded number except the last have bit
 * 7 set.
 */
function encodeCompressedInteger(value: number): Buffer {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift((rest % 128) + 128);
  }
  return Buffer.from(bytes);
}

/** Encodes an element of a WAIS message as tag, length and content. */
export function encodeWaisApduElement(name: number, content: Uint8Array | string): Buffer {
  const bytes = typeof content === "string" ? Buffer.from(content, "latin1") : content;
  return Buffer.concat([encodeCompressedInteger(name), encodeCompressedInteger(bytes.length), bytes]);
}

/** Encodes an element whose content is a number in the fewest bytes. */
export function encodeWaisApduNumberElement(name: number, value: number): Buffer {
  const hex = value.toString(16);
  return encodeWaisApduElement(name, Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex"));
}

/** Encodes an element of a WAIS message that contains other elements. */
export function encodeWaisApduElementGroup(name: number, ...members: readonly Buffer[]): Buffer {
  return encodeWaisApduElement(name, Buffer.concat(members));
}

/** Decodes a sequence of elements of a WAIS message. Returns `undefined` for invalid bytes. */
export function decodeWaisApduElements(bytes: Buffer): readonly WaisApduElement[] | undefined {
  const elements: WaisApduElement[] = [];
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value = value * 128 + (byte % 128);
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const name = number();
    const length = number();
    if (at + length > bytes.length) return undefined;
    elements.push({ tag: name, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return elements;
}

/** Returns the content of a WAIS message's first element with the given tag. */
export function findWaisApduElementContent(
  elements: readonly WaisApduElement[],
  name: number,
): Buffer | undefined {
  return elements.find((candidate) => candidate.tag === name)?.content;
}

/** Decodes the content of an element of a WAIS message as a number. */
export function decodeBigEndianInteger(content: Buffer | undefined): number | undefined {
  return content === undefined || content.length < 1 || content.length > 6
    ? undefined
    : content.readUIntBE(0, content.length);
}
