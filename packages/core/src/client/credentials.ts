import type { CredentialRequest, Credentials } from "../scheme/scheme.ts";

/**
 * Answers a server's question for a password. `undefined` means that there is none, and the access fails with
 * `authentication-required`. Never asked when the URL has a password, an empty one included. RFC 1738 §3.2.1.
 */
export type CredentialProvider = (
  question: CredentialRequest,
) => Promise<Credentials | undefined> | Credentials | undefined;
