import type { CredentialProvider, Url } from "@anyscheme/core";
import type { CredentialRequest } from "@anyscheme/core/plugin";
import { percentEncode } from "@anyscheme/core/syntax";
import { UsageError } from "../args/command-line.ts";

/** Who logs in where a URL does not say. */
export interface Login {
  readonly user: string;
  /** Absent when it is to be asked for. */
  readonly password: string | undefined;
}

/** The login of `--user NAME[:PASSWORD]`. A password on the command line is taken out of the list of processes. Throws `UsageError`. */
export function parseLogin(text: string | undefined): Login | undefined {
  if (text === undefined) return undefined;
  const [, user = "", password] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  if (user === "") throw new UsageError("--user needs a name, as in --user joe");
  // Node writes the title where the system has the arguments.
  if (password !== undefined) process.title = "anyscheme";
  return { user, password };
}

/**
 * Reads a URL, and gives it the name of the login where the scheme sends one unasked and the URL has none. FTP is the one that
 * does (RFC 1738 §3.2.1). Throws what `parse` throws, for the text as it was given.
 */
export function parseWithLogin(login: Login | undefined, text: string, parse: (text: string) => Url): Url {
  const url = parse(text);
  if (!login || url.scheme !== "ftp" || url.components()["user"] !== undefined) return url;
  return parse(text.replace("//", () => `//${percentEncode(login.user)}@`));
}

/**
 * Answers with the login where one of these URLs has led to the server itself, and asks somebody else everywhere else. A
 * password that has to be asked for is asked for once a server.
 */
export function createLoginCredentials(
  login: Login,
  urls: () => readonly Url[],
  ask: CredentialProvider,
): CredentialProvider {
  const asked = new Map<string, ReturnType<CredentialProvider>>();
  return (question) => {
    const { user, kind: wants } = question;
    const fits = wants === "password" && (user === undefined || user === login.user);
    if (!fits || !urls().some((url) => serverKeyOfUrl(url) === serverKey(question))) return ask(question);
    if (login.password !== undefined) return { user: login.user, password: login.password };
    const answer = asked.get(serverKey(question)) ?? ask({ ...question, user: login.user });
    asked.set(serverKey(question), answer);
    return withUser(answer, login.user);
  };
}

async function withUser(
  answer: ReturnType<CredentialProvider>,
  user: string,
): Promise<Awaited<ReturnType<CredentialProvider>>> {
  const given = await answer;
  return given && { ...given, user };
}

function serverKey({ scheme, host, port }: CredentialRequest): string {
  return `${scheme} ${host.toLowerCase()} ${port}`;
}

function serverKeyOfUrl(url: Url): string {
  const host: unknown = url.components()["host"];
  const port = "effectivePort" in url ? url.effectivePort : undefined;
  return typeof host === "string" && typeof port === "number"
    ? serverKey({ scheme: url.scheme, host, port, kind: "password" })
    : "";
}
