import { resolve } from "node:path";
import type { PlanOptions, Url } from "@anyscheme/core";
import { UsageError } from "./command-line.ts";
import type { Values } from "./options.ts";

/** Options of one call: those of every scheme, and the transfer type of FTP. */
export interface CallOptions extends PlanOptions {
  readonly type?: string | undefined;
}

/** Timers of Node hold no more milliseconds than this. */
const MAX_SECONDS = 2_147_483;

/** The ports of `--allow-port SCHEME:PORT`, by scheme. Throws `UsageError`. */
export function allowedPorts(values: Values): Readonly<Record<string, readonly number[]>> {
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
export function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds <= 0 || seconds > MAX_SECONDS) throw new UsageError("--max-time needs a number of seconds");
  return seconds;
}

/** The folder that file URLs are read from, absolute. */
export function fileRootOf(values: Values): string {
  return resolve(values["file-root"] ?? ".");
}

/** What a plan of this URL has to know. Throws `UsageError`. */
export function planOptionsOf(values: Values, url: Url): CallOptions {
  const { email, type } = values;
  if (type !== undefined && !/^[aid]$/i.test(type)) throw new UsageError("--type is one of a, i and d");
  return {
    ...(email === undefined ? {} : { email }),
    ...(type === undefined || url.scheme !== "ftp" ? {} : { type: type.toLowerCase() }),
  };
}
