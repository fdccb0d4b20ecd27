export type { NewsResource } from "./execute-plan.ts";
export type { NewsRequestOptions, NewsOptions, NewsServerSettings } from "./scheme-options.ts";
export type { NewsPlan } from "./plan.ts";
export { news, snews } from "./scheme.ts";
export {
  type NewsUrlKind,
  type NewsOrSnewsSchemeName,
  type NewsUrlBuildParts,
  newsSyntax,
  NewsUrl,
  snewsSyntax,
} from "./syntax.ts";
