export type { AddressFault } from "./addr-spec.ts";
export { type MailtoParts, mailtoSyntax, MailtoUrl } from "./syntax.ts";
