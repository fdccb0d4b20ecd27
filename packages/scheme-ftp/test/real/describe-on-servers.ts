import { type AccessError, type Client, createClient, type Resource, anyAddress } from "@anyscheme/core";
import { ftp, type FtpOptions } from "@anyscheme/scheme-ftp";
import { readFileSync } from "node:fs";
import type { RunningFtpServer } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { describe, it } from "vitest";
import {
  type TestedFtpServerFeature,
  type ServerWithConnectionLimit,
  type TestedFtpServer,
  TESTED_FTP_SERVERS,
} from "./tested-ftp-servers.ts";

/** Creates a client of the scheme ftp that may connect to the server. */
export function createClientForServer(server: RunningFtpServer, options: FtpOptions = {}): Client {
  const ca = server.certificatePath === undefined ? undefined : readFileSync(server.certificatePath, "utf8");
  return createClient({ schemes: [ftp({ ca, ...options })], policy: anyAddress() });
}

export function createServerUrl(
  { address, port }: Pick<RunningFtpServer, "address" | "port">,
  path: string,
  login = "",
): string {
  return `ftp://${login}${address === "::1" ? "[::1]" : address}:${port}${path}`;
}

/** Returns the content of a file as Latin-1, the lines of a directory, or the code of an error. */
export async function dereferenceToTextOrErrorCode(
  client: Client,
  url: string,
  options?: object,
): Promise<string> {
  return client
    .dereference(url, options)
    .then(readContentOrListingAsText)
    .catch((error: AccessError) => error.code ?? String(error));
}

export async function readContentOrListingAsText(resource: Resource): Promise<string> {
  if (resource.kind === "content") return Buffer.from(await resource.bytes()).toString("latin1");
  if (resource.kind !== "directory") return resource.kind;
  const lines: string[] = [];
  for await (const { name, kind, size } of resource) lines.push(`${kind} ${name} ${size ?? ""}`.trim());
  return lines.toSorted().join("\n");
}

/** Runs a block of tests on each server. If the server lacks a feature, the block is skipped with the reason. */
export function describeOnEachServer<
  R extends Pick<ServerWithConnectionLimit, "name" | "missingFeatures"> = TestedFtpServer,
>(
  title: string,
  needs: readonly TestedFtpServerFeature[],
  tests: (row: R) => void,
  rows: readonly R[] = TESTED_FTP_SERVERS as unknown as readonly R[],
): void {
  describe.each(rows)(`${title}: $name`, (row) => {
    const reason = (["run", ...needs] as const)
      .map((need) => row.missingFeatures[need])
      .find((why) => why !== undefined);
    if (reason !== undefined) it.skip(`the test run skips this server because ${reason}`, () => undefined);
    else describeIfServerAvailable(row.name, row.name, () => tests(row));
  });
}
