// What the scheme news needs of the scheme nntp.
export { articleAttempt, type Attempt, groupsAttempt, overviewAttempt, stepsOf } from "./attempt.ts";
export { bracketed } from "./command.ts";
export { retrieve } from "./retrieve.ts";
export { urlOn } from "./syntax.ts";
