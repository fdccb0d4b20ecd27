import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { readPublishedPackages, repositoryFolder } from "./published-package-manifests.ts";

export const execFileAsync: typeof execFile.__promisify__ = promisify(execFile);

/** The archive of a package, as it is published on npm. */
export interface PackedPackage {
  /** The path of the package's archive (.tgz). */
  readonly archivePath: string;
  /** The paths of the files in the archive. */
  readonly filePaths: readonly string[];
}

/** Runs the pnpm that runs this process, or the version in the repository's manifest. */
export function runPnpm(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const { npm_execpath: script } = process.env;
  const [command, before] = script?.includes("pnpm")
    ? [process.execPath, [script]]
    : ["npx", ["--yes", "pnpm@10.34.9"]];
  return execFileAsync(command, [...before, ...args], { cwd: repositoryFolder, maxBuffer: 2 ** 24 });
}

/** Packs every published package into a folder. Returns the packages by the names of their folders. */
export async function packPublishedPackages(into: string): Promise<ReadonlyMap<string, PackedPackage>> {
  await runPnpm(["-r", "--filter", "./packages/*", "pack", "--pack-destination", into]);
  const packed = readPublishedPackages().map(async ({ folder, manifest: { name, version } }) => {
    const archivePath = join(into, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
    const { stdout } = await execFileAsync("tar", ["-tzf", archivePath]);
    const filePaths = stdout.trim().split("\n");
    return [
      folder,
      { archivePath, filePaths: filePaths.map((path) => path.replace(/^package\//, "")) },
    ] as const;
  });
  return new Map(await Promise.all(packed));
}

/** Installs archives, or packages of a registry, into an empty project. `offline` disables the registry. */
export async function installInEmptyProject(
  folder: string,
  wanted: readonly string[],
  { offline = true }: { offline?: boolean } = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "name": "empty", "private": true, "type": "module" }');
  const options = ["--no-audit", "--no-fund", offline ? "--offline" : "--prefer-offline"];
  await execFileAsync("npm", ["install", ...options, ...wanted], { cwd: folder });
}
