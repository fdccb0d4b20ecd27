// The descriptions from which the client creates resources with a body or with entries.
import type { Completeness, DirectoryCompleteness, Entry } from "./resource.ts";

/** A source of bytes. */
export interface ByteSource {
  /**
   * Passes chunks to `onChunk` until it returns false, or until the protocol has confirmed the end. Resolves to `"more"` or `"end"`.
   * Rejects when the bytes end without confirmation. A chunk is valid only until `onChunk` returns.
   */
  read(onChunk: (bytes: Uint8Array) => boolean): Promise<"more" | "end">;
  /** Discards the unread bytes and frees the resources of the source. */
  cancel(): void;
}

export interface ContentInit<X extends object = object> {
  readonly source: ByteSource;
  /** The completeness of a body that ended regularly, or a function that returns it. Default `"verified"`. */
  readonly completeness?: Completeness | (() => Completeness) | undefined;
  /**
   * Limits the total number of received bytes. The client calls this function before the first read. Reading more fails
   * with `limit`. Needed when a protocol sends more bytes than the body, as with content codings. Default: only the
   * body is limited.
   */
  readonly limitReceived?: ((maxBytes: number) => void) | undefined;
  /** The media type, as in `text/plain; charset=utf-8`. Default `application/octet-stream`. */
  readonly mediaType?: string | undefined;
  /** The size in bytes that the server stated. A regular end after fewer or more bytes fails with `incomplete`. */
  readonly size?: number | undefined;
  /** True when the body may be longer than `size`, because the file may have grown meanwhile. Default false. */
  readonly sizeMayGrow?: boolean | undefined;
  readonly modified?: Date | undefined;
  /** The status and headers of `toResponse()`. Default: status 200, and headers from the fields above. */
  readonly response?: (() => ResponseHead) | undefined;
  /** Decodes the bytes for `text()`. Default: uses the charset of the media type, else UTF-8. */
  readonly decode?: ((bytes: Uint8Array) => string) | undefined;
  /** Properties that only this scheme's resources have. */
  readonly extra?: X | undefined;
}

/** A response of the Fetch standard without its body. */
export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Iterable<readonly [name: string, value: string]>;
}

export interface DirectoryInit<E extends Entry = Entry, X extends object = object> {
  readonly entries: AsyncIterable<E>;
  /** The completeness of entries that ended regularly, or a function that returns it. Default `"verified"`. */
  readonly completeness?: DirectoryCompleteness | (() => DirectoryCompleteness) | undefined;
  /** Discards the entries that have not been read. */
  cancel?(): void;
  /** Properties that only this scheme's resources have. */
  readonly extra?: X | undefined;
}
