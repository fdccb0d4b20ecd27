export { Article, type ArticleHeaderField } from "./article/article.ts";
export { NntpGroup } from "./listing/groups.ts";
export type { NntpRequestOptions, NntpOptions, NntpsOptions } from "./options.ts";
export { type OverviewSource, readOverview } from "./listing/overview.ts";
export { NntpEntry } from "./listing/overview-entry.ts";
export type { NntpPlan } from "./plan/plan.ts";
export type { ArticleResource, NewsDirectory, NntpResource } from "./access.ts";
export { nntp, nntps } from "./scheme.ts";
export { type NntpName, type NntpParts, nntpsSyntax, nntpSyntax, NntpUrl } from "./syntax.ts";
