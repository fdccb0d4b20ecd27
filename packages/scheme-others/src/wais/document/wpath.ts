import { AccessError } from "@anyscheme/core";
import { rejectControlBytes, bytesToLatin1 } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { encodeApduElements, readApduElements } from "../apdu/elements.ts";

/** The WAIS document that the wpath of a URL identifies. */
export interface DecodedWpath {
  /** The document-id as servers send and receive it. */
  readonly id: Uint8Array;
  /** The length of the document in bytes, if the wpath contains the length. */
  readonly length: number | undefined;
}

/**
 * Matches a wpath of libwww, Mosaic and Lynx, which does not contain the bytes of the document-id. Such a wpath begins
 * with the length of the WAIS document and "/". After the length, each element of the document-id is written as its
 * tag, "=", its value and ";".
 */
const DOCUMENT_ID_ELEMENTS = /^(\d{1,15})\/((?:\d{1,8}=[^;]*;)+)$/;

/**
 * The tag of the copyright element of a WAIS document-id, whose value is a number. The values of all other elements of
 * a document-id are texts.
 */
const COPYRIGHT_TAG = 7;

/**
 * Decodes a wpath. Accepts the elements of a document-id as browsers write them, and otherwise the bytes of the
 * document-id. Throws `refused-characters` for NUL, CR or LF in a document-id, except in the element lengths and the
 * copyright number of a well-formed id.
 */
export function decodeWpath(wpath: string): DecodedWpath {
  // A program that follows RFC 1738 strictly also escapes "/", "=" and ";", so `decodeWpath` also recognizes the
  // elements after percent-decoding.
  const unescaped = DOCUMENT_ID_ELEMENTS.exec(wpath);
  const [, digits, elements = ""] =
    unescaped ?? DOCUMENT_ID_ELEMENTS.exec(bytesToLatin1(percentDecode(wpath))) ?? [];
  if (digits !== undefined) {
    const id = encodeDocumentId(
      elements,
      unescaped ? percentDecode : (value) => Buffer.from(value, "latin1"),
    );
    // Browsers write the length 0 for a WAIS document of unknown length.
    return { id: checkDocumentId(id), length: Number(digits) || undefined };
  }
  return { id: checkDocumentId(percentDecode(wpath)), length: undefined };
}

/**
 * Encodes a WAIS document-id as a wpath, as libwww, Mosaic and Lynx do. The wpath contains reserved characters, which
 * only modern mode accepts. Returns `undefined` for a document-id that does not consist of elements.
 */
export function encodeWpath({ id, length }: DecodedWpath): string | undefined {
  const elements = parseDocumentIdElements(id);
  const parts = elements?.map(([tag, value]) => {
    const escapeByte = (byte: string): string =>
      `%${Buffer.from(byte, "latin1").toString("hex").toUpperCase()}`;
    return `${tag}=${bytesToLatin1(value).replace(/[^A-Za-z0-9./_$-]/g, escapeByte)};`;
  });
  return parts && `${length ?? 0}/${parts.join("")}`;
}

function encodeDocumentId(elements: string, decode: (value: string) => Uint8Array): Uint8Array {
  return encodeApduElements(
    elements
      .split(";")
      .slice(0, -1)
      .map((element) => {
        const equals = element.indexOf("=");
        return [Number(element.slice(0, equals)), decode(element.slice(equals + 1))];
      }),
  );
}

function checkDocumentId(id: Uint8Array): Uint8Array {
  if (id.length === 0) throw new AccessError("unsupported", "the URL names no document");
  const elements = parseDocumentIdElements(id) ?? [[0, id] as const];
  for (const [tag, value] of elements)
    if (tag !== COPYRIGHT_TAG) rejectControlBytes(value, "document-id", { allowControlCharacters: true });
  return id;
}

/**
 * Returns the tags and values of the elements in a document-id. Returns `undefined` for a document-id that contains
 * anything other than the seven known elements.
 */
function parseDocumentIdElements(id: Uint8Array): (readonly [tag: number, value: Uint8Array])[] | undefined {
  try {
    const found = Array.from(readApduElements(id), ({ tag, bytes }) => [tag, bytes] as const);
    const isKnown = found.every(
      ([tag, { length }]) => tag >= 1 && tag <= COPYRIGHT_TAG && (tag !== COPYRIGHT_TAG || length <= 4),
    );
    return isKnown ? found : undefined;
  } catch {
    return undefined;
  }
}
