import { type AccessError, type Client, createClient, type Resource, anyAddress } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import type { ScriptedFtpServer } from "../scripted-ftp-server.ts";

/** A client that ends each session after its request. */
export const ftpClient = createClient({ schemes: [ftp({ idleTimeoutMs: 0 })], policy: anyAddress() });

/** Returns a URL of the server. */
export const createServerUrl = ({ port }: ScriptedFtpServer, path = "/a.bin", login = ""): string =>
  `ftp://${login}127.0.0.1:${port}${path}`;

/** Returns the text of a content resource, or the names of the entries of a directory. */
export async function readTextOrEntryNames(resource: Resource): Promise<string> {
  if (resource.kind === "content") return resource.text();
  const names: string[] = [];
  if (resource.kind === "directory") for await (const { name } of resource) names.push(name);
  return names.join(" ");
}

/** Returns the content of a URL, or the error of the request. */
export async function fetchTextOrError(
  url: string,
  from: Client<ReturnType<typeof ftp>> = ftpClient,
): Promise<string | AccessError> {
  try {
    return await readTextOrEntryNames(await from.dereference(url as "ftp://h/"));
  } catch (error) {
    return error as AccessError;
  }
}

/** Returns the bytes that the first control connection received before it was closed. */
export async function getSentCommands(server: ScriptedFtpServer): Promise<string | undefined> {
  const [connection] = server.controlServer.connections;
  await connection?.closed;
  return connection?.received.toString("latin1");
}
