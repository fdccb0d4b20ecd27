export { type AddressFault, type MailtoParts, mailtoSyntax, MailtoUrl } from "./syntax.ts";
