import { AccessError } from "@anyscheme/core";
import { type AccessContext, type ByteSource, serverText, type Completeness } from "@anyscheme/core/plugin";
import { fixedLengthSource, type SocketReader } from "@anyscheme/core/io";
import { parseErrorHeader, type ReplyHeader } from "../gopher-plus/header.ts";
import { readReplyError } from "../gopher-plus/reply-error.ts";
import type { GopherRequestOptions } from "../options.ts";
import type { ItemFormat } from "../url/item-types.ts";
import { dotTerminatedSource } from "./dot-terminated.ts";
import { detectErrorMessage } from "./error-message.ts";
import { readPrefix } from "./peek.ts";

/** The body of a response, and the completeness after its regular end. */
export interface ResponseBody {
  readonly source: ByteSource;
  readonly completeness: Completeness | (() => Completeness);
  readonly size?: number;
}

/**
 * Returns the body of a plain Gopher response. The close of the connection ends the body. A text may have a final
 * dot. RFC 1436, Appendix. Throws the error that the server sent in place of the item.
 */
export async function plainBody(
  reader: SocketReader,
  format: ItemFormat,
  context: AccessContext,
  options: GopherRequestOptions,
): Promise<ResponseBody> {
  const header = await readPrefix(reader, (bytes, ended) => parseErrorHeader(bytes, ended, format));
  if (header) return gopherPlusBody(reader, header, context);
  const error = await readPrefix(reader, detectErrorMessage);
  if (error) {
    context.trace({ action: "receive", text: error.message });
    throw new AccessError(error.code, ["the server refuses: ", serverText(error.message)]);
  }
  if (format !== "text") return { source: reader, completeness: "unverified" };
  const removeDoubledDots = options.doubledDots === "undo";
  const text = dotTerminatedSource(reader, { end: "close", removeDoubledDots });
  return { source: text, completeness: () => text.completeness };
}

/**
 * Returns the body of a Gopher+ reply. The header of the reply defines the end of the body. Throws the error of an
 * error reply.
 */
export async function gopherPlusBody(
  reader: SocketReader,
  header: ReplyHeader,
  context: AccessContext,
): Promise<ResponseBody> {
  const { end } = header;
  context.trace({ action: "receive", text: `a Gopher+ reply, ${describeHeader(header)}` });
  const upToDot = dotTerminatedSource(reader, { end: "dot", removeDoubledDots: false });
  if (header.sign === "-")
    throw await readReplyError(end === "dot" ? upToDot : reader, header.message, context.limits);
  if (end === "dot") return { source: upToDot, completeness: () => upToDot.completeness };
  if (end === "close") return { source: reader, completeness: "unverified" };
  return { source: fixedLengthSource(reader, end), completeness: "verified", size: end };
}

function describeHeader({ sign, end }: ReplyHeader): string {
  const extent = typeof end === "number" ? `${end} bytes` : `up to the ${end}`;
  return sign === "-" ? `an error, ${extent}` : extent;
}
