import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the repository, with a slash at its end. */
export const repositoryFolder: string = fileURLToPath(new URL("../..", import.meta.url));

/** The target of one entry of a package's `exports`. */
interface ExportTarget {
  readonly types: string;
  readonly default: string;
}

export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | ExportTarget>>;
}

/** A published package. */
export interface PublishedPackage {
  /** The name of the package's folder in `packages/`. */
  readonly folder: string;
  readonly manifest: PackageManifest;
  /** The modules that users can import. */
  readonly entryPoints: readonly EntryPoint[];
}

export interface EntryPoint extends ExportTarget {
  /** The module name with which a program imports the entry point, such as `@anyscheme/core/syntax`. */
  readonly name: string;
}

/** Returns every published package, in the order of their folders. */
export function readPublishedPackages(): readonly PublishedPackage[] {
  return readdirSync(`${repositoryFolder}packages`).flatMap((folder) => {
    const text = readFileSync(`${repositoryFolder}packages/${folder}/package.json`, "utf8");
    const manifest = JSON.parse(text) as PackageManifest;
    return manifest.private === true ? [] : { folder, manifest, entryPoints: listEntryPoints(manifest) };
  });
}

function listEntryPoints({ name, exports }: PackageManifest): EntryPoint[] {
  return Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === "string"
      ? []
      : { name: name + subpath.slice(1), types: target.types, default: target.default },
  );
}
