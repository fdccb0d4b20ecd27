import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";

/** apt with package lists and a cache of its own: it needs no root and leaves the system's state alone. */
export interface PrivateApt {
  /** The named packages and what they depend on, less what the system has already. */
  missingPackages(packages: readonly string[]): Promise<string[]>;
  /** Unpacks packages below `target` without installing them: no scripts run, no conflicts count. */
  extract(packages: readonly string[], target: string): Promise<void>;
}

/** The system's own settings (mirrors, proxies, keys) stay in force; only these differ. */
function aptSettings(folder: string): string {
  // The hooks of `update` belong to the system's own lists (as root some would empty its cache of packages).
  const hooks = ["Pre-Invoke", "Post-Invoke", "Post-Invoke-Success", "Post-Invoke-Stats"];
  const settings = {
    "Dir::State::Lists": `${folder}/lists/`,
    "Dir::Cache": `${folder}/cache/`,
    // A list that cannot be fetched is else a mere warning, and no reason to show for what is missing later.
    "APT::Update::Error-Mode": "any",
    "Acquire::Languages": "none",
    "Acquire::Retries": "1",
    "Acquire::http::Timeout": "20",
    "Acquire::https::Timeout": "20",
    // As root apt would switch to a user that cannot write here, and warn that it did not.
    "APT::Sandbox::User": "root",
  };
  return [
    ...hooks.map((hook) => `#clear APT::Update::${hook};`),
    ...Object.entries(settings).map(([key, value]) => `${key} "${value}";`),
    "",
  ].join("\n");
}

/** Creates the private state in `folder` and fetches the package lists (some 10 MB). */
export async function openPrivateApt(folder: string): Promise<PrivateApt> {
  await mkdir(join(folder, "lists/partial"), { recursive: true });
  await mkdir(join(folder, "cache/archives/partial"), { recursive: true });
  const settingsFile = join(folder, "apt.conf");
  await writeFile(settingsFile, aptSettings(folder));
  const apt = (args: readonly string[], cwd?: string): Promise<string> =>
    runCommand("apt-get", ["-q", "-c", settingsFile, ...args], cwd === undefined ? {} : { cwd });

  // One unreachable third-party source is no reason to stop; a list that matters is missed by the next step.
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
