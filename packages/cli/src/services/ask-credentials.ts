import type { CredentialAnswer, CredentialRequest } from "@anyscheme/core/plugin";
import { escapeControls } from "@anyscheme/core/text";
import type { CliIo } from "../terminal/cli-io.ts";

/**
 * Prompts the user for the credentials that a server requires. RFC 1738 §3.2.1 says: "the program interpreting the FTP
 * URL should request one from the user". The answer is also valid for a server that a redirect to another origin has
 * reached.
 */
export async function askCredentials(
  { scheme, host, port, user, realm, requestedSecret }: CredentialRequest,
  io: CliIo,
  signal: AbortSignal,
): Promise<CredentialAnswer | undefined> {
  const server = escapeControls(`${scheme}://${host}:${port}${realm === undefined ? "" : ` (${realm})`}`);
  const name =
    user ??
    (requestedSecret === "password" ? await io.ask(`User for ${server}: `, { echo: true, signal }) : "");
  if (name === undefined) return undefined;
  const login = name === "" ? server : `${escapeControls(name)} at ${server}`;
  const question = `${requestedSecret === "account" ? "Account" : "Password"} for ${login}: `;
  const password = await io.ask(question, { echo: false, signal });
  if (password === undefined) return undefined;
  // The question names the server, so the answer is meant for this server, also after a redirect.
  const crossOrigin = true;
  return user === undefined && name !== ""
    ? { user: name, password, crossOrigin }
    : { password, crossOrigin };
}
