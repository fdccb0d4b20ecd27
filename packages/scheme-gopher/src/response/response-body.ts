import { AccessError, type Completeness } from "@anyscheme/core";
import { type AccessContext, type ByteSource, createMaskableServerText } from "@anyscheme/core/plugin";
import { createFixedLengthSource, type PushbackByteSource } from "@anyscheme/core/io";
import {
  type GopherPlusBodyEnd,
  type GopherPlusErrorHeader,
  parseGopherPlusErrorInPlainResponse,
  readGopherPlusError,
  type GopherPlusHeader,
} from "../gopher-plus/reply.ts";
import type { GopherRequestOptions } from "../scheme-options.ts";
import type { GopherItemFormat } from "../item-types.ts";
import { createDotTerminatedSource, type DotTerminationOptions } from "./dot-terminated.ts";
import { detectGopherError, type GopherErrorMessage } from "./error-message.ts";

/**
 * The body of a Gopher response. The property `completeness` states whether a body that ended without an error is
 * complete.
 */
export interface GopherResponseBody {
  readonly source: ByteSource;
  readonly completeness: Completeness | (() => Completeness);
  readonly size?: number;
}

/**
 * Returns the body of a plain Gopher response. The body of a plain Gopher response ends when the server closes the
 * connection. A text may end with a line of one dot. RFC 1436, Appendix. Throws the error that the server sent in place
 * of the item.
 */
export async function decodePlainGopherBody(
  reader: PushbackByteSource,
  format: GopherItemFormat,
  context: AccessContext,
  requestOptions: GopherRequestOptions,
): Promise<GopherResponseBody> {
  const error = await readResponsePrefix<GopherPlusErrorHeader | GopherErrorMessage | null>(
    reader,
    (bytes, ended) => {
      const header = parseGopherPlusErrorInPlainResponse(bytes, ended, format);
      return header?.value === null ? detectGopherError(bytes, ended) : header;
    },
  );
  const removeDoubledDots = format === "text" && requestOptions.doubledDots === "undo";
  if (error && "status" in error) return decodeGopherPlusBody(reader, error, context, { removeDoubledDots });
  if (error) {
    context.trace({ action: "receive", text: error.message });
    throw new AccessError(error.accessErrorCode, [
      "the server refuses: ",
      createMaskableServerText(error.message),
    ]);
  }
  if (format !== "text") return { source: reader, completeness: "unverified" };
  const text = createDotTerminatedSource(reader, { textEndsAt: "close", removeDoubledDots });
  return { source: text, completeness: () => text.completeness };
}

/**
 * Returns the body of a Gopher+ reply. The header of the reply defines the end of the body. Throws the error that an
 * error reply contains.
 */
export async function decodeGopherPlusBody(
  reader: PushbackByteSource,
  header: GopherPlusHeader,
  context: AccessContext,
  options: Pick<DotTerminationOptions, "removeDoubledDots">,
): Promise<GopherResponseBody> {
  context.trace({ action: "receive", text: `a Gopher+ reply, ${describeGopherPlusHeader(header)}` });
  const body = delimitGopherPlusBody(reader, header.bodyEnd, options);
  if (header.status === "-") throw await readGopherPlusError(body.source, header.message, context.limits);
  return body;
}

function delimitGopherPlusBody(
  reader: PushbackByteSource,
  bodyEnd: GopherPlusBodyEnd,
  { removeDoubledDots }: Pick<DotTerminationOptions, "removeDoubledDots">,
): GopherResponseBody {
  if (bodyEnd === "close") return { source: reader, completeness: "unverified" };
  if (bodyEnd !== "dot")
    return { source: createFixedLengthSource(reader, bodyEnd), completeness: "verified", size: bodyEnd };
  const source = createDotTerminatedSource(reader, { textEndsAt: "dot", removeDoubledDots });
  return { source, completeness: () => source.completeness };
}

function describeGopherPlusHeader({ status, bodyEnd }: GopherPlusHeader): string {
  const extent = typeof bodyEnd === "number" ? `${bodyEnd} bytes` : `up to the ${bodyEnd}`;
  return status === "-" ? `an error, ${extent}` : extent;
}

/** The value parsed from the first bytes of a response, and the number of parsed bytes. */
export interface ParsedResponsePrefix<T> {
  readonly value: T;
  readonly length: number;
}

/**
 * A function that parses the received beginning of a Gopher response. Returns `undefined` if the parser needs more
 * bytes. When `ended` is true, the response has no more bytes, and the parser must not return `undefined`.
 */
export type ResponsePrefixParser<T> = (
  bytes: Uint8Array,
  ended: boolean,
) => ParsedResponsePrefix<T> | undefined;

const EMPTY_BYTES = new Uint8Array(0);

/**
 * Reads the first bytes of a response until `parse` has a result. Puts the bytes that `parse` has not used back into
 * the reader of the response.
 */
export async function readResponsePrefix<T>(
  reader: PushbackByteSource,
  parse: ResponsePrefixParser<T>,
): Promise<T> {
  let bytes: Uint8Array = EMPTY_BYTES;
  let match: ParsedResponsePrefix<T> | undefined;
  const onChunk = (chunk: Uint8Array, ended: boolean): boolean => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    match = parse(bytes, ended);
    if (match) reader.unread(bytes.subarray(match.length));
    return match === undefined;
  };
  const state = await reader.readChunks((chunk) => onChunk(chunk, false));
  if (state === "end" && !match) onChunk(EMPTY_BYTES, true);
  if (!match) throw new Error("the parser requested more bytes after the end of the response");
  return match.value;
}
