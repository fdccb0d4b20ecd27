import { AccessError, type Step } from "@anyscheme/core";
import type { ByteSource, Completeness } from "@anyscheme/core/plugin";
import { diagnosticError, OUT_OF_RANGE } from "../apdu/diagnostic.ts";
import { decodeSearchResponse, type SearchResponse } from "../apdu/response.ts";
import type { Chunk } from "../apdu/search.ts";
import { chunkAt, chunkRequestEncoder, type DocumentRequest } from "../plan.ts";
import type { WaisSession } from "../session.ts";

const NOTHING = new Uint8Array(0);

/** What the answer to a request for a chunk says. */
interface ChunkResponse {
  /** Empty behind the end of the document. */
  readonly text: Uint8Array;
  /** Whether the server says that the range reaches behind the end. */
  readonly isPastEnd: boolean;
}

/** An empty document has no byte 0 either. */
const EMPTY_DOCUMENT = /^Request out of range\b/i;

/**
 * Judges the answer to a request for a chunk. Throws what a diagnostic stands for when there is no text beside it: what it says
 * about the range is no failure behind the first byte.
 */
function parseChunk({ texts, diagnostics }: SearchResponse, { start, end }: Chunk): ChunkResponse {
  const [text = NOTHING, ...others] = texts;
  if (others.length > 0) throw new AccessError("protocol", "the server's answer has several texts");
  if (text.length > end - start)
    throw new AccessError("protocol", `the server gives ${text.length} bytes instead of ${end - start}`);
  const range = diagnostics.find(({ code }) => code === OUT_OF_RANGE);
  const failure = diagnostics.find(({ code }) => code !== OUT_OF_RANGE) ?? range;
  const ended = failure === range && (start > 0 || (range && EMPTY_DOCUMENT.test(range.text)));
  if (failure && text.length === 0 && !ended) throw diagnosticError(failure);
  return { text, isPastEnd: range !== undefined };
}

/** The bytes of a document, and what their end is worth. */
export interface DocumentSource extends ByteSource {
  readonly completeness: Completeness;
}

/**
 * The document in chunks, each of which is asked for when the one before has been taken. `first` is the answer with the first
 * chunk. The end is verified where the document has the length that the URL gives, or the server reports that nothing follows.
 */
export function createDocumentSource(
  document: DocumentRequest,
  first: Uint8Array,
  session: WaisSession,
  further: Step | undefined,
): DocumentSource {
  const requestFor = chunkRequestEncoder(document);
  let position = 0;
  let text: Uint8Array = NOTHING;
  let completeness: Completeness = "unverified";
  let ended = false;

  function accept(apdu: Uint8Array, chunk: Chunk): void {
    const answer = parseChunk(decodeSearchResponse(apdu, session.limits), chunk);
    text = answer.text;
    position += text.length;
    const { length } = document;
    if (length !== undefined && position > length) {
      const what = `the document is longer than the ${length} bytes that its URL gives`;
      throw new AccessError("incomplete", what, { advice: "a URL without a length fetches all of it" });
    }
    ended = position < chunk.end || answer.isPastEnd;
    if (ended && length !== undefined && position < length) {
      const what = `the document ended after ${position} of ${length} bytes`;
      throw new AccessError("incomplete", what);
    }
    if (answer.isPastEnd || (ended && position === length)) completeness = "verified";
    if (ended) session.close();
  }

  async function next(): Promise<void> {
    if (!further) throw new Error("the plan has no further chunk");
    const chunk = chunkAt(document, position);
    const words = `fetch bytes ${chunk.start} to ${chunk.end}`;
    accept(await session.request(further, words, requestFor(chunk)), chunk);
  }

  accept(first, chunkAt(document, 0));
  return {
    get completeness() {
      return completeness;
    },
    async read(take) {
      for (;;) {
        const bytes = text;
        text = NOTHING;
        if (bytes.length > 0 && !take(bytes)) return "more";
        if (ended) return "end";
        await next();
      }
    },
    cancel: () => session.close(),
  };
}
