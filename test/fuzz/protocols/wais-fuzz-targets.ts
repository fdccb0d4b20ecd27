import { AccessError, type ClientLimits } from "@anyscheme/core";
import { parseWaisSource, waisSyntax } from "@anyscheme/scheme-others/wais";
import { decodeWaisInitResponse } from "../../../packages/scheme-others/src/wais/apdu/init-apdus.ts";
import {
  WAIS_HEADER_BYTES,
  WaisMessageReader,
} from "../../../packages/scheme-others/src/wais/apdu/wais-message.ts";
import { decodeWaisSearchResponse } from "../../../packages/scheme-others/src/wais/apdu/search-response.ts";
import { decodeWpath, encodeWpath } from "../../../packages/scheme-others/src/wais/document/wpath.ts";
import { readRecordedServerReplies } from "../recorded-server-replies.ts";
import { type FuzzedDecoder, assertCondition } from "../decoder-target.ts";
import { arbitraryMutatedSamples } from "../mutated-samples.ts";
import { type FuzzTarget, createFuzzTarget } from "../fuzz-target.ts";

const waisMessageSamples = readRecordedServerReplies("wais");

/** Returns the chunks of the first message, because the result for later bytes depends on the chunks. */
function truncateToFirstMessage(chunks: readonly Uint8Array[]): Uint8Array[] {
  const all = Buffer.concat(chunks);
  const [digits] = /^\d{10}/.exec(all.toString("latin1", 0, 10)) ?? [];
  if (digits === undefined) return [...chunks];
  let remaining = WAIS_HEADER_BYTES + Number(digits);
  return chunks.map((chunk) => {
    const part = chunk.subarray(0, remaining);
    remaining -= part.length;
    return part;
  });
}

function createWaisMessageDecoder(
  decode: (apdu: Uint8Array, limits: ClientLimits) => unknown,
): FuzzedDecoder["decode"] {
  return function* (chunks, limits) {
    const reader = new WaisMessageReader(limits);
    for (const chunk of truncateToFirstMessage(chunks)) {
      if (chunk.length === 0) continue;
      const apdu = reader.push(chunk);
      if (!apdu) continue;
      yield Buffer.from(apdu).toString("latin1");
      yield decode(apdu, limits);
    }
  };
}

export const fuzzedWaisDecoders: readonly FuzzedDecoder[] = [
  {
    name: "WAIS search responses",
    samples: waisMessageSamples,
    decode: createWaisMessageDecoder(decodeWaisSearchResponse),
  },
  {
    name: "WAIS init responses",
    samples: waisMessageSamples,
    decode: createWaisMessageDecoder(decodeWaisInitResponse),
  },
  {
    name: "WAIS source descriptions",
    samples: [
      '(:source\n :version 3\n :ip-name "h.example"\n :tcp-port 210\n :database-name "a\\"b"\n :cost 0.00\n)\n',
    ],
    *decode(chunks) {
      const source = parseWaisSource(Buffer.concat(chunks));
      yield source && JSON.stringify(source);
    },
  },
];

const wpathSamples = [
  "10/1=h.example;2=db;3=0%2018%20/f;4=h.example;5=db;6=0%2018%20/f;7=%00;",
  "0/3=a%3Bb;7=%00%0A%0D%00;",
  "0%203%20/text.txt",
  "%01%09h.example%03%02id%07%01%00",
  "12/9=x;1=y;",
];

/** Checks that a wpath names a document with a valid id, and that the encoded document names the same id. */
export const waisDocumentIdFuzzTargets: readonly FuzzTarget[] = [
  createFuzzTarget<string>({
    name: "WAIS document-ids in URLs",
    arbitraryInput: arbitraryMutatedSamples(wpathSamples),
    createRepetitiveInput: (pattern, size) => pattern.repeat(Math.ceil(size / pattern.length)),
    checkParsingResult: checkWpath,
    runWithoutChecks: checkWpath,
  }),
];

function checkWpath(text: string): void {
  const { url } = waisSyntax.tryParse(`wais://h.example/d/TEXT/${text}`, { maxLength: Infinity });
  const document = url?.wpath === undefined ? undefined : decodeWpathOrUndefined(url.wpath);
  if (!document) return;
  assertCondition(document.id.length > 0, "the decoded document id is empty");
  assertCondition(
    document.length === undefined || Number.isSafeInteger(document.length),
    "the length is not a safe integer",
  );
  const encoded = encodeWpath(document);
  if (encoded !== undefined)
    return assertCondition(
      decodeWpathOrUndefined(encoded)?.id.equals(document.id) === true,
      `${encoded} names another document`,
    );
  // When a WAIS wpath encodes no elements, the document id consists of the bytes of the wpath itself.
  assertCondition(
    !/[\0\r\n]/.test(document.id.toString("latin1")),
    "the document id has a NUL or a line end",
  );
}

/** Returns the document of a wpath, or `undefined` when the decoder rejects the wpath. */
function decodeWpathOrUndefined(
  wpath: string,
): { readonly id: Buffer; readonly length: number | undefined } | undefined {
  try {
    const { id, length } = decodeWpath(wpath);
    return { id: Buffer.from(id), length };
  } catch (error) {
    if (error instanceof AccessError) return undefined;
    throw error;
  }
}
