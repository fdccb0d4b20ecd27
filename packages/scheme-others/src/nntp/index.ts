export { Article, type Field } from "./article.ts";
export { NntpGroup } from "./groups.ts";
export type { NntpRequestOptions, NntpOptions, NntpsOptions } from "./options.ts";
export { NntpEntry, overviewOf, type OverviewPlace } from "./overview.ts";
export type { NntpPlan } from "./plan.ts";
export type { ArticleResource, NewsDirectory, NntpResource } from "./retrieve.ts";
export { nntp, nntps } from "./scheme.ts";
export { type NntpName, type NntpParts, nntpsSyntax, nntpSyntax, NntpUrl } from "./syntax.ts";
