import type { Scheme } from "@anyscheme/core";
import type { GatewaysByScheme } from "@anyscheme/core/plugin";
import type { Syntax } from "@anyscheme/core/syntax";
import type { CommandLine } from "../args/command-line.ts";
import type { OptionValues } from "../args/options.ts";
import { listUserSchemeModulePaths } from "../config/user-scheme-module-paths.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { extractSchemeName } from "../urls/guess-url.ts";
import {
  BUILT_IN_SCHEME_NAMES,
  findSchemePackageForUrl,
  SCHEME_PACKAGES,
  type SchemeCreationSettings,
  selectSchemePackagesForUrls,
} from "./scheme-packages.ts";

/** A scheme in the list of the command `schemes`. */
export interface ListedScheme {
  readonly name: string;
  readonly defaultPort: number | undefined;
  /** The name of the package, for a scheme that a package of the command implements. */
  readonly packageName?: string | undefined;
  /** The path of the module of a scheme that the user has added. */
  readonly modulePath?: string | undefined;
}

/** A scheme that belongs to no package of the command. */
interface AddedScheme {
  readonly scheme: Scheme;
  readonly modulePath?: string;
}

/** A command line with the schemes that its command knows. */
export interface CommandLineWithSchemes extends CommandLine {
  readonly schemes: CommandSchemes;
}

/**
 * The schemes of one run of the command: those of its packages, those of the embedding program, and those of the
 * modules that the user has added. A scheme of the embedding program replaces a package's scheme of the same name.
 */
export class CommandSchemes {
  readonly #added: ReadonlyMap<string, AddedScheme>;

  constructor(added: ReadonlyMap<string, AddedScheme> = new Map()) {
    this.#added = added;
  }

  /** The names of all schemes, in lower case. */
  get names(): readonly string[] {
    return [...new Set([...BUILT_IN_SCHEME_NAMES, ...this.#added.keys()])];
  }

  async list(): Promise<readonly ListedScheme[]> {
    const builtIn = await Promise.all(
      SCHEME_PACKAGES.map(async (schemePackage) => {
        const syntaxes = await schemePackage.loadSyntaxes();
        return schemePackage.schemeNames.map((name): ListedScheme => {
          const defaultPort = syntaxes.find(({ schemes }) => schemes.includes(name))?.defaultPort;
          return { name, defaultPort, packageName: schemePackage.packageName };
        });
      }),
    );
    const added = [...this.#added].map(([name, { scheme, modulePath }]): ListedScheme => ({
      name,
      defaultPort: scheme.syntax.defaultPort,
      modulePath,
    }));
    return [...builtIn.flat().filter(({ name }) => !this.#added.has(name)), ...added];
  }

  /** Loads the grammar for the scheme of a URL, or the generic grammar for an unknown scheme. */
  async loadSyntaxForUrl(text: string): Promise<Syntax> {
    const name = extractSchemeName(text);
    const added = this.#added.get(name)?.scheme.syntax;
    if (added) return added;
    const syntaxes = await findSchemePackageForUrl(text)?.loadSyntaxes();
    const syntax = syntaxes?.find(({ schemes }) => schemes.includes(name));
    return syntax ?? (await import("@anyscheme/core/syntax")).createGenericSyntax();
  }

  /** Loads the URL grammars of all schemes. */
  async loadAllSyntaxes(): Promise<readonly Syntax[]> {
    const added = [...this.#added.values()].map(({ scheme }) => scheme.syntax);
    const builtIn = await Promise.all(SCHEME_PACKAGES.map((each) => each.loadSyntaxes()));
    return [...added, ...builtIn.flat()];
  }

  /** Creates the schemes for these URLs and for the URLs of the gateways. */
  async createSchemes(
    texts: readonly string[],
    gateways: GatewaysByScheme,
    settings: SchemeCreationSettings,
  ): Promise<readonly Scheme[]> {
    const packages = selectSchemePackagesForUrls(texts, gateways);
    return this.#addTo(await Promise.all(packages.map((each) => each.createSchemes(settings))));
  }

  /** Creates all URL schemes except `file`, for the command `gateway`. */
  async createGatewaySchemes(settings: SchemeCreationSettings): Promise<readonly Scheme[]> {
    const schemes = this.#addTo(
      await Promise.all(SCHEME_PACKAGES.map((each) => each.createSchemes(settings))),
    );
    return schemes.filter(({ name }) => name.toLowerCase() !== "file");
  }

  #addTo(builtIn: readonly (readonly Scheme[])[]): readonly Scheme[] {
    const added = [...this.#added.values()].map(({ scheme }) => scheme);
    return [...builtIn.flat().filter(({ name }) => !this.#added.has(name)), ...added];
  }
}

/**
 * Collects the URL schemes that a command supports. Loads the modules that the configuration file and the option
 * `--scheme` name. Throws `UsageError` for an invalid module, and for a scheme name that two modules, or a module and
 * the command, define.
 */
export async function loadCommandSchemes(
  optionValues: OptionValues,
  { configFilePath, tsyringeContainer }: Pick<CliIo, "configFilePath" | "tsyringeContainer">,
): Promise<CommandSchemes> {
  const added = new Map<string, AddedScheme>();
  if (tsyringeContainer) {
    const { resolveSchemesFromTsyringe } = await import("./dependency-container-client.ts");
    for (const scheme of resolveSchemesFromTsyringe(tsyringeContainer))
      added.set(scheme.name.toLowerCase(), { scheme });
  }
  const files = listUserSchemeModulePaths(optionValues, configFilePath);
  if (files.length === 0) return new CommandSchemes(added);
  const { describeUserSchemeModule, loadUserSchemeModules } = await import("./user-scheme-modules.ts");
  for (const { file, schemes } of await loadUserSchemeModules(files)) {
    for (const scheme of schemes) {
      const name = scheme.name.toLowerCase();
      if (added.has(name) || BUILT_IN_SCHEME_NAMES.includes(name))
        throw new UsageError(
          `${describeUserSchemeModule(file)} has the scheme ${name}, which is registered already`,
        );
      added.set(name, { scheme, modulePath: file.givenPath });
    }
  }
  return new CommandSchemes(added);
}
