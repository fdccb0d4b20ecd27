import type { CoreLimits } from "@anyscheme/core";
import {
  type OptionTable,
  booleanOptionKind,
  createEnumOptionKind,
  createIntegerOptionKind,
  stringOptionKind,
} from "@anyscheme/core/plugin";

/** Options of the scheme wais, for a client or a single request. */
export interface WaisOptions {
  /**
   * The largest number of documents that a search finds. Default 200, as in browsers. The `completeness` is
   * "unverified" if the WAIS search finds this number of documents, because there may be more. The `completeness` is
   * also "unverified" for a response of almost the largest size of freeWAIS (100 000 bytes).
   */
  readonly maxDocuments?: number | undefined;
  /**
   * The number of bytes of a document that each WAIS request fetches. Default 80 000. If the server cannot send 80 000,
   * the default is 10 000, or the size that fits the maximum in the Init response. The client never reduces a size that
   * the caller sets. freeWAIS sends at most 100 000 bytes in a response.
   */
  readonly chunkBytes?: number | undefined;
  /**
   * Sends an Init request first, in which client and server exchange the size of their largest message. No server needs
   * an Init request, and browsers never sent one. Default false.
   */
  readonly sendInitRequest?: boolean | undefined;
  /** The US-ASCII text that identifies the user in an Init request. Default: none. */
  readonly identification?: string | undefined;
  /**
   * The meaning of "+" in the words of a WAIS search. `"plus"` means that this "+" is a plus sign, as in RFC 1738.
   * `"blank"` means that a "+" in a WAIS search is a blank, as in URLs that browsers created from a form. Default
   * `"plus"`.
   */
  readonly plusMeaning?: "plus" | "blank" | undefined;
}

/** The largest number that a WAIS request can contain in four bytes. */
const MAX_NUMERIC_OPTION = 2 ** 32 - 1;

export const WAIS_SCHEME_OPTION_KINDS: OptionTable<WaisOptions> = {
  maxDocuments: createIntegerOptionKind(1, MAX_NUMERIC_OPTION),
  chunkBytes: createIntegerOptionKind(1, MAX_NUMERIC_OPTION),
  sendInitRequest: booleanOptionKind,
  identification: stringOptionKind,
  plusMeaning: createEnumOptionKind("plus", "blank"),
};

/** The limits of a client with the scheme wais. */
export interface WaisLimits extends CoreLimits {
  /** The maximum size of an APDU of a server in bytes. Default 4 MiB. */
  readonly maxWaisApduBytes: number;
}

declare module "@anyscheme/core" {
  interface ClientLimits extends WaisLimits {}
}

/** The limits that the scheme wais declares. */
export const DEFAULT_WAIS_LIMITS: Readonly<Record<Exclude<keyof WaisLimits, keyof CoreLimits>, number>> = {
  maxWaisApduBytes: 4_194_304,
};
