import { copyFile, mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Daemon } from "../daemon/daemon.ts";
import type { LocatedServerProgramFiles } from "../programs/locate-server.ts";

/** The PAM configuration of named users that do not exist in the system's account files. */
export interface PamService {
  /** The name of the PAM service with the named users. */
  readonly service: string;
  /** The environment variables that make a program use this service instead of `/etc/pam.d`. */
  readonly environment: Readonly<Record<string, string>>;
}

const pamServiceName = "anyscheme";

/**
 * Writes a PAM service that accepts only `users` (name → password).
 *
 * @throws Error when a name or password contains a colon or a line break, which separate the fields and lines of the
 * password file.
 */
export async function createPamService(
  users: Readonly<Record<string, string>>,
  directory: string,
  vsftpd: LocatedServerProgramFiles,
): Promise<PamService> {
  const unwritable = Object.entries(users)
    .flat()
    .find((text) => /[:\n]/.test(text));
  if (unwritable !== undefined)
    throw new Error("a name or password must not contain a colon or a line break");

  const usersFile = join(directory, "users");
  const services = join(directory, "pam");
  const matrixModule = join(directory, "pam_matrix.so");
  await mkdir(services);
  // Arguments in a PAM file end at a space, so the PAM file names a link to the module, whose own path may contain
  // spaces.
  await symlink(vsftpd.path("pam_wrapper/pam_matrix.so"), matrixModule);
  await writeFile(
    usersFile,
    Object.entries(users)
      .map(([name, password]) => `${name}:${password}:${pamServiceName}\n`)
      .join(""),
  );
  await writeFile(
    join(services, pamServiceName),
    [
      `auth required ${matrixModule} passdb=${usersFile}`,
      "account required pam_permit.so",
      "session required pam_permit.so",
      "",
    ].join("\n"),
  );
  // PAM also reads the service `other`. Without this service, PAM would write a warning to the control
  // connection.
  await copyFile(join(services, pamServiceName), join(services, "other"));
  return {
    service: pamServiceName,
    environment: {
      LD_PRELOAD: "libpam_wrapper.so",
      PAM_WRAPPER: "1",
      PAM_WRAPPER_SERVICE_DIR: services,
    },
  };
}

/**
 * Removes the folder that pam_wrapper creates in `/tmp` for each process. A process that a signal ends does
 * not remove the folder, and pam_wrapper has only about sixty folder names.
 */
export async function removePamWrapperFolder({ pid }: Daemon): Promise<void> {
  const entries = await readdir("/tmp").catch(() => []);
  for (const entry of entries.filter((name) => /^pam\.[A-Za-z0-9]$/.test(name))) {
    const owner = await readFile(`/tmp/${entry}/pid`, "utf8").catch(() => "");
    if (owner.trim() === String(pid)) await rm(`/tmp/${entry}`, { recursive: true, force: true });
  }
}
