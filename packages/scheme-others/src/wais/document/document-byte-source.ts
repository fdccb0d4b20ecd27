import { AccessError, type Step, type Completeness } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import { createWaisDiagnosticError, OUT_OF_RANGE_DIAGNOSTIC_CODE } from "../apdu/diagnostic.ts";
import { decodeWaisSearchResponse, type WaisSearchResponse } from "../apdu/search-response.ts";
import type { WaisDocumentChunkRange } from "../apdu/search-request.ts";
import { getWaisChunkRange, type WaisDocumentRequest, encodeWaisChunkRequest } from "../plan.ts";
import type { WaisConnection } from "../wais-connection.ts";

const EMPTY_BYTES = new Uint8Array(0);

interface ChunkResponse {
  /** The text of the chunk of a WAIS document, which is empty after the end of the document. */
  readonly text: Uint8Array;
  /** True when the WAIS server reports that the range extends beyond the end of the document. */
  readonly isPastEnd: boolean;
}

/** Matches the text of the diagnostic with which a server answers a request for the first byte of an empty document. */
const EMPTY_DOCUMENT_DIAGNOSTIC = /^Request out of range\b/i;

/**
 * Interprets the response to a request for a chunk of a WAIS document. Throws the error of the diagnostic if the
 * response has no text. A WAIS diagnostic for an invalid range is an error only for the first chunk.
 */
function parseChunkResponse(
  { texts, diagnostics }: WaisSearchResponse,
  { start, endExclusive }: WaisDocumentChunkRange,
): ChunkResponse {
  const [text = EMPTY_BYTES, ...others] = texts;
  if (others.length > 0) throw new AccessError("protocol", "the server's response has several texts");
  if (text.length > endExclusive - start)
    throw new AccessError(
      "protocol",
      `the server sent ${text.length} bytes instead of ${endExclusive - start}`,
    );
  const range = diagnostics.find(({ code }) => code === OUT_OF_RANGE_DIAGNOSTIC_CODE);
  const failure = diagnostics.find(({ code }) => code !== OUT_OF_RANGE_DIAGNOSTIC_CODE) ?? range;
  const ended = failure === range && (start > 0 || (range && EMPTY_DOCUMENT_DIAGNOSTIC.test(range.text)));
  if (failure && text.length === 0 && !ended) throw createWaisDiagnosticError(failure);
  return { text, isPastEnd: range !== undefined };
}

function createInterruptedDocumentError(): AccessError {
  return new AccessError("incomplete", "the server closed the connection before the end of the document");
}

/**
 * Reads a WAIS document in chunks. Requests a chunk of the document when the caller has read the previous chunk.
 * `first` is the WAIS response with the first chunk of the document. The end of the WAIS document is verified if the
 * document has the length in the URL, or the server reports the end.
 */
export function createWaisDocumentByteSource(
  document: WaisDocumentRequest,
  first: Uint8Array,
  session: WaisConnection,
  fetchMore: Step | undefined,
): ByteSource & { readonly completeness: Completeness } {
  let position = 0;
  let text: Uint8Array = EMPTY_BYTES;
  let completeness: Completeness = "unverified";
  let ended = false;

  function processChunkResponse(apdu: Uint8Array, chunk: WaisDocumentChunkRange): void {
    const response = parseChunkResponse(decodeWaisSearchResponse(apdu, session.limits), chunk);
    text = response.text;
    position += text.length;
    const { length } = document;
    if (length !== undefined && position > length) {
      const reason = `the document is longer than the ${length} bytes in its URL`;
      throw new AccessError("incomplete", reason, {
        advice: "use a URL without a length to fetch the whole document",
      });
    }
    ended = position < chunk.endExclusive || response.isPastEnd;
    if (ended && length !== undefined && position < length) {
      throw new AccessError("incomplete", `the document ended after ${position} of ${length} bytes`);
    }
    if (response.isPastEnd || (ended && position === length)) completeness = "verified";
    if (ended) session.close();
  }

  async function fetchNextChunk(): Promise<void> {
    if (!fetchMore) throw new Error("the plan has no further chunk");
    const chunk = getWaisChunkRange(document, position);
    const description = `fetch bytes ${chunk.start} to ${chunk.endExclusive}`;
    const bytes = encodeWaisChunkRequest(document, chunk);
    processChunkResponse(
      await session.request(fetchMore, description, bytes, createInterruptedDocumentError),
      chunk,
    );
  }

  processChunkResponse(first, getWaisChunkRange(document, 0));
  return {
    get completeness() {
      return completeness;
    },
    async readChunks(onChunk) {
      for (;;) {
        const bytes = text;
        text = EMPTY_BYTES;
        if (bytes.length > 0 && !onChunk(bytes)) return "more";
        if (ended) return "end";
        await fetchNextChunk();
      }
    },
    cancel: () => session.close(),
  };
}
