import { AccessError, type AccessContext, type ContentResource } from "@anyscheme/core";
import { decodeInitResponse } from "./apdu/init.ts";
import { latin1Of } from "./charset.ts";
import { searchDirectory, type WaisDirectory } from "./directory.ts";
import type { WaisOptions } from "./options.ts";
import { MESSAGE_OVERHEAD_BYTES, recordBytes, type WaisPlan } from "./plan.ts";
import { documentSource } from "./retrieval.ts";
import { openSession, type WaisSession } from "./session.ts";
import { wtypeOf } from "./wtypes.ts";

/** What a wais URL gives: a database and a search are directories, a document is content. */
export type WaisResource = ContentResource | WaisDirectory;

/**
 * Performs the plan. Throws what the server's diagnostics stand for: `not-found`, `permission-denied`, `unavailable`,
 * `unsupported`.
 */
export async function accessWais(
  plan: WaisPlan,
  context: AccessContext,
  options: WaisOptions,
): Promise<WaisResource> {
  const session = await openSession(plan, context);
  if (plan.init) await agree(plan, session, context);
  const { document, request } = plan;
  if (!document) return searchDirectory(plan, session, context, options);
  const first = await session.ask(request, request.text);
  const source = documentSource(document, first, session, plan.further);
  return context.content({
    source,
    completeness: () => source.completeness,
    mediaType: wtypeOf(latin1Of(document.type)).mediaType,
    size: document.length,
  });
}

/** Sends the Init, and looks whether a chunk of the plan fits into the answers that the server gives. */
async function agree(
  { init, document }: WaisPlan,
  session: WaisSession,
  context: AccessContext,
): Promise<void> {
  if (!init) return;
  const response = decodeInitResponse(await session.ask(init, init.text));
  const { accepted, implementation, maxRecordBytes = Infinity } = response;
  if (!accepted) throw new AccessError("permission-denied", "the server refuses the init");
  context.trace({
    action: "receive",
    text: `accepted by ${implementation.name ?? "a server"}, messages of up to ${maxRecordBytes} octets`,
  });
  if (document && recordBytes(document) > maxRecordBytes) {
    const most = maxRecordBytes - document.documentId.length - MESSAGE_OVERHEAD_BYTES;
    const advice = `the option chunkBytes may be ${most} at most`;
    throw new AccessError("unsupported", `the server gives at most ${maxRecordBytes} octets at a time`, {
      advice,
    });
  }
}
