export type { MailtoHeaderField, MailtoPlan } from "./plan.ts";
export { mailto } from "./scheme.ts";
export { type MailAddressFault, type MailtoUrlBuildParts, mailtoSyntax, MailtoUrl } from "./syntax.ts";
