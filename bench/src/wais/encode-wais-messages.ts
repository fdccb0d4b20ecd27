/** The document of 1 MiB that the WAIS server of the benchmark serves. */
export const servedWaisDocument: Uint8Array = Buffer.alloc(
  1_048_576,
  "0123456789abcdef line of a document\n",
);

/**
 * Encodes a tag or a length of a WAIS message in base 128. All bytes of the encoded number except the last have bit 7
 * set.
 */
function encodeCompressedInteger(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

function encodeElement(tag: number, ...content: readonly (Uint8Array | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((each) => Buffer.from(each)));
  return Buffer.concat([
    Uint8Array.from([...encodeCompressedInteger(tag), ...encodeCompressedInteger(bytes.length)]),
    bytes,
  ]);
}

/** Returns a document-id in the format of freeWAIS. */
export function encodeDocumentId(localId: string): Buffer {
  const place = [encodeElement(1, "host:210"), encodeElement(2, "db/d"), encodeElement(3, localId)];
  return encodeElement(
    116,
    ...place,
    encodeElement(4, "host:210"),
    encodeElement(5, "db/d"),
    encodeElement(6, localId),
    encodeElement(7, "\0"),
  );
}

/** Encodes the WAIS header record of a found document. */
export function encodeHeaderRecord(index: number): Buffer {
  return encodeElement(
    150,
    encodeDocumentId(`0 ${index} /srv/library/wais/docs/file-${index}.txt`),
    encodeElement(118, Uint8Array.of(index >> 8, index & 0xff)),
    encodeElement(119, "\0"),
    encodeElement(120, Uint8Array.of(1, 2, index & 0xff)),
    encodeElement(131, "\u0003"),
    encodeElement(132, encodeElement(133, "TEXT")),
    encodeElement(121, "db/d"),
    encodeElement(122, "940315"),
    encodeElement(123, `file-${index}.txt   /srv/library/wais/docs/`),
  );
}

/** Returns a WAIS record with a part of a document's text. */
export function encodeTextRecord(text: Uint8Array): Buffer {
  return encodeElement(
    153,
    encodeDocumentId("0 0 /srv/library/wais/docs/long.txt"),
    encodeElement(117, "\0"),
    encodeElement(127, text),
  );
}

/** Returns a WAIS SearchResponse APDU with the given records. */
export function encodeSearchResponse(...records: readonly Uint8Array[]): Buffer {
  const head = Buffer.from("000e17000000000000010000001b0100", "hex");
  return Buffer.concat([head, encodeElement(99, ...records)]);
}

/** Returns the WAIS message that contains an APDU. */
export function encodeWaisMessage(apdu: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${String(apdu.length).padStart(10, "0")}z2wais        0`), apdu]);
}

/** Returns the WAIS message that requests a range of the document's bytes. */
export function encodeRetrievalRequestMessage(documentId: Uint8Array, start: number, end: number): Buffer {
  const term = (attributes: string, value: Uint8Array | string): Buffer =>
    Buffer.concat([encodeElement(44, `${attributes} ig ig ig ig`), encodeElement(45, value)]);
  const and = encodeElement(46, "a");
  const head = Buffer.concat([
    Buffer.from("1600000a00001000000f01", "hex"),
    encodeElement(17, "FOO"),
    encodeElement(18, "d"),
    encodeElement(20, "1"),
    encodeElement(19, " \u001fDocument Text"),
    encodeElement(2, "3"),
  ]);
  const [first, behind] = [term("wb ro", String(start)), term("wb rl", String(end))];
  const query = encodeElement(
    21,
    term("un re", documentId),
    term("wt re", "TEXT"),
    and,
    first,
    and,
    behind,
    and,
  );
  return encodeWaisMessage(Buffer.concat([Uint8Array.of(head.length >> 8, head.length & 0xff), head, query]));
}
