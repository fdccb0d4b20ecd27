import type { Limits } from "@anyscheme/core";
import { parseWaisSource } from "@anyscheme/scheme-others/wais";
import { decodeInitResponse } from "../../packages/scheme-others/src/wais/apdu/init.ts";
import { HEADER_OCTETS, MessageReader } from "../../packages/scheme-others/src/wais/apdu/message.ts";
import { decodeSearchResponse } from "../../packages/scheme-others/src/wais/apdu/response.ts";
import { captured } from "./captures.ts";
import type { Decoder } from "./decoder.ts";

const samples = captured("wais");

/** The octets up to the end that the message itself announces; whatever follows is refused or not, as it arrives. */
function messageIn(pieces: readonly Uint8Array[]): Uint8Array[] {
  const all = Buffer.concat(pieces);
  const [digits] = /^\d{10}/.exec(all.toString("latin1", 0, 10)) ?? [];
  if (digits === undefined) return [...pieces];
  let left = HEADER_OCTETS + Number(digits);
  return pieces.map((piece) => {
    const part = piece.subarray(0, left);
    left -= part.length;
    return part;
  });
}

function readAs(decode: (apdu: Uint8Array, limits: Limits) => unknown): Decoder["decode"] {
  return function* (pieces, limits) {
    const reader = new MessageReader(limits);
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
