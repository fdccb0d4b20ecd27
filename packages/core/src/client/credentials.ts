import type { CredentialQuestion, Credentials } from "../scheme.ts";

/**
 * Answers a server's question for a password. `undefined` means that there is none, and the access fails with
 * `needs-credentials`. Never asked when the URL has a password, an empty one included. RFC 1738 §3.2.1.
 */
export type AskCredentials = (
  question: CredentialQuestion,
) => Promise<Credentials | undefined> | Credentials | undefined;
