import type { MailboxResource } from "@anyscheme/core";
import type { AccessContext } from "@anyscheme/core/plugin";
import type { MailtoPlan } from "./plan.ts";

const NO_RECIPIENT = { address: "", localPart: "", domain: "" };

/** Returns the mailbox resource of a mailto URL, with all recipients. */
export function executeMailtoPlan(plan: MailtoPlan, context: AccessContext): Promise<MailboxResource> {
  const [step] = plan.steps;
  if (step) context.beginStep(step);
  const { headers, recipients } = plan;
  const [first = NO_RECIPIENT] = recipients;
  return Promise.resolve(context.createResource("mailbox", { ...first, recipients, headers }));
}
