import { AccessError } from "@anyscheme/core";
import { type AccessContext, limitError } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { DocumentHeader } from "../apdu/response.ts";
import {
  chunkAt,
  chunkRequestEncoder,
  FALLBACK_CHUNK_BYTES,
  type DocumentRequest,
  type WaisPlan,
} from "../plan.ts";
import { createDocumentSource } from "../document/document-source.ts";
import type { WaisSession } from "../session.ts";
import { parseWaisSource, type WaisSource } from "./source-description.ts";

const DESCRIPTION_TYPE = "WSRC";

/**
 * Fetches the description of the plan's database, if a search without words has found the description. Returns
 * `undefined` if the server lists the description but does not send it.
 */
export async function fetchSourceDescription(
  headers: readonly DocumentHeader[],
  { url, fetchMore }: WaisPlan,
  session: WaisSession,
  context: AccessContext,
): Promise<WaisSource | undefined> {
  const documentId = headers.find(({ types }) => types[0] === DESCRIPTION_TYPE)?.documentId;
  if (!fetchMore || !documentId) return undefined;
  const document: DocumentRequest = {
    database: percentDecode(url.database),
    documentId,
    type: Buffer.from(DESCRIPTION_TYPE),
    length: undefined,
    chunkBytes: FALLBACK_CHUNK_BYTES,
  };
  const request = chunkRequestEncoder(document)(chunkAt(document, 0));
  try {
    const first = await session.request(fetchMore, fetchMore.description, request);
    const source = parseWaisSource(await readAll(document, first, session, { fetchMore, context }));
    const fault = source ? source.fault : "it is no source description";
    if (fault !== undefined)
      context.trace({ action: "receive", text: `the description is incomplete: ${fault}` });
    return source;
  } catch (error) {
    if (!(error instanceof AccessError) || (error.code !== "not-found" && error.code !== "unsupported"))
      throw error;
    context.trace({ action: "receive", text: `no description: ${error.reason}` });
    return undefined;
  }
}

async function readAll(
  document: DocumentRequest,
  first: Uint8Array,
  session: WaisSession,
  { fetchMore, context: { limits } }: { fetchMore: WaisPlan["fetchMore"]; context: AccessContext },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let remaining = limits.maxListingBytes;
  await createDocumentSource(document, first, session, fetchMore).read((bytes) => {
    remaining -= bytes.length;
    chunks.push(bytes);
    return remaining >= 0;
  });
  if (remaining < 0)
    throw limitError("maxListingBytes", limits, "the description of the database is too long");
  return Buffer.concat(chunks);
}
