import type { CoreLimits } from "@anyscheme/core";
import { type OptionTable, createEnumOptionKind, stringOptionKind } from "@anyscheme/core/plugin";

/** Options of the scheme prospero, for a client or a single request. */
export interface ProsperoOptions {
  /** The user name that the client sends to the Prospero server without authentication. Default `anonymous`. */
  readonly user?: string | undefined;
  /** The program name that the client sends to the Prospero server. Default `anyscheme`. */
  readonly software?: string | undefined;
  /**
   * Selects one of several access methods of a Prospero object. `"contents-first"` prefers the contents that the
   * Prospero server itself sends. `"in-order"` uses the first supported access method in the server's order. Default
   * `"contents-first"`.
   */
  readonly accessMethods?: "contents-first" | "in-order" | undefined;
  /**
   * `"follow"` adds the entries of the directories that union links refer to. The address policy of the client applies
   * to the servers of the union directories. `"list"` lists each union link as an entry. Default `"list"`.
   */
  readonly unions?: "list" | "follow" | undefined;
}

export const PROSPERO_SCHEME_OPTION_KINDS: OptionTable<ProsperoOptions> = {
  user: stringOptionKind,
  software: stringOptionKind,
  accessMethods: createEnumOptionKind("contents-first", "in-order"),
  unions: createEnumOptionKind("list", "follow"),
};

/** The limits of a client with the scheme prospero. */
export interface ProsperoLimits extends CoreLimits {
  /**
   * The maximum number of buffered packets of a response while an earlier packet is missing. Default 64 packets, which
   * is four ARDP windows.
   */
  readonly maxProsperoPackets: number;
  /** The maximum number of links of a Prospero directory. Default 10 000. */
  readonly maxProsperoLinks: number;
  /** The maximum number of forwards of a request, and of union directories that a request follows. Default 5. */
  readonly maxProsperoForwards: number;
  /** The maximum total wait that a Prospero server may request, in milliseconds. Default 90 000. */
  readonly maxProsperoWaitMs: number;
}

declare module "@anyscheme/core" {
  interface ClientLimits extends ProsperoLimits {}
}

/** The limits that the scheme prospero declares. */
export const DEFAULT_PROSPERO_LIMITS: Readonly<
  Record<Exclude<keyof ProsperoLimits, keyof CoreLimits>, number>
> = {
  maxProsperoPackets: 64,
  maxProsperoLinks: 10_000,
  maxProsperoForwards: 5,
  maxProsperoWaitMs: 90_000,
};
