import { join, resolve } from "node:path";
import type { CoreLimits } from "@anyscheme/core";
import type { GatewaysByScheme } from "@anyscheme/core/plugin";
import type { NewsServerSettings } from "@anyscheme/scheme-others/news";
import { parseGatewaysByScheme } from "../args/gateways-by-scheme.ts";
import { parseLimits } from "../args/limit-options.ts";
import { readCaCertificates } from "../args/option-value-files.ts";
import {
  parseAllowedPortsByScheme,
  parseFtpCommandLineOptions,
  parseGopherTtlOption,
} from "../args/parse-option-values.ts";
import type { OptionValues } from "../args/options.ts";
import type { SchemeCreationSettings } from "../client/scheme-packages.ts";
import { type CommandLineProxyOptions, parseProxyOptions } from "../args/proxy-options.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { type ConfigFileSettings, readConfigFile } from "./config-file.ts";
import { tryParseNewsServer } from "./news-servers.ts";

/** The settings of a command, merged from the command line and the configuration file. */
export interface CommandSettings extends SchemeCreationSettings {
  readonly optionValues: OptionValues;
  readonly allowPorts: Readonly<Record<string, readonly number[]>>;
  readonly gateways: GatewaysByScheme;
  readonly limits: Partial<CoreLimits>;
  readonly proxyChoice: CommandLineProxyOptions;
  /** True when the URLs of the command line may lead only to public addresses. */
  readonly isPublicOnly: boolean;
  /** The path of the cache database with stored responses. `undefined` without `--cache`. */
  readonly cachePath: string | undefined;
}

/**
 * Reads the options of the command line and the configuration file. Options of the command line override settings of
 * the configuration file. Throws `UsageError`.
 */
export function readCommandSettings(
  optionValues: OptionValues,
  { configFilePath, environment }: Pick<CliIo, "configFilePath" | "environment">,
): CommandSettings {
  const { color, email, gateways = {}, newsServers }: ConfigFileSettings = readConfigFile(configFilePath);
  return {
    optionValues: { ...(color && { color }), ...(email !== undefined && { email }), ...optionValues },
    fileRoot: resolve(optionValues["file-root"] ?? "."),
    ftp: parseFtpCommandLineOptions(optionValues),
    ca: readCaCertificates(optionValues),
    newsServers: parseNewsServers(optionValues["news-server"]) ?? newsServers,
    allowPorts: parseAllowedPortsByScheme(optionValues),
    gateways: { ...gateways, ...parseGatewaysByScheme(optionValues.gateway ?? []) },
    limits: parseLimits(optionValues),
    proxyChoice: parseProxyOptions(optionValues, environment),
    isPublicOnly: optionValues["public-only"] === true,
    cachePath: parseCachePath(optionValues),
    gopherCacheTtlMs: parseGopherTtlOption(optionValues),
  };
}

function parseCachePath({ cache }: OptionValues): string | undefined {
  if (cache === "") throw new UsageError("--cache needs the path of a directory");
  return cache === undefined ? undefined : join(cache, "anyscheme.sqlite");
}

function parseNewsServers(texts: readonly string[] | undefined): readonly NewsServerSettings[] | undefined {
  return texts?.map((text) => {
    const server = tryParseNewsServer(text);
    if (!server) throw new UsageError("--news-server needs a host, as in news.example or news.example:1119");
    return server;
  });
}
