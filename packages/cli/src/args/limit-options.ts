import type { Limits } from "@anyscheme/core";
import { UsageError } from "./command-line.ts";
import { LIMIT_OPTIONS, type LimitName, type LimitUnit } from "./limit-table.ts";
import type { OptionValues } from "./options.ts";

const FACTORS: Readonly<Record<string, number>> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };
/** Timers of Node hold no more milliseconds than this. */
const MAX_SECONDS = 2_147_483;

/** What `--limit-…` options change of the client's limits. Throws `UsageError`. */
export function parseLimits(values: OptionValues): Partial<Limits> {
  const changes: Partial<Record<keyof Limits, number>> = {};
  for (const { name, limit } of LIMIT_OPTIONS) {
    const value = parseLimit(values, name);
    if (limit !== undefined && value !== undefined)
      changes[limit] = limit.endsWith("Ms") ? value * 1000 : value;
  }
  return changes;
}

/** One limit as the command line has it: bytes, a number, or seconds. Throws `UsageError`. */
export function parseLimit(values: OptionValues, name: LimitName): number | undefined {
  const text = values[name];
  const unit = LIMIT_OPTIONS.find((row) => row.name === name)?.unit ?? "COUNT";
  if (text === undefined) return undefined;
  if (text === "none") return Infinity;
  const value = VALUE_PARSERS[unit](text);
  if (value === undefined || !(value > 0))
    throw new UsageError(`--${name} needs ${VALUE_DESCRIPTIONS[unit]}, or none`);
  return value;
}

const VALUE_DESCRIPTIONS: Readonly<Record<LimitUnit, string>> = {
  SIZE: "a number of bytes, as in 500k, 20M and 1.5G",
  COUNT: "a whole number",
  SECONDS: "a number of seconds",
};

const VALUE_PARSERS: Readonly<Record<LimitUnit, (text: string) => number | undefined>> = {
  SIZE(text) {
    const [, digits, suffix = ""] = /^(\d{1,12}(?:\.\d{1,6})?)([kmg]?)$/i.exec(text) ?? [];
    return digits === undefined
      ? undefined
      : Math.floor(Number(digits) * (FACTORS[suffix.toLowerCase()] ?? 1));
  },
  COUNT: (text) => (/^\d{1,12}$/.test(text) ? Number(text) : undefined),
  SECONDS(text) {
    const seconds = /^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
    return seconds === undefined || seconds > MAX_SECONDS ? undefined : seconds;
  },
};
