// What can be done with a URL besides dereferencing it. RFC 1738 §2: "a system may perform a variety of operations on the
// resource, as might be characterized by such words as `access', `update', `replace', `find attributes'."
import type { RedirectEntry } from "./resource.ts";
import type { AccessContext } from "./context.ts";
import type { Plan, PlanOptions } from "./plan.ts";
import type { ResponseHead } from "./content.ts";
import type { Url } from "../syntax/index.ts";

/** An operation of a scheme: its plan, and how the plan is performed. `A` is what it takes besides the URL, `G` what it gives. */
export interface Operation<
  U extends Url = Url,
  O extends object = object,
  A extends object = object,
  G extends OperationResult = OperationResult,
> {
  /** Pure, as the plan of an access. Throws `refused-characters` for what must not be sent. */
  plan(url: U, options: PlanOptions & O & Omit<A, "upload">): Plan<U>;
  perform(plan: Plan<U>, context: AccessContext<G>, options: PlanOptions & O & A): Promise<ResultInit<G>>;
}

/** The operations that a scheme may have; each one is optional. */
export interface Operations<U extends Url = Url, O extends object = object> {
  readonly stat?: Operation<U, O, object, Stat> | undefined;
  readonly put?: Operation<U, O, PutRequest, PutResult> | undefined;
  readonly delete?: Operation<U, O> | undefined;
  readonly mkdir?: Operation<U, O> | undefined;
  readonly rename?: Operation<U, O, RenameRequest> | undefined;
}

export type OperationName = keyof Operations;

/** What every operation gives: where it was performed, and how. */
export interface OperationResult {
  readonly url: Url;
  readonly redirectChain: readonly RedirectEntry[];
  readonly plan: Plan;
  /** What the server answered, for protocols that have responses in the sense of the Fetch standard. */
  readonly response?: ResponseHead | undefined;
}

/** What `perform` gives: what is particular to the operation, or the whole of what another hop gave. */
export type ResultInit<G extends OperationResult> = Omit<G, keyof OperationResult> | G;

/** The attributes of a resource, as far as its server tells them without sending it. */
export interface Stat extends OperationResult {
  readonly kind: "content" | "directory" | "unknown";
  /** In bytes. */
  readonly size: number | undefined;
  readonly modified: Date | undefined;
  readonly mediaType: string | undefined;
}

/** What was written. */
export interface PutResult extends OperationResult {
  /** Bytes sent. */
  readonly bytesWritten: number;
}

export interface PutOptions {
  /** Writes beside the name and renames when complete, so that readers see the old content or the new. Default false. */
  readonly atomic?: boolean | undefined;
  /** Where in the content to write, in bytes from 0; `"end"` appends. Default 0, which replaces the whole. */
  readonly at?: number | "end" | undefined;
  /** As in `text/plain; charset=utf-8`, for protocols that say it. */
  readonly mediaType?: string | undefined;
  /** How many bytes will come, where the body does not tell. */
  readonly size?: number | undefined;
}

/** What a put takes. The upload is there when it is performed, and not when it is only planned. */
export interface PutRequest extends PutOptions {
  readonly upload: UploadStream;
}

export interface RenameRequest {
  /** The new name: a URL of the same scheme, host, port and login. */
  readonly to: Url;
}

/** The bytes of a put, in pieces; they can be read once. */
export interface UploadStream {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** How many there are, where that is known. */
  readonly size: number | undefined;
}

/** What can be put. */
export type UploadBody =
  string | Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
