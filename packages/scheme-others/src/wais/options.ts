import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";

/** Options of the scheme wais, for all calls or for one. */
export interface WaisOptions {
  /**
   * How many documents a search may find. Default 200, as browsers ask for. The `completeness` of a directory with as many is
   * "unverified": there may be more. freeWAIS gives no more than fit into 100 000 bytes, which is "unverified" as well.
   */
  readonly maxDocuments?: number | undefined;
  /**
   * Bytes of a document that are fetched at a time. Default 80 000; where the server cannot give that much, 10 000, which every
   * server can. A size that is set here is not lowered. freeWAIS gives at most 100 000 with all that belongs to a chunk.
   */
  readonly chunkBytes?: number | undefined;
  /**
   * Whether an Init comes first, by which both sides name the largest message they take. No server needs one, and browsers never
   * sent it. Default false.
   */
  readonly init?: boolean | undefined;
  /** What an Init says of who is asking, in free words of US-ASCII. Default: nothing. */
  readonly identification?: string | undefined;
  /**
   * What a "+" in the search stands for: itself, as everywhere in RFC 1738, or a blank, as in URLs that browsers made of a form.
   * Default `"plus"`.
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
