import type { CredentialRequest, Credentials } from "@anyscheme/core/plugin";
import type { CliIo } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";

/**
 * Asks the person at the terminal for what a server wants to know. RFC 1738 §3.2.1: "the program interpreting the FTP URL
 * should request one from the user".
 */
export async function askCredentials(
  { scheme, host, port, user, realm, kind: wants }: CredentialRequest,
  io: CliIo,
  signal: AbortSignal,
): Promise<Credentials | undefined> {
  const place = escapeControls(`${scheme}://${host}:${port}${realm === undefined ? "" : ` (${realm})`}`);
  const name =
    user ?? (wants === "password" ? await io.ask(`User for ${place}: `, { echo: true, signal }) : "");
  if (name === undefined) return undefined;
  const whose = name === "" ? "" : `${escapeControls(name)} at `;
  const password = await io.ask(`${wants === "account" ? "Account" : "Password"} for ${whose}${place}: `, {
    echo: false,
    signal,
  });
  if (password === undefined) return undefined;
  return user === undefined && name !== "" ? { user: name, password } : { password };
}
