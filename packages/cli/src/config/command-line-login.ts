import type { CredentialProvider, Url } from "@anyscheme/core";
import type { CredentialRequest } from "@anyscheme/core/plugin";
import { percentEncode } from "@anyscheme/core/syntax";
import { UsageError } from "../errors/cli-errors.ts";

/** The login of `--user`. */
export interface Login {
  readonly user: string;
  /** The password. Undefined if the command must prompt for the password on the terminal. */
  readonly password: string | undefined;
}

/** Parses `--user NAME[:PASSWORD]`, and removes the password from the process list. Throws `UsageError`. */
export function parseUserOption(text: string | undefined): Login | undefined {
  if (text === undefined) return undefined;
  const [, user = "", password] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  if (user === "") throw new UsageError("--user needs a name, as in --user joe");
  // Node.js overwrites the command-line arguments with the process title, so the process list shows no password.
  if (password !== undefined) process.title = "anyscheme";
  return { user, password };
}

/**
 * Parses a URL, and adds the user name of `--user` to an FTP URL without a user name. FTP sends the user name
 * before the server can request credentials (RFC 1738 §3.2.1). Throws the errors of the callback `parse`.
 */
export function parseUrlAndAddUserName(
  login: Login | undefined,
  text: string,
  parse: (text: string) => Url,
): Url {
  const url = parse(text);
  if (!login || url.scheme !== "ftp" || url.components()["user"] !== undefined) return url;
  return parse(text.replace("//", () => `//${percentEncode(login.user)}@`));
}

/**
 * Returns a credential provider that returns the login of `--user` only for the servers of these URLs, and not after a
 * redirect from another server. In other cases, as for other servers, the credential provider prompts the user. For a
 * login without a password, the provider prompts once per server.
 */
export function createLoginCredentialProvider(
  login: Login,
  urls: () => readonly Url[],
  ask: CredentialProvider,
): CredentialProvider {
  const answers = new Map<string, ReturnType<CredentialProvider>>();
  return (request) => {
    const { user, requestedSecret, isCrossOrigin } = request;
    const key = formatServerKeyOfRequest(request);
    const fits = requestedSecret === "password" && (user === undefined || user === login.user);
    if (isCrossOrigin || !fits || !urls().some((url) => formatServerKeyOfUrl(url) === key))
      return ask(request);
    if (login.password !== undefined) return { user: login.user, password: login.password };
    const answer = answers.get(key) ?? ask({ ...request, user: login.user });
    answers.set(key, answer);
    return addUserNameToCredentials(answer, login.user);
  };
}

async function addUserNameToCredentials(
  answer: ReturnType<CredentialProvider>,
  user: string,
): Promise<Awaited<ReturnType<CredentialProvider>>> {
  const credentials = await answer;
  return credentials && { ...credentials, user };
}

function formatServerKeyOfRequest({ scheme, host, port }: CredentialRequest): string {
  return `${scheme} ${host.toLowerCase()} ${port}`;
}

function formatServerKeyOfUrl(url: Url): string {
  const host: unknown = url.components()["host"];
  const port = "effectivePort" in url ? url.effectivePort : undefined;
  return typeof host === "string" && typeof port === "number"
    ? formatServerKeyOfRequest({ scheme: url.scheme, host, port, requestedSecret: "password" })
    : "";
}
