import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { launchServer, type LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { type LocatedServerProgramFiles, requireServerProgramFiles } from "../programs/locate-server.ts";
import type { RunningServer } from "../running-server.ts";
import { readServerGreeting } from "../vsftpd/read-server-greeting.ts";
import { type NnrpdOptions, writeInnConfigAndSpool } from "./nnrpd.ts";
import { type InnFolders, createInnFolders, INN_PATH_HOST } from "./inn-spool.ts";

/** The only account under which innd agrees to run. */
const newsAccount = { user: "news", unixGroup: "news" } as const;

/** The newsgroups without which innd does not start. */
const requiredNewsgroups = { "control.cancel": { articles: [] } } as const;

/**
 * Starts innd on a free loopback port. innd receives articles from its peers and passes clients that send
 * MODE READER to nnrpd. Any user can start innd, because a preloaded library maps the user to the account
 * news.
 *
 * @throws Error when INN is missing or does not start.
 */
export async function startInnd(options: Pick<NnrpdOptions, "groups">): Promise<RunningServer> {
  const address = "127.0.0.1";
  const program = requireServerProgramFiles("inn2");
  const { server } = await launchServer({
    name: "inn2",
    address,
    documentRootFiles: {},
    prepare: (attempt) => prepareInnd(program, attempt, options),
    async isReady({ port }) {
      const greeting = await readServerGreeting(address, port, false);
      return greeting.startsWith("200") && greeting.includes(INN_PATH_HOST);
    },
  });
  return server;
}

async function prepareInnd(
  program: LocatedServerProgramFiles,
  attempt: LaunchDirectoryAndPorts,
  options: Pick<NnrpdOptions, "groups">,
): Promise<DaemonCommand> {
  const folders = await createInnFolders(attempt.directory);
  const preloaded = await mapCurrentUserToNewsAccount(program, attempt, folders);
  const groups = { ...requiredNewsgroups, ...options.groups };
  const environment = await writeInnConfigAndSpool(program, attempt, folders, {
    groups,
    account: newsAccount,
    preloaded,
  });
  await writeFile(
    join(folders.etc, "incoming.conf"),
    `peer local {\n  hostname: "${attempt.address}"\n}\n`,
    // innd rejects incoming.conf when other users may read the file.
    { mode: 0o640 },
  );
  await writeFile(join(folders.etc, "newsfeeds"), "ME:*::\n");
  await writeFile(join(folders.etc, "control.ctl"), "all:*:*:drop\n");
  return { program: program.path("news/bin/innd"), args: ["-f"], environment };
}

/**
 * Creates account files that map the account news to the current user. Returns the environment variables for
 * nss_wrapper.
 */
async function mapCurrentUserToNewsAccount(
  program: LocatedServerProgramFiles,
  { directory }: LaunchDirectoryAndPorts,
  { etc }: InnFolders,
): Promise<Record<string, string>> {
  const [passwd, group] = [join(etc, "passwd"), join(etc, "group")];
  const { getuid, getgid } = process;
  await writeFile(passwd, `${newsAccount.user}:x:${getuid?.()}:${getgid?.()}::${directory}:/bin/sh\n`);
  await writeFile(group, `${newsAccount.unixGroup}:x:${getgid?.()}:\n`);
  return {
    LD_PRELOAD: program.path("libnss_wrapper.so"),
    NSS_WRAPPER_PASSWD: passwd,
    NSS_WRAPPER_GROUP: group,
  };
}
