import type { Scheme, MailboxResource } from "@anyscheme/core";
import { checkOptions } from "@anyscheme/core/plugin";
import { executeMailtoPlan } from "./execute-plan.ts";
import { type MailtoPlan, planMailto } from "./plan.ts";
import { mailtoSyntax, type MailtoUrl } from "./syntax.ts";

/** Returns the mailto scheme, which has no options. RFC 1738 §3.5. */
export function mailto(options: Readonly<Record<string, never>> = {}): Scheme<MailtoUrl, MailboxResource> {
  checkOptions("mailto", options, {});
  return {
    name: "mailto",
    syntax: mailtoSyntax,
    requestOptions: {},
    plan: planMailto,
    access: (plan, context) => executeMailtoPlan(plan as MailtoPlan, context),
  };
}
