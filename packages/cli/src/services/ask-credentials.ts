import type { CredentialAnswer, CredentialRequest } from "@anyscheme/core/plugin";
import { escapeControls } from "@anyscheme/core/text";
import type { CliIo } from "../terminal/cli-io.ts";

/**
 * Prompts the user for the credentials that a server requires. RFC 1738 §3.2.1 says: if "the remote server requests a
 * password, the program interpreting the FTP URL should request one from the user". The credentials that the user types
 * are also sent to a server of another origin to which a redirect has led, because the prompt shows this server.
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
  // The prompt shows the server, so the user means the password for this server, even if a redirect led there.
  const crossOrigin = true;
  return user === undefined && name !== ""
    ? { user: name, password, crossOrigin }
    : { password, crossOrigin };
}
