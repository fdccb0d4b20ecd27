export type { AccessMethod } from "./access-method.ts";
export { decodeListing, type Listing } from "./directory.ts";
export type { ProsperoEntry } from "./entry.ts";
export type { ProsperoOptions } from "./options.ts";
export type { ProsperoPlan } from "./plan.ts";
export { prospero } from "./scheme.ts";
export { type ProsperoParts, prosperoSyntax, ProsperoUrl } from "./syntax.ts";
