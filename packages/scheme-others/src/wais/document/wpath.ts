import { AccessError } from "@anyscheme/core";
import { rejectControlBytes } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { encodeElement, ElementReader } from "../apdu/elements.ts";
import { bytesToLatin1 } from "../charset.ts";

/** The document that a wpath names. */
export interface WaisDocument {
  /** The document-id as servers give and take it. */
  readonly id: Uint8Array;
  /** In bytes, where the wpath tells. */
  readonly length: number | undefined;
}

/**
 * The form that libwww, Mosaic and Lynx write instead of the bytes of the document-id: its length in bytes, and for each
 * element of the id its tag, "=", its value and ";".
 */
const ELEMENTS_FORM = /^(\d{1,15})\/((?:\d{1,8}=[^;]*;)+)$/;

/** The copyright element, a number; all others are text. */
const COPYRIGHT = 7;

/**
 * The document-id of a wpath: its elements written out as browsers did, else all of its bytes. Throws `refused-characters` for an
 * id with NUL, CR or LF, unless they are lengths or the number in a well-formed id.
 */
export function decodeWpath(wpath: string): WaisDocument {
  // Escaped once more, as strict writers have it, "/" and "=" and ";" are seen only after decoding.
  const written = ELEMENTS_FORM.exec(wpath);
  const [, digits, elements = ""] = written ?? ELEMENTS_FORM.exec(bytesToLatin1(percentDecode(wpath))) ?? [];
  if (digits !== undefined) {
    const id = encodeDocumentId(elements, written ? percentDecode : (value) => Buffer.from(value, "latin1"));
    // Browsers write 0 for a length that the server did not tell.
    return { id: checkDocumentId(id), length: Number(digits) || undefined };
  }
  return { id: checkDocumentId(percentDecode(wpath)), length: undefined };
}

/**
 * A wpath as libwww, Mosaic and Lynx write it. It has reserved characters, so that only tolerant readers of RFC 1738 take it;
 * `undefined` for an id that is not made of elements.
 */
export function encodeWpath({ id, length }: WaisDocument): string | undefined {
  const elements = parseElements(id);
  const parts = elements?.map(([tag, value]) => {
    const text = bytesToLatin1(value).replace(/[^A-Za-z0-9./_$-]/g, (character) =>
      escapeByte(character.charCodeAt(0)),
    );
    return `${tag}=${text};`;
  });
  return parts && `${length ?? 0}/${parts.join("")}`;
}

function escapeByte(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

function encodeDocumentId(elements: string, decode: (value: string) => Uint8Array): Uint8Array {
  const parts = elements.split(";").slice(0, -1);
  return Buffer.concat(
    parts.map((part) => {
      const equals = part.indexOf("=");
      return encodeElement(Number(part.slice(0, equals)), decode(part.slice(equals + 1)));
    }),
  );
}

function checkDocumentId(id: Uint8Array): Uint8Array {
  if (id.length === 0) throw new AccessError("unsupported", "the URL names no document");
  const elements = parseElements(id) ?? [[0, id] as const];
  for (const [tag, value] of elements)
    if (tag !== COPYRIGHT) rejectControlBytes(value, "document-id", { allowControlCharacters: true });
  return id;
}

/** The tags and values of an id that is made of the seven known elements; `undefined` for any other. */
function parseElements(id: Uint8Array): (readonly [tag: number, value: Uint8Array])[] | undefined {
  const found: (readonly [number, Uint8Array])[] = [];
  try {
    const elements = new ElementReader(id);
    for (let tag = elements.nextTag(); tag >= 0; tag = elements.nextTag())
      found.push([tag, elements.content()]);
  } catch {
    return undefined;
  }
  const known = found.every(
    ([tag, { length }]) => tag >= 1 && tag <= COPYRIGHT && (tag !== COPYRIGHT || length <= 4),
  );
  return known ? found : undefined;
}
