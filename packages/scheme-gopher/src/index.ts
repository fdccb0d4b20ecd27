export type { GopherResource } from "./access.ts";
export type { GopherEntry } from "./entry.ts";
export type { GopherCallOptions, GopherOptions, GophersOptions } from "./options.ts";
export { gopher, gophers } from "./scheme.ts";
export { type GopherName, type GopherParts, gophersSyntax, gopherSyntax, GopherUrl } from "./syntax.ts";
