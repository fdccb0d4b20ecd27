import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { publishedPackages, root } from "./published.ts";

export const run: typeof execFile.__promisify__ = promisify(execFile);

/** A package as it would be published. */
export interface Packed {
  /** The archive. */
  readonly filename: string;
  /** Its files. */
  readonly paths: readonly string[];
}

/** The pnpm that runs this, or the one that the repository names. */
export function pnpm(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const { npm_execpath: script } = process.env;
  const [command, before] = script?.includes("pnpm")
    ? [process.execPath, [script]]
    : ["npx", ["--yes", "pnpm@10.34.9"]];
  return run(command, [...before, ...args], { cwd: root, maxBuffer: 2 ** 24 });
}

/** Packs every package that is published into a folder; gives them by the names of their folders. */
export async function packAll(into: string): Promise<ReadonlyMap<string, Packed>> {
  await pnpm(["-r", "--filter", "./packages/*", "pack", "--pack-destination", into]);
  const packed = publishedPackages().map(async ({ folder, manifest: { name, version } }) => {
    const filename = join(into, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
    const { stdout } = await run("tar", ["-tzf", filename]);
    const paths = stdout.trim().split("\n");
    return [folder, { filename, paths: paths.map((path) => path.replace(/^package\//, "")) }] as const;
  });
  return new Map(await Promise.all(packed));
}

/** Installs archives, or packages of a registry, into an empty project; `offline` takes nothing from a registry. */
export async function emptyProject(
  folder: string,
  wanted: readonly string[],
  { offline = true }: { offline?: boolean } = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "name": "empty", "private": true, "type": "module" }');
  const options = ["--no-audit", "--no-fund", offline ? "--offline" : "--prefer-offline"];
  await run("npm", ["install", ...options, ...wanted], { cwd: folder });
}
