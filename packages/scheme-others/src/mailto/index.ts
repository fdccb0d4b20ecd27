export type { HeaderField, MailtoPlan } from "./plan.ts";
export { mailto } from "./scheme.ts";
export { type AddressFault, type MailtoParts, mailtoSyntax, MailtoUrl } from "./syntax.ts";
