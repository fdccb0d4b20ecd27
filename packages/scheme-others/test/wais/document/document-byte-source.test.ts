import { wais } from "@anyscheme/scheme-others/wais";
import { mergeDefaultLimitsOfSchemes } from "@anyscheme/core/plugin";
import { expect, it } from "vitest";
import { createWaisDocumentByteSource } from "../../../src/wais/document/document-byte-source.ts";
import type { WaisConnection } from "../../../src/wais/wais-connection.ts";
import { encodeSearchResponse, encodeTextRecord } from "../wais-server.ts";

const WAIS_DEFAULT_LIMITS = mergeDefaultLimitsOfSchemes([wais()]);

it.each([
  ["no text", encodeSearchResponse(), []],
  ["an empty text", encodeSearchResponse(encodeTextRecord("")), []],
  ["a text", encodeSearchResponse(encodeTextRecord("ab")), [2]],
])("the client reads a document of %s without empty chunks", async (_name, message, lengths) => {
  const session: WaisConnection = {
    request: () => Promise.reject(new Error("the source sends an unexpected request")),
    close: () => undefined,
    limits: WAIS_DEFAULT_LIMITS,
  };
  const document = {
    database: Buffer.from("d"),
    documentId: Buffer.from([3, 1, 0x78]),
    type: Buffer.from("TEXT"),
    length: undefined,
    chunkBytes: 4,
  };
  const source = createWaisDocumentByteSource(document, message.subarray(25), session, undefined);
  const taken: number[] = [];
  expect(await source.readChunks(({ length }) => taken.push(length) > 0)).toBe("end");
  expect(taken).toEqual(lengths);
});
