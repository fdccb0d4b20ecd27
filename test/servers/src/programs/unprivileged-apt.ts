import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readProgramOutput } from "./read-program-output.ts";

/** An apt with its own package lists and cache, which needs no root and does not change the system. */
export interface UnprivilegedApt {
  /** Returns the names of packages and of their dependencies, except those that the system has installed. */
  listMissingPackages(packages: readonly string[]): Promise<string[]>;
  /** Unpacks packages below `target` without installing them: no scripts run, and conflicts are ignored. */
  extractPackages(packages: readonly string[], target: string): Promise<void>;
}

/**
 * Returns the apt settings that override those of the system. The mirrors, proxies and keys of apt remain those of the
 * system.
 */
function formatAptSettings(folder: string): string {
  // Disables the system's hooks after `apt-get update`, since some would empty the system's package cache
  // when root runs them.
  const hooks = ["Pre-Invoke", "Post-Invoke", "Post-Invoke-Success", "Post-Invoke-Stats"];
  const settings = {
    "Dir::State::Lists": `${folder}/lists/`,
    "Dir::Cache": `${folder}/cache/`,
    // With this setting, a package list that cannot be downloaded is an error instead of a warning.
    "APT::Update::Error-Mode": "any",
    "Acquire::Languages": "none",
    "Acquire::Retries": "1",
    "Acquire::http::Timeout": "20",
    "Acquire::https::Timeout": "20",
    // With `APT::Sandbox::User` set to root, apt does not switch to a user that cannot write to the folder.
    "APT::Sandbox::User": "root",
  };
  return [
    ...hooks.map((hook) => `#clear APT::Update::${hook};`),
    ...Object.entries(settings).map(([key, value]) => `${key} "${value}";`),
    "",
  ].join("\n");
}

/** Prepares apt with its own settings and cache in `folder`, and downloads the package lists (about 10 MB). */
export async function createUnprivilegedApt(folder: string): Promise<UnprivilegedApt> {
  await mkdir(join(folder, "lists/partial"), { recursive: true });
  await mkdir(join(folder, "cache/archives/partial"), { recursive: true });
  const settingsFile = join(folder, "apt.conf");
  await writeFile(settingsFile, formatAptSettings(folder));
  const apt = (args: readonly string[], cwd?: string): Promise<string> =>
    readProgramOutput("apt-get", ["-q", "-c", settingsFile, ...args], cwd === undefined ? {} : { cwd });

  // The failure of one package source is ignored, since the installation fails later if it needs the missing
  // list.
  const updateFailure = await apt(["update"]).then(
    () => undefined,
    (error: unknown) => error,
  );

  return {
    async listMissingPackages(packages) {
      try {
        const plan = await apt([
          "--simulate",
          "install",
          "--no-install-recommends",
          "--no-upgrade",
          ...packages,
        ]);
        return [...plan.matchAll(/^Inst (\S+)/gm)].flatMap(([, name]) => (name === undefined ? [] : [name]));
      } catch (error) {
        throw updateFailure ?? error;
      }
    },
    async extractPackages(packages, target) {
      const downloads = join(target, "debs");
      await mkdir(downloads, { recursive: true });
      await apt(["download", ...packages], downloads);
      for (const file of await readdir(downloads)) {
        await readProgramOutput("dpkg-deb", ["--extract", join(downloads, file), target]);
      }
      await rm(downloads, { recursive: true });
    },
  };
}
