import type { CoreLimits } from "@anyscheme/core";
import { UsageError } from "../errors/cli-errors.ts";
import type { OptionValues } from "./options.ts";

type LimitUnit = "SIZE" | "COUNT" | "SECONDS";

export interface LimitOptionDefinition<Name extends string = LimitOptionName> {
  readonly name: Name;
  readonly unit: LimitUnit;
  /**
   * The name of the limit in the option `limits` of the client. Undefined for the limits of `get -r`, which the client
   * does not have.
   */
  readonly clientLimitName?: keyof CoreLimits;
  /** The default value, as the user would write it for the option. */
  readonly defaultText: string;
  readonly description: string;
}

/**
 * The command-line options that change limits of the client or of `get -r`. Only limits whose default values a correct
 * server can exceed have options.
 */
const LIMIT_TABLE = [
  {
    name: "max-filesize",
    unit: "SIZE",
    clientLimitName: "maxStreamBytes",
    defaultText: "none",
    description: "maximum size of a body",
  },
  {
    name: "max-listing-size",
    unit: "SIZE",
    clientLimitName: "maxListingBytes",
    defaultText: "16M",
    description: "maximum size of a directory listing",
  },
  {
    name: "max-entries",
    unit: "COUNT",
    clientLimitName: "maxListingEntries",
    defaultText: "100000",
    description: "maximum number of entries in a directory listing",
  },
  {
    name: "max-redirs",
    unit: "COUNT",
    clientLimitName: "maxRedirects",
    defaultText: "5",
    description: "maximum number of redirects; 0 follows none, and -I and -i then write the redirect",
  },
  {
    name: "connect-timeout",
    unit: "SECONDS",
    clientLimitName: "connectTimeoutMs",
    defaultText: "10",
    description: "maximum time to establish a connection",
  },
  {
    name: "response-timeout",
    unit: "SECONDS",
    clientLimitName: "callTimeoutMs",
    defaultText: "120",
    description: "maximum time until the first byte of the body",
  },
  {
    name: "idle-timeout",
    unit: "SECONDS",
    clientLimitName: "idleTimeoutMs",
    defaultText: "30",
    description: "maximum time without data from the server",
  },
  {
    name: "max-depth",
    unit: "COUNT",
    defaultText: "16",
    description: "maximum depth of a directory tree for -r",
  },
  {
    name: "max-files",
    unit: "COUNT",
    defaultText: "10000",
    description: "maximum number of entries in a directory tree for -r",
  },
] as const satisfies readonly LimitOptionDefinition<string>[];

/** The names of the command-line options that change a limit. */
export type LimitOptionName = (typeof LIMIT_TABLE)[number]["name"];

export const LIMIT_OPTION_DEFINITIONS: readonly LimitOptionDefinition[] = LIMIT_TABLE;

const SIZE_SUFFIX_FACTORS: Readonly<Record<string, number>> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };
/** The longest delay of a Node.js timer, 2³¹ − 1 ms, in seconds. */
export const MAX_TIMER_SECONDS = 2_147_483;

/** Returns the client limits that the command line changes. Throws `UsageError`. */
export function parseLimits(optionValues: OptionValues): Partial<CoreLimits> {
  const limits: Partial<Record<keyof CoreLimits, number>> = {};
  for (const { name, clientLimitName } of LIMIT_OPTION_DEFINITIONS) {
    const value = parseLimit(optionValues, name);
    if (clientLimitName !== undefined && value !== undefined)
      limits[clientLimitName] = clientLimitName.endsWith("Ms") ? value * 1000 : value;
  }
  return limits;
}

/** Returns the value of one limit option, in bytes, in seconds or as a count. Throws `UsageError`. */
export function parseLimit(optionValues: OptionValues, name: LimitOptionName): number | undefined {
  const text = optionValues[name];
  const unit = LIMIT_OPTION_DEFINITIONS.find((option) => option.name === name)?.unit ?? "COUNT";
  if (text === undefined) return undefined;
  if (text === "none") return Infinity;
  // A limit of the client is above 0. The http option `redirect` implements --max-redirs 0.
  if (name === "max-redirs" && text === "0") return undefined;
  const value = LIMIT_VALUE_PARSERS[unit](text);
  if (value === undefined || !(value > 0))
    throw new UsageError(`--${name} needs ${LIMIT_VALUE_DESCRIPTIONS[unit]}, or none`);
  return value;
}

const LIMIT_VALUE_DESCRIPTIONS: Readonly<Record<LimitUnit, string>> = {
  SIZE: "a number of bytes such as 500k, 20M or 1.5G",
  COUNT: "a whole number above 0",
  SECONDS: `a number of seconds above 0 and up to ${MAX_TIMER_SECONDS}`,
};

const LIMIT_VALUE_PARSERS: Readonly<Record<LimitUnit, (text: string) => number | undefined>> = {
  SIZE(text) {
    const [, digits, suffix = ""] = /^(\d{1,12}(?:\.\d{1,6})?)([kmg]?)$/i.exec(text) ?? [];
    return digits === undefined
      ? undefined
      : Math.floor(Number(digits) * (SIZE_SUFFIX_FACTORS[suffix.toLowerCase()] ?? 1));
  },
  COUNT: (text) => (/^\d{1,12}$/.test(text) ? Number(text) : undefined),
  SECONDS: tryParseSeconds,
};

/**
 * Parses a number of seconds. Returns `undefined` for a text that is no number, and for more seconds than the longest
 * delay of a Node.js timer.
 */
export function tryParseSeconds(text: string): number | undefined {
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Infinity;
  return seconds > MAX_TIMER_SECONDS ? undefined : seconds;
}
