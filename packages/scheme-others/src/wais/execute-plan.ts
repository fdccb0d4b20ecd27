import { AccessError, type ContentResource } from "@anyscheme/core";
import { type AccessContext, bytesToLatin1 } from "@anyscheme/core/plugin";
import { decodeWaisInitResponse } from "./apdu/init-apdus.ts";
import { requestWaisSearchResults, type WaisSearchResults } from "./directory/search-results.ts";
import type { WaisOptions } from "./scheme-options.ts";
import {
  getWaisChunkRange,
  type WaisDocumentRequest,
  encodeWaisChunkRequest,
  createWaisRequestWithSmallerChunks,
  FALLBACK_WAIS_CHUNK_BYTES,
  WAIS_RESPONSE_OVERHEAD_BYTES,
  computeMaxChunkResponseBytes,
  type WaisPlan,
} from "./plan.ts";
import { createWaisDocumentByteSource } from "./document/document-byte-source.ts";
import { connectToWaisServerWithoutInit, type WaisConnection } from "./wais-connection.ts";
import { getKindAndMediaTypeOfWtype } from "./document/wtypes.ts";

/** The resource of a wais URL. WAIS databases and searches are directories, and WAIS documents are content. */
export type WaisResource = ContentResource | WaisSearchResults;

/**
 * Performs the plan. Throws `not-found`, `permission-denied`, `unavailable` or `unsupported` for diagnostics of the
 * server.
 */
export async function executeWaisPlan(
  plan: WaisPlan,
  context: AccessContext,
  options: WaisOptions,
): Promise<WaisResource> {
  const session = await connectToWaisServerWithoutInit(plan, context);
  const maxRecordBytes = await sendInitRequest(plan, session, context);
  if (!plan.document) return requestWaisSearchResults(plan, session, context, options);
  const { document, first } = await fetchFirstChunk(plan, session, maxRecordBytes);
  const source = createWaisDocumentByteSource(document, first, session, plan.fetchNextChunk);
  return context.createContent({
    source,
    completeness: () => source.completeness,
    mediaType: getKindAndMediaTypeOfWtype(bytesToLatin1(document.type)).mediaType,
    size: document.length,
  });
}

/**
 * Sends the WAIS Init request, if the plan has one. Returns the size of the WAIS server's largest response, in bytes.
 * Throws `unsupported` if the caller's `chunkBytes` needs a larger response.
 */
async function sendInitRequest(
  { initRequest, document, fetchSmallerChunks }: WaisPlan,
  session: WaisConnection,
  context: AccessContext,
): Promise<number> {
  if (!initRequest) return Infinity;
  const response = decodeWaisInitResponse(await session.request(initRequest, initRequest.description));
  const { isAccepted, implementationName = "the server", maxRecordBytes = Infinity } = response;
  if (!isAccepted) throw new AccessError("permission-denied", "the server refused the Init request");
  context.trace({
    action: "receive",
    text: `${implementationName} accepted the Init request and sends messages of up to ${maxRecordBytes} bytes`,
  });
  if (document && !fetchSmallerChunks && computeMaxChunkResponseBytes(document) > maxRecordBytes) {
    const most = maxRecordBytes - document.documentId.length - WAIS_RESPONSE_OVERHEAD_BYTES;
    throw new AccessError("unsupported", `the server sends at most ${maxRecordBytes} bytes at a time`, {
      advice: `the option chunkBytes may be at most ${most}`,
    });
  }
  return maxRecordBytes;
}

/**
 * Fetches the first chunk of a WAIS document. Chooses smaller chunks if the server cannot send the chunks of the plan.
 */
async function fetchFirstChunk(
  plan: WaisPlan,
  session: WaisConnection,
  maxRecordBytes: number,
): Promise<{ document: WaisDocumentRequest; first: Uint8Array }> {
  const { document, request, fetchSmallerChunks } = plan;
  if (!document) throw new Error("the plan fetches no document");
  let maxBytes = Math.min(maxRecordBytes, session.limits.maxWaisApduBytes);
  if (!fetchSmallerChunks || computeMaxChunkResponseBytes(document) <= maxBytes) {
    const first = await session.request(request, request.description);
    // A WAIS server sends an empty response if the requested chunk is too large.
    if (!fetchSmallerChunks || first.length > 0) return { document, first };
    maxBytes = FALLBACK_WAIS_CHUNK_BYTES + document.documentId.length + WAIS_RESPONSE_OVERHEAD_BYTES;
  }
  const fitting = createWaisRequestWithSmallerChunks(document, maxBytes);
  const chunk = getWaisChunkRange(fitting, 0);
  const description = `fetch bytes 0 to ${chunk.endExclusive}`;
  const first = await session.request(
    fetchSmallerChunks,
    description,
    encodeWaisChunkRequest(fitting, chunk),
  );
  return { document: fitting, first };
}
