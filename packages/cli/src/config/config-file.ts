import { readFileSync } from "node:fs";
import type { GatewaysByScheme } from "@anyscheme/core/plugin";
import type { NewsServerSettings } from "@anyscheme/scheme-others/news";
import { findUpstreamGatewayFault } from "../args/gateways-by-scheme.ts";
import { formatSystemError, UsageError } from "../errors/cli-errors.ts";
import { tryParseNewsServer } from "./news-servers.ts";

/**
 * The settings of the configuration file. No setting weakens a security check, but the modules of `schemes` are
 * executed.
 */
export interface ConfigFileSettings {
  readonly color?: "auto" | "always" | "never";
  readonly email?: string;
  readonly gateways?: GatewaysByScheme;
  readonly newsServers?: readonly NewsServerSettings[];
  /** The paths of modules with URL schemes, relative to the folder of the configuration file. */
  readonly schemes?: readonly string[];
}

const MAX_CONFIG_FILE_BYTES = 65_536;

const COLOR_MODES: ReadonlySet<unknown> = new Set(["auto", "always", "never"]);
const NEWS_SERVER_KEYS: ReadonlySet<string> = new Set(["host", "port", "scheme", "groups"]);

/**
 * The functions that check the value of each setting. Each of these functions returns an error message for an invalid
 * value of its setting, or `undefined` for a valid value.
 */
const CONFIG_VALUE_CHECKS: Readonly<
  Record<keyof ConfigFileSettings, (value: unknown) => string | undefined>
> = {
  color: (value) => (COLOR_MODES.has(value) ? undefined : 'must be "auto", "always" or "never"'),
  email: (value) =>
    typeof value === "string" && /^[!-~]+@[!-~]+$/.test(value)
      ? undefined
      : "must be an email address, as in me@home.example",
  gateways: findGatewaysFault,
  newsServers: findNewsServersFault,
  schemes: (value) =>
    Array.isArray(value) && value.every((path) => typeof path === "string" && path !== "")
      ? undefined
      : 'must be a list of the paths of modules, as in ["x-finger.ts"]',
};

/**
 * Reads the configuration file. Returns an empty configuration if the file does not exist. Throws `UsageError` for an
 * unreadable file, and for an invalid setting, with the name of the setting.
 */
export function readConfigFile(path: string | undefined): ConfigFileSettings {
  const text = path === undefined ? undefined : readConfigText(path);
  if (path === undefined || text === undefined) return {};
  const settings = parseJson(text, path);
  const fault = findConfigFault(settings);
  if (fault !== undefined) throw new UsageError(`${path}: ${fault}`);
  const { newsServers, ...rest } = settings as ConfigFileSettings;
  return newsServers === undefined ? rest : { ...rest, newsServers: newsServers.map(toNewsServer) };
}

function readConfigText(path: string): string | undefined {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_CONFIG_FILE_BYTES)
      throw new UsageError(`${path} is longer than ${MAX_CONFIG_FILE_BYTES} bytes`);
    // TextDecoder removes a byte order mark, which JSON does not allow.
    return new TextDecoder().decode(bytes);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UsageError(`cannot read ${path}: ${formatSystemError(error)}`);
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`);
  }
}

function findConfigFault(settings: unknown): string | undefined {
  if (!isObject(settings)) return "the file must contain a JSON object, as in {}";
  for (const [key, value] of Object.entries(settings)) {
    if (!Object.hasOwn(CONFIG_VALUE_CHECKS, key))
      return `unknown setting ${JSON.stringify(key)}; the settings are ${Object.keys(CONFIG_VALUE_CHECKS).join(", ")}`;
    const fault = CONFIG_VALUE_CHECKS[key as keyof ConfigFileSettings](value);
    if (fault !== undefined) return `${key} ${fault}`;
  }
  return undefined;
}

function findGatewaysFault(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object, as in { "wais": "http://gw.example/?url={url}" }';
  for (const [scheme, gateway] of Object.entries(value)) {
    if (typeof gateway !== "string" && !isObject(gateway)) return `for ${scheme} needs the URL of a gateway`;
    const fault = findUpstreamGatewayFault(
      scheme,
      typeof gateway === "string" ? { urlTemplate: gateway } : gateway,
    );
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function findNewsServersFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list, as in ["news.example"]';
  const index = value.findIndex((server: unknown) => !isValidNewsServer(server));
  return index < 0
    ? undefined
    : `has an invalid server at position ${index + 1}: it needs "host", "host:port" or { "host": … } with port, scheme, groups`;
}

function isValidNewsServer(server: unknown): boolean {
  if (typeof server === "string") return tryParseNewsServer(server) !== undefined;
  if (!isObject(server) || Object.keys(server).some((key) => !NEWS_SERVER_KEYS.has(key))) return false;
  const { host, port, scheme, groups } = server;
  return (
    typeof host === "string" &&
    tryParseNewsServer(host)?.host === host &&
    (port === undefined ||
      (typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65_536)) &&
    (scheme === undefined || scheme === "nntp" || scheme === "nntps") &&
    (groups === undefined || typeof groups === "string")
  );
}

function toNewsServer(server: string | NewsServerSettings): NewsServerSettings {
  return typeof server === "string" ? (tryParseNewsServer(server) ?? { host: server }) : server;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
