export type { NewsResource } from "./access.ts";
export type { NewsRequestOptions, NewsOptions, NewsServer } from "./options.ts";
export type { NewsPlan } from "./plan.ts";
export { news } from "./scheme.ts";
export { type NewsKind, type NewsParts, newsSyntax, NewsUrl } from "./syntax.ts";
