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
 * Fetches the description of the plan's database, if a search for nothing has found it. A server that lists a description and
 * refuses it has none to give.
 */
export async function fetchSourceDescription(
  headers: readonly DocumentHeader[],
  { url, fetchMore: further }: WaisPlan,
  session: WaisSession,
  context: AccessContext,
): Promise<WaisSource | undefined> {
  const documentId = headers.find(({ types }) => types[0] === DESCRIPTION_TYPE)?.documentId;
  if (!further || !documentId) return undefined;
  const document: DocumentRequest = {
    database: percentDecode(url.database),
    documentId,
    type: Buffer.from(DESCRIPTION_TYPE),
    length: undefined,
    chunkBytes: FALLBACK_CHUNK_BYTES,
  };
  const request = chunkRequestEncoder(document)(chunkAt(document, 0));
  try {
    const first = await session.request(further, further.description, request);
    const source = parseWaisSource(await readAll(document, first, session, { further, context }));
    const fault = source ? source.fault : "it has another form";
    if (fault !== undefined)
      context.trace({ action: "receive", text: `the description cannot be read in whole: ${fault}` });
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
  { further, context: { limits } }: { further: WaisPlan["fetchMore"]; context: AccessContext },
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let left = limits.maxListingBytes;
  await createDocumentSource(document, first, session, further).read((bytes) => {
    left -= bytes.length;
    parts.push(bytes);
    return left >= 0;
  });
  if (left < 0) throw limitError("maxListingBytes", limits, "the description of the database is too long");
  return Buffer.concat(parts);
}
