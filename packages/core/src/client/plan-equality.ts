import type { Plan, Step } from "../scheme/plan.ts";

/** Whether an access connects to anything or sends anything. */
export function usesNetwork({ steps }: Plan): boolean {
  return steps.some(({ target, bytes }) => target !== undefined || bytes !== undefined);
}

/** Whether two plans take the same steps: the same bytes to the same places, under the same conditions. Their texts may differ. */
export function samePlan(one: Plan, other: Plan): boolean {
  return (
    one.steps.length === other.steps.length &&
    one.steps.every((step, index) => fingerprint(step) === fingerprint(other.steps[index]))
  );
}

function fingerprint(step: Step | undefined): string {
  const { action, onReply: when, expectReplies: accept, target, bytes } = step ?? {};
  return JSON.stringify([action, when, accept, target?.host, target?.port, bytes && [...bytes]]);
}
