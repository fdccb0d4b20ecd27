import { dirname, resolve } from "node:path";
import type { OptionValues } from "../args/options.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { readConfigFile } from "./config-file.ts";

/** A file with an ES module whose default export has URL schemes. */
export interface UserSchemeModulePath {
  /** The path as the user has written it. */
  readonly givenPath: string;
  readonly absolutePath: string;
  /** The place that names the module: the option `--scheme`, or the path of the configuration file. */
  readonly origin: string;
}

/**
 * Returns the module files that the configuration file and the options `--scheme` name. A path in the configuration
 * file is relative to the folder of that file, and a path of `--scheme` to the working directory. A file that is named
 * twice is returned once. Throws `UsageError`.
 */
export function listUserSchemeModulePaths(
  { scheme: paths = [] }: OptionValues,
  configFilePath: string | undefined,
): readonly UserSchemeModulePath[] {
  const { schemes: configuredPaths = [] } = readConfigFile(configFilePath);
  if (paths.includes("")) throw new UsageError("--scheme needs the path of a module");
  const files = [
    ...configuredPaths.map((givenPath) => ({
      givenPath,
      absolutePath: resolve(dirname(configFilePath ?? ""), givenPath),
      origin: configFilePath ?? "",
    })),
    ...paths.map((givenPath) => ({ givenPath, absolutePath: resolve(givenPath), origin: "--scheme" })),
  ];
  return [...new Map(files.map((file) => [file.absolutePath, file])).values()];
}
