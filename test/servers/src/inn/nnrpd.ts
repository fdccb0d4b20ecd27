import { delimiter, dirname } from "node:path";
import { getCertificateFilePaths, createCertificate } from "../create-test-certificate.ts";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { launchServer, type LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { type LocatedServerProgramFiles, requireServerProgramFiles } from "../programs/locate-server.ts";
import { readProgramOutput } from "../programs/read-program-output.ts";
import type { RunningServer } from "../running-server.ts";
import type { TestNewsgroup } from "../test-servers/number-and-format-articles.ts";
import { readServerGreeting } from "../vsftpd/read-server-greeting.ts";
import {
  type UnixUserAndGroupNames,
  getInnConfFilePath,
  readCurrentUserAndGroupNames,
  writeNnrpdConfigFiles,
} from "./inn-config.ts";
import { writeInnSpool, type InnFolders, createInnFolders, INN_PATH_HOST } from "./inn-spool.ts";

/** Options of nnrpd, INN's news reader server. */
export interface NnrpdOptions {
  readonly groups: Readonly<Record<string, TestNewsgroup>>;
  /** The passwords of users who may also read the private groups, by name. Default none. */
  readonly users?: Readonly<Record<string, string>>;
  readonly privateGroups?: readonly string[];
  /** `implicit` uses TLS from the first byte; `explicit` offers STARTTLS. Default `explicit`. */
  readonly tls?: "explicit" | "implicit";
}

/** A running nnrpd. */
export interface NnrpdServer extends RunningServer {
  /** The path of the server's self-signed certificate in PEM format. */
  readonly certificatePath: string;
}

/**
 * Starts nnrpd, the news reader server of INN, on a free loopback port. nnrpd reads a prepared spool and does
 * not need innd.
 *
 * @throws Error when INN is missing or does not start.
 */
export async function startNnrpd(options: NnrpdOptions): Promise<NnrpdServer> {
  const address = "127.0.0.1";
  const program = requireServerProgramFiles("inn2");
  const { launchAttempt: attempt, server } = await launchServer({
    name: "inn2",
    address,
    documentRootFiles: {},
    prepare: (target) => prepareNnrpd(program, target, options),
    async isReady({ port }) {
      // `readServerGreeting` sends QUIT, which ends FTP and NNTP sessions.
      const greeting = await readServerGreeting(address, port, options.tls === "implicit");
      return greeting.startsWith("20") && greeting.includes(INN_PATH_HOST);
    },
  });
  return { ...server, certificatePath: getCertificateFilePaths(attempt.directory).certificatePath };
}

async function prepareNnrpd(
  program: LocatedServerProgramFiles,
  attempt: LaunchDirectoryAndPorts,
  options: NnrpdOptions,
): Promise<DaemonCommand> {
  const folders = await createInnFolders(attempt.directory);
  const environment = await writeInnConfigAndSpool(program, attempt, folders, {
    ...options,
    account: await readCurrentUserAndGroupNames(),
  });
  const switches = ["-D", "-f", "-n", "-4", attempt.address, "-p", String(attempt.port)];
  return {
    program: program.path("news/bin/nnrpd"),
    args: options.tls === "implicit" ? [...switches, "-S"] : switches,
    environment,
  };
}

/**
 * Writes the configuration, the articles, the history and the overview of INN. Returns the environment
 * variables for INN's programs.
 */
export async function writeInnConfigAndSpool(
  program: LocatedServerProgramFiles,
  attempt: LaunchDirectoryAndPorts,
  folders: InnFolders,
  options: NnrpdOptions & {
    readonly account: UnixUserAndGroupNames;
    readonly preloaded?: Readonly<Record<string, string>>;
  },
): Promise<Readonly<Record<string, string>>> {
  const nnrpd = program.path("news/bin/nnrpd");
  const libraries = [program.environment["LD_LIBRARY_PATH"], dirname(dirname(nnrpd))].filter(Boolean);
  const own = {
    ...program.environment,
    ...options.preloaded,
    LD_LIBRARY_PATH: libraries.join(delimiter),
  };
  const certificate = await createCertificate(program.path("openssl"), attempt.directory, own);
  const { account, groups, privateGroups = [] } = options;
  const users = await hashPasswords(options.users ?? {}, program, own);
  await writeNnrpdConfigFiles(attempt, folders, {
    nnrpdPath: nnrpd,
    certificate,
    users,
    privateGroups,
    account,
  });
  await writeInnSpool(folders, groups);
  const environment = { ...own, INNCONF: getInnConfFilePath(folders) };
  // makehistory creates the overview and the history, with which INN finds articles.
  await readProgramOutput(program.path("news/bin/makehistory"), ["-O"], { cwd: folders.db, environment });
  return environment;
}

async function hashPasswords(
  users: Readonly<Record<string, string>>,
  program: LocatedServerProgramFiles,
  environment: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const hash = async ([name, password]: [string, string]): Promise<[string, string]> => {
    const args = ["passwd", "-1", "-salt", "saltsalt", password];
    return [name, (await readProgramOutput(program.path("openssl"), args, { environment })).trim()];
  };
  return Object.fromEntries(await Promise.all(Object.entries(users).map(hash)));
}
