import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { launchServer, type Place } from "../daemon/launch.ts";
import { type CompleteServer, requireServer } from "../programs/locate.ts";
import type { RunningServer } from "../running-server.ts";
import { readGreeting } from "../vsftpd/greeting.ts";
import { type InnOptions, layOut } from "./inn.ts";
import { type InnFolders, makeFolders, pathHost } from "./spool.ts";

/** innd serves nobody but this account, whatever its configuration says. */
const NEWS = { user: "news", group: "news" } as const;

/** innd ends at once where this group is missing, besides those that its reader wants. */
const NEEDED = { "control.cancel": { articles: [] } } as const;

/**
 * Starts INN itself on a free loopback port: innd, which takes articles from its peers (all of this machine are) and hands whoever
 * says MODE READER over to nnrpd. A normal user may do so, too: a library says that he is the account innd asks for.
 *
 * @throws Error when it is not on this machine or does not start.
 */
export async function startInnd(options: Pick<InnOptions, "groups">): Promise<RunningServer> {
  const address = "127.0.0.1";
  const program = requireServer("inn2");
  const { server } = await launchServer({
    name: "inn2",
    address,
    files: {},
    prepare: (place) => prepare(program, place, options),
    async isReady({ port }) {
      const greeting = await readGreeting(address, port, false);
      return greeting.startsWith("200") && greeting.includes(pathHost);
    },
  });
  return server;
}

async function prepare(
  program: CompleteServer,
  place: Place,
  options: Pick<InnOptions, "groups">,
): Promise<DaemonCommand> {
  const folders = await makeFolders(place.directory);
  const preloaded = await pretendToBeNews(program, place, folders);
  const groups = { ...NEEDED, ...options.groups };
  const environment = await layOut(program, place, folders, { groups, account: NEWS, preloaded });
  await writeFile(
    join(folders.etc, "incoming.conf"),
    `peer local {\n  hostname: "${place.address}"\n}\n`,
    // innd reads no file of its peers that others may read.
    { mode: 0o640 },
  );
  await writeFile(join(folders.etc, "newsfeeds"), "ME:*::\n");
  await writeFile(join(folders.etc, "control.ctl"), "all:*:*:drop\n");
  return { program: program.path("news/bin/innd"), args: ["-f"], environment };
}

/** Accounts of our own, in which the one that innd asks for is whoever runs this. */
async function pretendToBeNews(
  program: CompleteServer,
  { directory }: Place,
  { etc }: InnFolders,
): Promise<Record<string, string>> {
  const [passwd, group] = [join(etc, "passwd"), join(etc, "group")];
  const { getuid, getgid } = process;
  await writeFile(passwd, `${NEWS.user}:x:${getuid?.()}:${getgid?.()}::${directory}:/bin/sh\n`);
  await writeFile(group, `${NEWS.group}:x:${getgid?.()}:\n`);
  return {
    LD_PRELOAD: program.path("libnss_wrapper.so"),
    NSS_WRAPPER_PASSWD: passwd,
    NSS_WRAPPER_GROUP: group,
  };
}
