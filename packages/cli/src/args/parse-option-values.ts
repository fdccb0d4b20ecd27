import type { Url } from "@anyscheme/core";
import type { PlanOptions, RetryOption } from "@anyscheme/core/plugin";
import type { FtpOptions } from "@anyscheme/scheme-ftp";
import { UsageError } from "../errors/cli-errors.ts";
import { isFtpFileWithoutType } from "../urls/ftp-url.ts";
import { type CommandLineHttpOptions, parseCommandLineHttpOptions } from "./http-options.ts";
import { MAX_TIMER_SECONDS, tryParseSeconds } from "./limit-options.ts";
import { FTP_CWD_METHODS, type OptionValues, TLS_MODES } from "./options.ts";

/**
 * The plan options of one request, with the options of http, the FTP transfer type, and the permission to submit a
 * Gopher+ form.
 */
export interface CommandLineRequestOptions extends PlanOptions, CommandLineHttpOptions {
  readonly type?: string | undefined;
  readonly allowForms?: boolean | undefined;
}

/** Parses the options `--allow-port SCHEME:PORT` into a list of ports for each scheme. Throws `UsageError`. */
export function parseAllowedPortsByScheme(
  optionValues: OptionValues,
): Readonly<Record<string, readonly number[]>> {
  const ports = new Map<string, number[]>();
  for (const text of optionValues["allow-port"] ?? []) {
    const [, scheme = "", digits = ""] = /^([A-Za-z0-9+.-]+):(\d{1,5})$/.exec(text) ?? [];
    const port = Number(digits);
    if (port < 1 || port > 65535)
      throw new UsageError(`--allow-port needs a scheme and a port from 1 to 65535, as in gopher:7070`);
    const name = scheme.toLowerCase();
    ports.set(name, [...(ports.get(name) ?? []), port]);
  }
  return Object.fromEntries(ports);
}

/** Parses `--max-time` in seconds. The value `none` means that a request has no time limit. Throws `UsageError`. */
export function parseMaxTimeSeconds({ "max-time": text }: OptionValues): number | undefined {
  if (text === undefined || text === "none") return undefined;
  const seconds = tryParseSeconds(text);
  if (!seconds)
    throw new UsageError(
      `--max-time needs a number of seconds above 0 and up to ${MAX_TIMER_SECONDS}, or none`,
    );
  return seconds;
}

/** Parses `--gopher-ttl` into milliseconds. Throws `UsageError` for an invalid time, and without `--cache`. */
export function parseGopherTtlOption({ "gopher-ttl": text, cache }: OptionValues): number | undefined {
  if (text === undefined) return undefined;
  if (cache === undefined) throw new UsageError("--gopher-ttl needs --cache DIR");
  const seconds = tryParseSeconds(text);
  if (seconds === undefined)
    throw new UsageError(`--gopher-ttl needs a number of seconds up to ${MAX_TIMER_SECONDS}`);
  return Math.round(seconds * 1_000);
}

/** The maximum wait before a retry, as with curl: ten minutes. */
const MAX_RETRY_WAIT_MS = 600_000;

/** Parses `--retry`. Throws `UsageError`. */
export function parseRetryOption({ retry: text }: OptionValues): RetryOption {
  if (text === undefined) return false;
  if (!/^\d{1,3}$/.test(text)) throw new UsageError("--retry needs a number of retries from 0 to 999");
  return { maxRetries: Number(text), maxBackoffMs: MAX_RETRY_WAIT_MS };
}

/**
 * Parses `--parallel-max` into the maximum number of parallel transfers, in total and for each host. Returns
 * `undefined` without `--parallel-max`. Throws `UsageError`.
 */
export function parseParallelMaxOption({ "parallel-max": text }: OptionValues): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d?$/.test(text)) throw new UsageError("--parallel-max needs a whole number from 1 to 99");
  return Number(text);
}

/** Parses `--close-after` into milliseconds. Throws `UsageError`. */
export function parseCloseAfterOption({ "close-after": text }: OptionValues): number | undefined {
  if (text === undefined) return undefined;
  const seconds = tryParseSeconds(text);
  if (seconds === undefined)
    throw new UsageError(
      `--close-after needs a number of seconds up to ${MAX_TIMER_SECONDS}; 0 closes at once`,
    );
  return seconds * 1000;
}

/** Parses `--ftp-method` and `--tls`. Throws `UsageError`. */
export function parseFtpCommandLineOptions({ "ftp-method": method, tls }: OptionValues): FtpOptions {
  return {
    cwdStrategy: parseOptionChoice(FTP_CWD_METHODS, "--ftp-method", method),
    tls: parseOptionChoice(TLS_MODES, "--tls", tls),
  };
}

function parseOptionChoice<T extends string>(
  known: readonly T[],
  option: string,
  text: string | undefined,
): T | undefined {
  const found = known.find((each) => each === text);
  if (text !== undefined && found === undefined)
    throw new UsageError(`${option} needs one of ${known.join(", ")}`);
  return found;
}

/**
 * Returns the options with which the client plans the request for this URL. The parameter `isTerminal` is true when
 * standard output is a terminal. Throws `UsageError`.
 */
export function parseCommandLineRequestOptions(
  optionValues: OptionValues,
  url: Url,
  isTerminal: boolean,
): CommandLineRequestOptions {
  const { email } = optionValues;
  const type = chooseFtpType(optionValues, url, isTerminal);
  return {
    ...(email === undefined ? {} : { email }),
    ...(type === undefined ? {} : { type }),
    ...parseCommandLineHttpOptions(optionValues, url),
  };
}

/**
 * Returns the FTP type of `--type`. Without `--type`, a file whose URL has no type is binary, so that a file or pipe
 * receives the bytes of the server. The client guesses the type only for a body on a terminal (RFC 1738 §3.2.3).
 */
function chooseFtpType(
  { type, output, "remote-name": remoteName }: OptionValues,
  url: Url,
  isTerminal: boolean,
): string | undefined {
  if (type !== undefined && !/^[aid]$/i.test(type)) throw new UsageError("--type needs one of a, i and d");
  if (type !== undefined) return url.scheme === "ftp" ? type.toLowerCase() : undefined;
  const isShownOnTerminal = isTerminal && output === undefined && !remoteName;
  return !isShownOnTerminal && isFtpFileWithoutType(url) ? "i" : undefined;
}
