import { readFileSync } from "node:fs";
import type { Gateways } from "@anyscheme/core/plugin";
import type { NewsServer } from "@anyscheme/scheme-others/news";
import { UsageError } from "../args/command-line.ts";
import { findGatewayFault } from "../args/gateway-options.ts";
import { parseNewsServer } from "./news-servers.ts";

/** What a person has settled once and for all. Nothing in it makes a check weaker. */
export interface Config {
  readonly color?: "auto" | "always" | "never";
  readonly email?: string;
  readonly gateways?: Gateways;
  readonly newsServers?: readonly NewsServer[];
}

/** Nobody writes that much by hand. */
const MAX_BYTES = 65_536;

const COLORS: ReadonlySet<unknown> = new Set(["auto", "always", "never"]);
const NEWS_KEYS: ReadonlySet<string> = new Set(["host", "port", "scheme", "groups"]);

/** Each key, and what it needs; `undefined` when the value is good. */
const CHECKS: Readonly<Record<keyof Config, (value: unknown) => string | undefined>> = {
  color: (value) => (COLORS.has(value) ? undefined : 'is "auto", "always" or "never"'),
  email: (value) =>
    typeof value === "string" && /^[!-~]+@[!-~]+$/.test(value)
      ? undefined
      : "is an address, as in me@home.example",
  gateways: gatewaysFault,
  newsServers: newsServersFault,
};

/** Reads the settings; a file that is not there has none. Throws `UsageError` with the place of the fault. */
export function readConfig(path: string | undefined): Config {
  const text = path === undefined ? undefined : readConfigText(path);
  if (path === undefined || text === undefined) return {};
  const settings = parseJson(text, path);
  const fault = findFault(settings);
  if (fault !== undefined) throw new UsageError(`${path}: ${fault}`);
  const { newsServers, ...rest } = settings as Config;
  return newsServers === undefined ? rest : { ...rest, newsServers: newsServers.map(toNewsServer) };
}

function readConfigText(path: string): string | undefined {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_BYTES) throw new UsageError(`${path} is longer than ${MAX_BYTES} bytes`);
    return bytes.toString();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UsageError(`cannot read ${path}: ${message.replace(/, .*$/s, "")}`);
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const offset = faultOffset(text);
    const before = text.slice(0, offset).split("\n");
    const what = text.slice(offset).trim() === "" ? "ends too early" : "is no JSON here";
    throw new UsageError(`${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}: the file ${what}`);
  }
}

/** The first character that no JSON has in its place. Node says it of some faults only, and in words that change. */
function faultOffset(text: string): number {
  let good = 0;
  let bad = text.trimEnd().length + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (mayGoOn(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function mayGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return true;
  } catch (error) {
    const { message } = error as Error;
    const position = /position (\d+)/.exec(message)?.[1];
    return /end of JSON input|Unterminated/.test(message) || Number(position ?? -1) >= beginning.length;
  }
}

function findFault(settings: unknown): string | undefined {
  if (!isObject(settings)) return "the file is no object, as in {}";
  for (const [key, value] of Object.entries(settings)) {
    if (!Object.hasOwn(CHECKS, key))
      return `there is no setting ${JSON.stringify(key)}; there are ${Object.keys(CHECKS).join(", ")}`;
    const fault = CHECKS[key as keyof Config](value);
    if (fault !== undefined) return `${key} ${fault}`;
  }
  return undefined;
}

function gatewaysFault(value: unknown): string | undefined {
  if (!isObject(value)) return 'is an object, as in { "wais": "http://gw.example/?url={url}" }';
  for (const [scheme, given] of Object.entries(value)) {
    if (typeof given !== "string" && !isObject(given)) return `for ${scheme} needs the URL of a gateway`;
    const fault = findGatewayFault(scheme, typeof given === "string" ? { locator: given } : given);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function newsServersFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'is a list, as in ["news.example"]';
  const at = value.findIndex((server: unknown) => !isServer(server));
  return at < 0
    ? undefined
    : `has no server at place ${at + 1}: it needs "host", "host:port" or { "host": … } with port, scheme, groups`;
}

function isServer(server: unknown): boolean {
  if (typeof server === "string") return parseNewsServer(server) !== undefined;
  if (!isObject(server) || Object.keys(server).some((key) => !NEWS_KEYS.has(key))) return false;
  const { host, port, scheme, groups } = server;
  return (
    typeof host === "string" &&
    parseNewsServer(host)?.host === host &&
    (port === undefined ||
      (typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65_536)) &&
    (scheme === undefined || scheme === "nntp" || scheme === "nntps") &&
    (groups === undefined || typeof groups === "string")
  );
}

function toNewsServer(server: string | NewsServer): NewsServer {
  return typeof server === "string" ? (parseNewsServer(server) ?? { host: server }) : server;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
