/** A document of 1 MiB. */
export const servedDocument: Uint8Array = Buffer.alloc(1_048_576, "0123456789abcdef line of a document\n");

/** Encodes a tag or a length: base 128, bit 7 set on all bytes but the last. */
function compressed(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

function element(tag: number, ...content: readonly (Uint8Array | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((each) => Buffer.from(each)));
  return Buffer.concat([Uint8Array.from([...compressed(tag), ...compressed(bytes.length)]), bytes]);
}

/** Returns the id of a document in the format of freeWAIS. */
export function documentId(localId: string): Buffer {
  const place = [element(1, "host:210"), element(2, "db/d"), element(3, localId)];
  return element(
    116,
    ...place,
    element(4, "host:210"),
    element(5, "db/d"),
    element(6, localId),
    element(7, "\0"),
  );
}

/** Returns the header of a found document. */
export function headerRecord(index: number): Buffer {
  return element(
    150,
    documentId(`0 ${index} /srv/library/wais/docs/file-${index}.txt`),
    element(118, Uint8Array.of(index >> 8, index & 0xff)),
    element(119, "\0"),
    element(120, Uint8Array.of(1, 2, index & 0xff)),
    element(131, "\u0003"),
    element(132, element(133, "TEXT")),
    element(121, "db/d"),
    element(122, "940315"),
    element(123, `file-${index}.txt   /srv/library/wais/docs/`),
  );
}

/** Returns a record with text. */
export function textRecord(text: Uint8Array): Buffer {
  return element(
    153,
    documentId("0 0 /srv/library/wais/docs/long.txt"),
    element(117, "\0"),
    element(127, text),
  );
}

/** Returns a SearchResponse APDU with these records. */
export function searchResponse(...records: readonly Uint8Array[]): Buffer {
  const head = Buffer.from("000e17000000000000010000001b0100", "hex");
  return Buffer.concat([head, element(99, ...records)]);
}

/** Returns the message with an APDU. */
export function message(apdu: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${String(apdu.length).padStart(10, "0")}z2wais        0`), apdu]);
}

/** Returns the message that requests bytes of the document. */
export function retrieval(documentId: Uint8Array, start: number, end: number): Buffer {
  const term = (attributes: string, value: Uint8Array | string): Buffer =>
    Buffer.concat([element(44, `${attributes} ig ig ig ig`), element(45, value)]);
  const and = element(46, "a");
  const head = Buffer.concat([
    Buffer.from("1600000a00001000000f01", "hex"),
    element(17, "FOO"),
    element(18, "d"),
    element(20, "1"),
    element(19, " \u001fDocument Text"),
    element(2, "3"),
  ]);
  const [first, behind] = [term("wb ro", String(start)), term("wb rl", String(end))];
  const query = element(21, term("un re", documentId), term("wt re", "TEXT"), and, first, and, behind, and);
  return message(Buffer.concat([Uint8Array.of(head.length >> 8, head.length & 0xff), head, query]));
}
