export { ArticleHeader, type ArticleHeaderField } from "./article-header.ts";
export { NntpGroup } from "./listing/newsgroup-list.ts";
export type { NntpLimits, NntpRequestOptions, NntpOptions, NntpsOptions } from "./scheme-options.ts";
export { NntpArticleEntry, type NntpServerAndGroup, parseOverviewLines } from "./listing/overview.ts";
export type { NntpPlan } from "./plan.ts";
export type { ArticleResource, NewsDirectory, NntpResource } from "./execute-plan.ts";
export { nntp, nntps } from "./scheme.ts";
export { type NntpSchemeName, type NntpUrlBuildParts, nntpsSyntax, nntpSyntax, NntpUrl } from "./syntax.ts";
