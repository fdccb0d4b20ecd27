export type { ProsperoAccessMethod } from "./object/attributes.ts";
export { decodeProsperoListing, type DecodeProsperoListingOptions } from "./directory/directory.ts";
export type { ProsperoEntry } from "./directory/entry.ts";
export type { ProsperoLimits, ProsperoOptions } from "./scheme-options.ts";
export type { ProsperoPlan } from "./plan.ts";
export { prospero } from "./scheme.ts";
export { type ProsperoUrlBuildParts, prosperoSyntax, ProsperoUrl } from "./syntax.ts";
