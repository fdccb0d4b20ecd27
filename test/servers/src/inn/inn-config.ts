import { mkdir, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import type { CertificateFiles } from "../create-test-certificate.ts";
import type { LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { readProgramOutput } from "../programs/read-program-output.ts";
import { type InnFolders, INN_PATH_HOST } from "./inn-spool.ts";

/** Returns the path of inn.conf(5), which contains the paths of all other files. */
export function getInnConfFilePath({ etc }: InnFolders): string {
  return join(etc, "inn.conf");
}

/** The settings of nnrpd, INN's news reader server. */
export interface NnrpdSettings {
  readonly nnrpdPath: string;
  readonly certificate: CertificateFiles;
  /** The password hashes of users, by name, in the format of crypt(3). */
  readonly users: Readonly<Record<string, string>>;
  /** The newsgroups that only named users may read. */
  readonly privateGroups: readonly string[];
  /** The system account under which INN runs. */
  readonly account: UnixUserAndGroupNames;
}

/** The names of a system user and of the user's group. */
export interface UnixUserAndGroupNames {
  readonly user: string;
  readonly unixGroup: string;
}

/** Returns the account of the current user. */
export async function readCurrentUserAndGroupNames(): Promise<UnixUserAndGroupNames> {
  return { user: userInfo().username, unixGroup: (await readProgramOutput("id", ["-gn"])).trim() };
}

/** Writes the configuration files of nnrpd. */
export async function writeNnrpdConfigFiles(
  attempt: LaunchDirectoryAndPorts,
  folders: InnFolders,
  settings: NnrpdSettings,
): Promise<void> {
  const { etc } = folders;
  const passwords = join(etc, "users");
  const everybody = ["*", ...settings.privateGroups.map((group) => `!${group}`)].join(",");
  await mkdir(etc, { recursive: true });
  await writeFile(getInnConfFilePath(folders), formatInnConf(attempt, folders, settings));
  await writeFile(join(etc, "storage.conf"), "method tradspool {\n  newsgroups: *\n  class: 0\n}\n");
  await writeFile(join(etc, "expire.ctl"), "/remember/:10\n*:A:never:never:never\n");
  await writeFile(join(etc, "inn-secrets.conf"), "");
  await writeFile(
    passwords,
    Object.entries(settings.users)
      .map(([name, hash]) => `${name}:${hash}\n`)
      .join(""),
    { mode: 0o600 },
  );
  await writeFile(
    join(etc, "readers.conf"),
    `auth "all" { hosts: "*"  default: "<anonymous>"  auth: "ckpasswd -f ${passwords}" }
access "anonymous" { users: "<anonymous>"  newsgroups: "${everybody}"  access: R }
access "users" { users: "*,!<anonymous>"  newsgroups: "*"  access: R }
`,
  );
}

function formatInnConf(
  attempt: LaunchDirectoryAndPorts,
  folders: InnFolders,
  settings: NnrpdSettings,
): string {
  const { db, etc, log, run, spool } = folders;
  const values = {
    mta: '"/bin/false %s"',
    organization: "test",
    pathhost: INN_PATH_HOST,
    domain: "example.invalid",
    fromhost: "example.invalid",
    server: attempt.address,
    // With the current user in these settings, INN does not change the user when root starts it.
    runasuser: settings.account.user,
    runasgroup: settings.account.unixGroup,
    port: attempt.port,
    bindaddress: attempt.address,
    bindaddress6: '"::1"',
    ovmethod: "tradindexed",
    hismethod: "hisv6",
    enableoverview: "true",
    wireformat: "true",
    nnrpdloadlimit: 0,
    tlscertfile: settings.certificate.certificatePath,
    tlskeyfile: settings.certificate.keyPath,
    tlscapath: etc,
    pathnews: attempt.directory,
    pathbin: dirname(settings.nnrpdPath),
    pathdb: db,
    pathetc: etc,
    pathfilter: etc,
    pathhttp: log,
    pathlog: log,
    pathrun: run,
    pathspool: spool,
    pathtmp: join(spool, "incoming/tmp"),
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("");
}
