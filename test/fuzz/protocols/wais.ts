import { AccessError, type ClientLimits } from "@anyscheme/core";
import { parseWaisSource, waisSyntax } from "@anyscheme/scheme-others/wais";
import { decodeInitResponse } from "../../../packages/scheme-others/src/wais/apdu/init-apdus.ts";
import {
  WAIS_HEADER_BYTES,
  WaisMessageReader,
} from "../../../packages/scheme-others/src/wais/apdu/message.ts";
import { decodeSearchResponse } from "../../../packages/scheme-others/src/wais/apdu/search-response.ts";
import { decodeWpath, encodeWpath } from "../../../packages/scheme-others/src/wais/document/wpath.ts";
import { captured } from "../captures.ts";
import { type Decoder, hold } from "../decoder.ts";
import { bytesLike } from "../arbitrary-bytes.ts";
import { type AnyTarget, target } from "../target.ts";

const samples = captured("wais");

/** Returns the bytes up to the announced end of the message. The result for later bytes depends on their arrival. */
function messageIn(pieces: readonly Uint8Array[]): Uint8Array[] {
  const all = Buffer.concat(pieces);
  const [digits] = /^\d{10}/.exec(all.toString("latin1", 0, 10)) ?? [];
  if (digits === undefined) return [...pieces];
  let left = WAIS_HEADER_BYTES + Number(digits);
  return pieces.map((piece) => {
    const part = piece.subarray(0, left);
    left -= part.length;
    return part;
  });
}

function readAs(decode: (apdu: Uint8Array, limits: ClientLimits) => unknown): Decoder["decode"] {
  return function* (pieces, limits) {
    const reader = new WaisMessageReader(limits);
    for (const piece of messageIn(pieces)) {
      if (piece.length === 0) continue;
      const apdu = reader.push(piece);
      if (!apdu) continue;
      yield Buffer.from(apdu).toString("latin1");
      yield decode(apdu, limits);
    }
  };
}

export const wais: readonly Decoder[] = [
  { name: "WAIS answers to searches", samples, decode: readAs(decodeSearchResponse) },
  { name: "WAIS answers to init", samples, decode: readAs(decodeInitResponse) },
  {
    name: "WAIS source descriptions",
    samples: [
      '(:source\n :version 3\n :ip-name "h.example"\n :tcp-port 210\n :database-name "a\\"b"\n :cost 0.00\n)\n',
    ],
    *decode(pieces) {
      const source = parseWaisSource(Buffer.concat(pieces));
      yield source && JSON.stringify(source);
    },
  },
];

const wpaths = [
  "10/1=h.example;2=db;3=0%2018%20/f;4=h.example;5=db;6=0%2018%20/f;7=%00;",
  "0/3=a%3Bb;7=%00%0A%0D%00;",
  "0%203%20/text.txt",
  "%01%09h.example%03%02id%07%01%00",
  "12/9=x;1=y;",
];

/**
 * Checks that the document of a wpath has a valid id. The spelling of the id must name the same document.
 */
export const waisDocuments: readonly AnyTarget[] = [
  target<string>({
    name: "WAIS document-ids",
    inputs: bytesLike(wpaths),
    ofSize: (piece, size) => piece.repeat(Math.ceil(size / piece.length)),
    check: readWpath,
    run: readWpath,
  }),
];

function readWpath(text: string): void {
  const { url } = waisSyntax.tryParse(`wais://h.example/d/TEXT/${text}`, { maxLength: Infinity });
  const document = url?.wpath === undefined ? undefined : named(url.wpath);
  if (!document) return;
  hold(document.id.length > 0, "the document has no id");
  hold(document.length === undefined || Number.isSafeInteger(document.length), "the length is none");
  const spelled = encodeWpath(document);
  if (spelled !== undefined)
    return hold(named(spelled)?.id.equals(document.id) === true, `${spelled} is another document`);
  // An id without elements equals the text of the URL byte by byte.
  hold(!/[\0\r\n]/.test(document.id.toString("latin1")), "it cannot be sent");
}

/** Returns the document, or `undefined` when it is rejected. */
function named(wpath: string): { readonly id: Buffer; readonly length: number | undefined } | undefined {
  try {
    const { id, length } = decodeWpath(wpath);
    return { id: Buffer.from(id), length };
  } catch (error) {
    if (error instanceof AccessError) return undefined;
    throw error;
  }
}
