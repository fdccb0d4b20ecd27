// What an access method gives the client to make a resource with a body or with entries.
import type { Completeness, DirectoryCompleteness, Entry } from "./resource.ts";

/** A source of bytes. */
export interface ByteSource {
  /**
   * Passes chunks to `onChunk` until it returns false, or until the protocol has confirmed the end. Resolves to `"more"` or `"end"`.
   * Rejects when the bytes end without confirmation. A chunk is valid only until `onChunk` returns.
   */
  read(onChunk: (bytes: Uint8Array) => boolean): Promise<"more" | "end">;
  /** Discards the rest and frees what the source holds. */
  cancel(): void;
}

export interface ContentInit<X extends object = object> {
  readonly source: ByteSource;
  /** What the regular end of the source proves, or a function that returns it at that end. Default `"verified"`. */
  readonly completeness?: Completeness | (() => Completeness) | undefined;
  /**
   * Sets how many bytes the source may receive in all. The client calls it before the first read. For protocols that send more than
   * the body, as content codings do: reading then fails with `limit`. Default: only the body itself is limited.
   */
  readonly limitReceived?: ((maxBytes: number) => void) | undefined;
  /** As in `text/plain; charset=utf-8`. Default `application/octet-stream`. */
  readonly mediaType?: string | undefined;
  /** In bytes, where the server states it. A regular end after fewer or more bytes fails with `incomplete`. */
  readonly size?: number | undefined;
  /** True when the body may be longer than `size`, because the file may have grown since. Default false. */
  readonly sizeMayGrow?: boolean | undefined;
  readonly modified?: Date | undefined;
  /** Status and headers of `toResponse()`. Default: status 200, and headers made of the fields above. */
  readonly response?: (() => ResponseHead) | undefined;
  /** Decodes the bytes for `text()`. Default: by the charset of the media type, else as UTF-8. */
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
  /** What the end of the entries proves, or a function that returns it at that end. Default `"verified"`. */
  readonly completeness?: DirectoryCompleteness | (() => DirectoryCompleteness) | undefined;
  /** Discards the entries that have not been read. */
  cancel?(): void;
  /** Properties that only this scheme's resources have. */
  readonly extra?: X | undefined;
}
