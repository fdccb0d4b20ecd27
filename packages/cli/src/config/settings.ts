import type { Limits } from "@anyscheme/core";
import type { Gateways } from "@anyscheme/core/plugin";
import type { NewsServer } from "@anyscheme/scheme-others/news";
import { type Config, readConfig } from "./config-file.ts";
import { parseGateways } from "../args/gateway-options.ts";
import { UsageError } from "../args/command-line.ts";
import { parseLimits } from "../args/limit-options.ts";
import {
  parseAllowedPorts,
  readCaCertificates,
  resolveFileRoot,
  parseFtpOptions,
} from "../args/option-values.ts";
import { parseNewsServer } from "./news-servers.ts";
import type { OptionValues } from "../args/options.ts";
import {
  ACCESSIBLE,
  type AccessRow,
  findSchemePackage,
  type SchemeSettings,
} from "../client/scheme-packages.ts";
import type { CliIo } from "../terminal/cli-io.ts";

/** A command line together with what the person has settled in the file of settings. */
export interface Settings extends SchemeSettings {
  readonly values: OptionValues;
  readonly allowPorts: Readonly<Record<string, readonly number[]>>;
  readonly gateways: Gateways;
  readonly limits: Partial<Limits>;
}

/** Reads the options and the file of settings; the options go first. Throws `UsageError`. */
export function readSettings(values: OptionValues, { configFile }: Pick<CliIo, "configFile">): Settings {
  const { color, email, gateways = {}, newsServers }: Config = readConfig(configFile);
  return {
    values: { ...(color && { color }), ...(email !== undefined && { email }), ...values },
    fileRoot: resolveFileRoot(values),
    ftp: parseFtpOptions(values),
    ca: readCaCertificates(values),
    newsServers: parseNewsServers(values["news-server"]) ?? newsServers,
    allowPorts: parseAllowedPorts(values),
    gateways: { ...gateways, ...parseGateways(values.gateway ?? []) },
    limits: parseLimits(values),
  };
}

/** The servers of `--news-server`. Throws `UsageError`. */
function parseNewsServers(texts: readonly string[] | undefined): readonly NewsServer[] | undefined {
  return texts?.map((text) => {
    const server = parseNewsServer(text);
    if (!server) throw new UsageError("--news-server needs a host, as in news.example or news.example:1119");
    return server;
  });
}

/**
 * The schemes of these URLs and of the gateways that serve them; where one of them is unknown, all of them, so that the error
 * can list them.
 */
export function selectSchemePackages(texts: readonly string[], gateways: Gateways): readonly AccessRow[] {
  const locators = Object.values(gateways).map((given) =>
    typeof given === "string" ? given : given.locator,
  );
  const rows = new Set([...texts, ...locators].map(findSchemePackage));
  return rows.has(undefined) ? ACCESSIBLE : ACCESSIBLE.filter((row) => rows.has(row));
}
