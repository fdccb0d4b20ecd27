import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";

/** Options of the scheme wais, for all requests or for one. */
export interface WaisOptions {
  /**
   * The largest number of documents that a search finds. Default 200, as in browsers. With that many documents the `completeness`
   * is "unverified", because there may be more. It is also "unverified" for the largest response of freeWAIS, 100 000 bytes.
   */
  readonly maxDocuments?: number | undefined;
  /**
   * The bytes of a document that one request fetches. Default 80 000, or 10 000 if the server cannot send as much. A size that is set
   * here is never reduced. freeWAIS sends at most 100 000 bytes in a response.
   */
  readonly chunkBytes?: number | undefined;
  /**
   * Sends an Init request first, in which client and server exchange the size of their largest message. No server needs it, and
   * browsers never sent it. Default false.
   */
  readonly init?: boolean | undefined;
  /** Identifies the user in an Init request, as US-ASCII text. Default: none. */
  readonly identification?: string | undefined;
  /**
   * The meaning of a "+" in the search: a plus sign, as in RFC 1738, or a blank, as in URLs that browsers made from a form. Default
   * `"plus"`.
   */
  readonly plus?: "plus" | "blank" | undefined;
}

export const WAIS_OPTIONS: OptionTable<WaisOptions> = {
  maxDocuments: kind.integer(1),
  chunkBytes: kind.integer(1),
  init: kind.boolean,
  identification: kind.string,
  plus: kind.oneOf("plus", "blank"),
};
