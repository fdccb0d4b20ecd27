import type { Limits } from "@anyscheme/core";

/** The options that change a limit. */
export type LimitName =
  | "limit-size"
  | "limit-listing"
  | "limit-entries"
  | "limit-hops"
  | "limit-connect"
  | "limit-call"
  | "limit-idle"
  | "limit-depth"
  | "limit-files";

/** What a limit counts: bytes, things, or seconds. */
export type LimitUnit = "SIZE" | "COUNT" | "SECONDS";

export interface LimitOption {
  readonly name: LimitName;
  readonly unit: LimitUnit;
  /** The limit of the client; those of `-r` are the command's own. */
  readonly limit?: keyof Limits;
  readonly description: string;
}

/** The limits that a command line can change. The client has more of them; these are the ones that honest servers meet. */
export const LIMIT_OPTIONS: readonly LimitOption[] = [
  { name: "limit-size", unit: "SIZE", limit: "maxStreamBytes", description: "the longest body" },
  { name: "limit-listing", unit: "SIZE", limit: "maxListingBytes", description: "the longest listing" },
  { name: "limit-entries", unit: "COUNT", limit: "maxListingEntries", description: "entries of a listing" },
  { name: "limit-hops", unit: "COUNT", limit: "maxRedirects", description: "redirects" },
  { name: "limit-connect", unit: "SECONDS", limit: "connectTimeoutMs", description: "for connecting" },
  { name: "limit-call", unit: "SECONDS", limit: "callTimeoutMs", description: "up to the body" },
  { name: "limit-idle", unit: "SECONDS", limit: "idleTimeoutMs", description: "silence in between" },
  { name: "limit-depth", unit: "COUNT", description: "folders in folders, with -r; default: 16" },
  { name: "limit-files", unit: "COUNT", description: "entries of the whole tree, with -r; default: 10000" },
];
