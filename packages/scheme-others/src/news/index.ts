export type { NewsResource } from "./execute-plan.ts";
export type { NewsRequestOptions, NewsOptions, NewsServer } from "./options.ts";
export type { NewsPlan } from "./plan.ts";
export { news, snews } from "./scheme.ts";
export {
  type NewsUrlKind,
  type NewsSchemeName,
  type NewsUrlBuildParts,
  newsSyntax,
  NewsUrl,
  snewsSyntax,
} from "./syntax.ts";
