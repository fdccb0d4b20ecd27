import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { launchServer, type LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { type LocatedServerProgramFiles, requireServerProgramFiles } from "../programs/locate-server.ts";
import { readProgramOutput } from "../programs/read-program-output.ts";
import type { RunningServer } from "../running-server.ts";
import {
  formatMultiLineDataBlock,
  numberArticles,
  type TestNewsgroup,
} from "../test-servers/number-and-format-articles.ts";

/** Options of sn. */
export interface SnOptions {
  /** The newsgroups of the server. sn does not support descriptions of groups. */
  readonly groups: Readonly<Record<string, TestNewsgroup>>;
}

/** The number of the first article in a group of sn. */
export const SN_FIRST_ARTICLE_NUMBER = 10;

/**
 * Starts sn on a free loopback port. sn implements RFC 977, without CAPABILITIES, OVER, logins or TLS. socat
 * listens and runs one process per connection.
 *
 * @throws Error when sn is missing or does not start.
 */
export async function startSn(options: SnOptions): Promise<RunningServer> {
  const program = requireServerProgramFiles("sn");
  const { server } = await launchServer({
    name: "sn",
    address: "127.0.0.1",
    documentRootFiles: {},
    prepare: (attempt) => prepareSn(program, attempt, options),
    // The readiness check reads the log of socat, since a different server might respond on the port.
    isReady: (_place, daemon) => Promise.resolve(daemon.output().includes("listening on")),
  });
  return server;
}

async function prepareSn(
  program: LocatedServerProgramFiles,
  { address, directory, documentRoot: root, port }: LaunchDirectoryAndPorts,
  { groups }: SnOptions,
): Promise<DaemonCommand> {
  const environment = { ...program.environment, SNROOT: root };
  await readProgramOutput(program.path("snprimedb"), [], { environment });
  for (const [name, group] of Object.entries(groups)) {
    await readProgramOutput(program.path("snnewgroup"), [name], { environment });
    for (const { text } of numberArticles(name, group))
      await storeArticle(
        program.path("snstore"),
        formatMultiLineDataBlock(`Path: not-for-mail\r\n${text}`),
        environment,
      );
  }
  // socat interprets commas, colons and spaces in its arguments, so the command with paths is in a script
  // with a plain name.
  const session = `#!/bin/sh\nexec '${program.path("snntpd.bin")}'\n`;
  await writeFile(join(directory, "session"), session, { mode: 0o755 });
  return {
    program: program.path("socat"),
    args: ["-d", "-d", `TCP4-LISTEN:${port},bind=${address},fork,reuseaddr`, "EXEC:./session,nofork"],
    environment,
  };
}

/** Stores an article with snstore, which reads an article in the format of a POST command. */
function storeArticle(
  program: string,
  article: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, { env: { ...process.env, ...environment } }, (error, _stdout, stderr) => {
      if (error) reject(new Error(`snstore failed: ${stderr.trim()}`, { cause: error }));
      else resolve();
    });
    child.stdin?.end(article, "latin1");
  });
}
