// The operations on a URL besides `dereference`. RFC 1738 §2: "a system may perform a variety of operations on the
// resource, as might be characterized by such words as `access', `update', `replace', `find attributes'."
import type { RedirectChainEntry } from "./resource.ts";
import type { AccessContext, ResponseHead } from "./context.ts";
import type { Plan, PlanOptions } from "./plan.ts";
import type { Url } from "../syntax/index.ts";
import { checkArgument } from "../options/check-options.ts";
import type { OptionKind } from "../options/option-kinds.ts";
import type { ClientLimits } from "../policy/limits.ts";

/**
 * The implementation of one operation of a scheme, such as `put` or `delete`. `A` is the type of the operation's own
 * options, and `R` is the type of its result.
 */
export interface SchemeOperationImplementation<
  U extends Url = Url,
  O extends object = object,
  A extends object = object,
  R extends OperationResult = OperationResult,
> {
  /** Creates the plan of the operation, as `Scheme.plan` does for `dereference`. */
  plan(url: U, options: PlanOptions & O & Omit<A, "upload">, limits: ClientLimits): Plan<U>;
  perform(
    plan: Plan<U>,
    context: AccessContext<R>,
    options: PlanOptions & O & A,
  ): Promise<OperationResultInit<R>>;
}

/** The operations besides `dereference` that a scheme may implement, all optional. */
export interface OptionalSchemeOperations<U extends Url = Url, O extends object = object> {
  readonly stat?: SchemeOperationImplementation<U, O, object, Stat> | undefined;
  readonly put?: SchemeOperationImplementation<U, O, PutOperationOptions, PutResult> | undefined;
  readonly delete?: SchemeOperationImplementation<U, O> | undefined;
  readonly mkdir?: SchemeOperationImplementation<U, O> | undefined;
  readonly rename?: SchemeOperationImplementation<U, O, RenameOperationOptions> | undefined;
}

export type OperationName = keyof OptionalSchemeOperations;

/** The fields that the results of `put`, `delete` and the other operations besides `dereference` have in common. */
export interface OperationResult {
  readonly url: Url;
  readonly redirectChain: readonly RedirectChainEntry[];
  readonly plan: Plan;
  /** The status and headers of the server's response, for http. */
  readonly response?: ResponseHead | undefined;
}

/** The return value of `perform`: the fields of the operation, or the complete result of a redirect. */
export type OperationResultInit<R extends OperationResult> = Omit<R, keyof OperationResult> | R;

/** The attributes of a resource that its server states. */
export interface Stat extends OperationResult {
  readonly kind: "content" | "directory" | "unknown";
  /** The size of the resource in bytes. */
  readonly size: number | undefined;
  readonly modified: Date | undefined;
  readonly mediaType: string | undefined;
}

/** The result of `put`. */
export interface PutResult extends OperationResult {
  /** The number of bytes of the body that were sent. */
  readonly bytesWritten: number;
}

export interface PutOptions {
  /**
   * True to write a temporary file that is renamed when it is complete. Other clients of the server see either the old
   * content or the new content. Default false.
   */
  readonly atomic?: boolean | undefined;
  /**
   * The offset in bytes in the existing content where `put` starts to write; `"end"` appends. Default: replaces the
   * whole content.
   */
  readonly offset?: number | "end" | undefined;
  /** The media type, as in `text/plain; charset=utf-8`, for protocols that send one. */
  readonly mediaType?: string | undefined;
  /** The length of the body in bytes, for a body that is a stream or an iterable. */
  readonly size?: number | undefined;
}

/** The options of a `put`. The upload is absent when the operation is planned but not executed. */
export interface PutOperationOptions extends PutOptions {
  readonly upload: UploadChunksAndSize;
}

export interface RenameOperationOptions {
  /** The new name: a URL of the same scheme, host, port and login. */
  readonly to: Url;
}

/** The bytes that a `put` uploads, in chunks. The chunks of an upload can be read once. */
export interface UploadChunksAndSize {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The total number of bytes to upload, if known. */
  readonly size: number | undefined;
}

/** A body for `put`. */
export type UploadBody =
  string | Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const uploadBodyOptionKind: OptionKind = {
  expects: "a string, a Uint8Array, a Blob, a ReadableStream or an iterable of Uint8Array",
  accepts: (value) =>
    typeof value === "object" &&
    value !== null &&
    (Symbol.asyncIterator in value || Symbol.iterator in value),
};

/** The size of the chunks into which a byte array is split for an upload. */
const UPLOAD_CHUNK_BYTES = 262_144;

/**
 * Converts the body of a `put` to chunks and their total size. Text becomes UTF-8. `size` is the caller's option
 * `size`, which applies only to a stream or an iterable. Throws `TypeError` for a value that is no {@link UploadBody}.
 */
export function toUploadSource(body: UploadBody, size: number | undefined): UploadChunksAndSize {
  if (typeof body === "string") return toUploadSource(new TextEncoder().encode(body), size);
  if (body instanceof Uint8Array) return { chunks: splitBytes(body), size: body.length };
  if (body instanceof Blob) return { chunks: body.stream(), size: body.size };
  checkArgument("put", "body", body, uploadBodyOptionKind);
  return { chunks: Symbol.asyncIterator in body ? body : toAsyncIterable(body), size };
}

async function* splitBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += UPLOAD_CHUNK_BYTES)
    yield bytes.subarray(at, at + UPLOAD_CHUNK_BYTES);
}

async function* toAsyncIterable(bytes: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* bytes;
}
