import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Url } from "@anyscheme/core";
import type { PlanOptions } from "@anyscheme/core/plugin";
import type { FtpOptions } from "@anyscheme/scheme-ftp";
import { UsageError } from "./command-line.ts";
import type { OptionValues } from "./options.ts";

/** Options of one call: those of every scheme, the transfer type of FTP, and whether the answers of a Gopher+ form may be sent. */
export interface SchemeRequestOptions extends PlanOptions {
  readonly type?: string | undefined;
  readonly allowForms?: boolean | undefined;
}

/** Timers of Node hold no more milliseconds than this. */
const MAX_SECONDS = 2_147_483;

/** The ports of `--allow-port SCHEME:PORT`, by scheme. Throws `UsageError`. */
export function parseAllowedPorts(values: OptionValues): Readonly<Record<string, readonly number[]>> {
  const ports: Record<string, number[]> = {};
  for (const text of values["allow-port"] ?? []) {
    const [, scheme = "", digits = ""] = /^([A-Za-z0-9+.-]+):(\d{1,5})$/.exec(text) ?? [];
    const port = Number(digits);
    if (port < 1 || port > 65535)
      throw new UsageError(`--allow-port needs a scheme and a port from 1 to 65535, as in gopher:7070`);
    (ports[scheme.toLowerCase()] ??= []).push(port);
  }
  return ports;
}

/** `--max-time` in seconds. Throws `UsageError`. */
export function parseMaxTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseDecimal(text) ?? 0;
  if (seconds <= 0 || seconds > MAX_SECONDS) throw new UsageError("--max-time needs a number of seconds");
  return seconds;
}

/** `--close-after` in milliseconds. Throws `UsageError`. */
export function parseCloseAfterMs({ "close-after": text }: OptionValues): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseDecimal(text);
  if (seconds === undefined || seconds > MAX_SECONDS)
    throw new UsageError("--close-after needs a number of seconds; 0 closes at once");
  return seconds * 1000;
}

function parseDecimal(text: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** The folder that file URLs are read from, absolute. */
export function resolveFileRoot(values: OptionValues): string {
  return resolve(values["file-root"] ?? ".");
}

const STRATEGIES = ["multicwd", "singlecwd", "absolute", "adaptive"] as const;
const TLS_MODES = ["explicit", "implicit", "opportunistic"] as const;

/** What the scheme ftp is told by `--strategy` and `--tls`. Throws `UsageError`. */
export function parseFtpOptions({ strategy, tls }: OptionValues): FtpOptions {
  return {
    cwdStrategy: oneOf(STRATEGIES, "--strategy", strategy),
    tls: oneOf(TLS_MODES, "--tls", tls),
  };
}

function oneOf<T extends string>(
  known: readonly T[],
  option: string,
  text: string | undefined,
): T | undefined {
  const found = known.find((each) => each === text);
  if (text !== undefined && found === undefined)
    throw new UsageError(`${option} is one of ${known.join(", ")}`);
  return found;
}

/** The certificates of `--ca`. Throws `UsageError`. */
export function readCaCertificates({ ca }: OptionValues): string | undefined {
  try {
    return ca === undefined ? undefined : readFileSync(ca, "utf8");
  } catch (error) {
    // Node adds the call, and the path.
    throw new UsageError(`--ca cannot be read: ${(error as Error).message.replace(/, .*/s, "")}`);
  }
}

/** What a plan of this URL has to know. Throws `UsageError`. */
export function toPlanOptions(values: OptionValues, url: Url): SchemeRequestOptions {
  const { email, type } = values;
  if (type !== undefined && !/^[aid]$/i.test(type)) throw new UsageError("--type is one of a, i and d");
  return {
    ...(email === undefined ? {} : { email }),
    ...(type === undefined || url.scheme !== "ftp" ? {} : { type: type.toLowerCase() }),
  };
}
