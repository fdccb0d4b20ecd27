import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { installInEmptyProject, type PackedPackage } from "../../test/packaging/packed-packages.ts";
import { readPublishedPackages } from "../../test/packaging/published-package-manifests.ts";

/** A project in which one package and its dependencies are installed. */
export interface InstalledProject {
  readonly folder: string;
  /** The names of installed packages that are not dependencies of the package. */
  readonly unexpectedPackages: readonly string[];
}

/**
 * Creates one project per package and returns the projects by the folder of the package. npm installs the
 * packages of this repository from their archives, and other packages from the registry. A package that
 * depends only on packages of this repository needs no registry.
 */
export async function installPackagesInSeparateProjects(
  packed: ReadonlyMap<string, PackedPackage>,
  work: string,
): Promise<ReadonlyMap<string, InstalledProject>> {
  const published = readPublishedPackages();
  const projects = new Map<string, InstalledProject>();
  for (const { folder, manifest } of published) {
    const dependencies = Object.keys(manifest.dependencies ?? {});
    const ours = published.filter(
      (each) => each.folder === folder || dependencies.includes(each.manifest.name),
    );
    const archives = ours.map((each) => packed.get(each.folder)?.archivePath ?? each.folder);
    const project = join(work, folder);
    await installInEmptyProject(project, archives, {
      offline: dependencies.every((name) => name.startsWith("@anyscheme/")),
    });
    const needed = await collectDependencies(project, manifest.name);
    const besides = (await listInstalledPackages(project)).filter((name) => !needed.has(name));
    projects.set(folder, { folder: project, unexpectedPackages: besides });
  }
  return projects;
}

/** Returns the names of a package and of its direct and indirect `dependencies`. */
async function collectDependencies(project: string, name: string): Promise<ReadonlySet<string>> {
  const found = new Set([name]);
  for (const each of found) {
    const text = await readFile(join(project, "node_modules", each, "package.json"), "utf8");
    const { dependencies = {} } = JSON.parse(text) as { dependencies?: Readonly<Record<string, string>> };
    for (const dependency of Object.keys(dependencies)) found.add(dependency);
  }
  return found;
}

async function listInstalledPackages(project: string): Promise<string[]> {
  const modules = join(project, "node_modules");
  const names = (await readdir(modules)).filter((name) => !name.startsWith("."));
  const scoped = names.filter((name) => name.startsWith("@"));
  const within = await Promise.all(
    scoped.map(async (scope) => (await readdir(join(modules, scope))).map((name) => `${scope}/${name}`)),
  );
  return [...names.filter((name) => !name.startsWith("@")), ...within.flat()];
}
