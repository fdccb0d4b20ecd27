import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";

/** apt with its own package lists and cache. This apt needs no root and does not change the system's state. */
export interface PrivateApt {
  /** Returns the names of packages and their dependencies, except those on the system. */
  missingPackages(packages: readonly string[]): Promise<string[]>;
  /** Unpacks packages below `target` without installing them: no scripts run, and conflicts are ignored. */
  extract(packages: readonly string[], target: string): Promise<void>;
}

/** Returns the settings that differ from those of the system (mirrors, proxies, keys). */
function aptSettings(folder: string): string {
  // Disables the hooks of `update` for the system's lists. Some would empty the system's package cache when run as
  // root.
  const hooks = ["Pre-Invoke", "Post-Invoke", "Post-Invoke-Success", "Post-Invoke-Stats"];
  const settings = {
    "Dir::State::Lists": `${folder}/lists/`,
    "Dir::Cache": `${folder}/cache/`,
    // Makes a list that cannot be fetched an error with a reason. By default it is only a warning.
    "APT::Update::Error-Mode": "any",
    "Acquire::Languages": "none",
    "Acquire::Retries": "1",
    "Acquire::http::Timeout": "20",
    "Acquire::https::Timeout": "20",
    // Prevents root from switching to a user that cannot write here, and a warning about it.
    "APT::Sandbox::User": "root",
  };
  return [
    ...hooks.map((hook) => `#clear APT::Update::${hook};`),
    ...Object.entries(settings).map(([key, value]) => `${key} "${value}";`),
    "",
  ].join("\n");
}

/** Creates the private state in `folder` and downloads the package lists (about 10 MB). */
export async function openPrivateApt(folder: string): Promise<PrivateApt> {
  await mkdir(join(folder, "lists/partial"), { recursive: true });
  await mkdir(join(folder, "cache/archives/partial"), { recursive: true });
  const settingsFile = join(folder, "apt.conf");
  await writeFile(settingsFile, aptSettings(folder));
  const apt = (args: readonly string[], cwd?: string): Promise<string> =>
    runCommand("apt-get", ["-q", "-c", settingsFile, ...args], cwd === undefined ? {} : { cwd });

  // One unreachable third-party source does not end the attempt. The next step fails if it needs a missing list.
  const updateFailure = await apt(["update"]).then(
    () => undefined,
    (error: unknown) => error,
  );

  return {
    async missingPackages(packages) {
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
    async extract(packages, target) {
      const downloads = join(target, "debs");
      await mkdir(downloads, { recursive: true });
      await apt(["download", ...packages], downloads);
      for (const file of await readdir(downloads)) {
        await runCommand("dpkg-deb", ["--extract", join(downloads, file), target]);
      }
      await rm(downloads, { recursive: true });
    },
  };
}
