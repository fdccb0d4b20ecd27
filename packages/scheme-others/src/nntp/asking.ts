// What the scheme news needs of the scheme nntp.
export { articleAttempt, type Attempt, groupsAttempt, overviewAttempt, stepsOf } from "./plan/request-plan.ts";
export { bracketed } from "./plan/commands.ts";
export { retrieve } from "./retrieve.ts";
export { urlOn } from "./syntax.ts";
