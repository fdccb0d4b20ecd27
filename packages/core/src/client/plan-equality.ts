import type { Plan, Step } from "../scheme/plan.ts";

/** True when a plan connects or sends. */
export function usesNetwork({ steps }: Plan): boolean {
  return steps.some(({ target, bytes }) => target !== undefined || bytes !== undefined);
}

/** True when two plans have the same actions, bytes, targets and conditions. Descriptions may differ. */
export function samePlan(one: Plan, other: Plan): boolean {
  return (
    one.steps.length === other.steps.length &&
    one.steps.every((step, index) => fingerprint(step) === fingerprint(other.steps[index]))
  );
}

function fingerprint(step: Step | undefined): string {
  const { action, onReply, expectReplies, target, bytes } = step ?? {};
  return JSON.stringify([action, onReply, expectReplies, target?.host, target?.port, bytes && [...bytes]]);
}
