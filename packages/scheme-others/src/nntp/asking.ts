// What the scheme news needs of the scheme nntp.
export {
  planArticle,
  type RequestPlan,
  planGroupList,
  planOverview,
  flattenSteps,
} from "./plan/request-plan.ts";
export { toMessageIdArgument } from "./plan/commands.ts";
export { retrieve } from "./retrieve.ts";
export { urlForServer } from "./syntax.ts";
