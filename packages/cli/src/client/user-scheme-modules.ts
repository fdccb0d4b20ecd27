import { statSync } from "node:fs";
import nodeModule from "node:module";
import { pathToFileURL } from "node:url";
import { createClient, type Scheme } from "@anyscheme/core";
import type { UserSchemeModulePath } from "../config/user-scheme-module-paths.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { maskPassword } from "../output/mask-password.ts";

export interface UserSchemeModule {
  readonly file: UserSchemeModulePath;
  readonly schemes: readonly Scheme[];
}

/**
 * Loads the user's modules with URL schemes, which executes their code. Throws `UsageError` for a module that cannot be
 * loaded, and for a default export that is no scheme.
 */
export async function loadUserSchemeModules(
  files: readonly UserSchemeModulePath[],
): Promise<UserSchemeModule[]> {
  const modules: UserSchemeModule[] = [];
  const stopResolving = resolvePackagesOfCommand();
  try {
    for (const file of files) modules.push({ file, schemes: await loadSchemesOfModule(file) });
  } finally {
    stopResolving();
  }
  return modules;
}

export function describeUserSchemeModule({ givenPath, origin }: UserSchemeModulePath): string {
  return `the module ${maskPassword(givenPath)} of ${origin}`;
}

async function loadSchemesOfModule(file: UserSchemeModulePath): Promise<readonly Scheme[]> {
  const exported = await importDefaultExport(file);
  const schemes = (Array.isArray(exported) ? exported : [exported]) as readonly Scheme[];
  if (schemes.length === 0)
    throw new UsageError(`the default export of ${describeUserSchemeModule(file)} has no scheme`);
  // `createClient` checks every field of a scheme.
  try {
    await createClient({ schemes }).close();
  } catch (error) {
    const reason = formatFirstLine(error).replace(/^createClient: the option "schemes\[\d+\]" /, "it ");
    throw new UsageError(`the default export of ${describeUserSchemeModule(file)} is not valid: ${reason}`);
  }
  return schemes;
}

/** Imports a module. Returns the default export of the module, or its result if the default export is a function. */
async function importDefaultExport(file: UserSchemeModulePath): Promise<unknown> {
  const { absolutePath } = file;
  try {
    // For a missing file or a folder, the error of import() names the importing module, so the path is checked first.
    const status = statSync(absolutePath, { throwIfNoEntry: false });
    if (!status?.isFile()) throw new Error(status ? "it is not a file" : "no such file");
    const { default: exported } = (await import(pathToFileURL(absolutePath).href)) as { default?: unknown };
    if (exported === undefined)
      throw new Error(
        "it has no default export; export a scheme, an array of schemes, or a function that returns one",
      );
    return typeof exported === "function" ? await (exported as () => unknown)() : exported;
  } catch (error) {
    throw new UsageError(`${describeUserSchemeModule(file)} cannot be loaded: ${formatFirstLine(error)}`);
  }
}

function formatFirstLine(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return error instanceof Error && !/^(?:Type)?Error$/.test(error.name) ? `${error.name}: ${line}` : line;
}

/** Matches imports of the packages that are installed with the command. */
const PACKAGES_OF_COMMAND = /^@anyscheme\/(?:core|gateway|scheme-[a-z]+)(?:\/|$)/;

/**
 * Resolves imports of `@anyscheme` packages to the copies of the command: a module works without an installed package,
 * and its errors and URLs have the classes of the command. Runtimes without `registerHooks` resolve the imports from
 * the folder of the module. Returns a function that removes the module hook, after which imports of these packages are
 * resolved as usual.
 */
function resolvePackagesOfCommand(): () => void {
  const { registerHooks } = nodeModule as Partial<typeof nodeModule>;
  const hooks = registerHooks?.({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(
        specifier,
        PACKAGES_OF_COMMAND.test(specifier) ? { ...context, parentURL: import.meta.url } : context,
      ),
  });
  return () => hooks?.deregister();
}
