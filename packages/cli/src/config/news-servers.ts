import { AccessError } from "@anyscheme/core";
import type { NewsServerSettings } from "@anyscheme/scheme-others/news";

/**
 * Parses the value of the environment variable NNTPSERVER: servers as `host` or `host:port`, separated by blanks or
 * commas. Throws an `AccessError` with the code `unsupported` for an invalid value.
 */
export function parseNewsServerList(variable: string | undefined): NewsServerSettings[] {
  const names = (variable ?? "").split(/[\s,]+/).filter((name) => name !== "");
  return names.map((name) => {
    const server = tryParseNewsServer(name);
    if (server) return server;
    const advice = "set the variable to host or host:port; separate several servers by blanks";
    throw new AccessError("unsupported", "the environment variable NNTPSERVER is invalid", { advice });
  });
}

/**
 * Parses the name of a news server as `host` or `host:port`. Returns `undefined` for a text that is no valid name of a
 * news server.
 */
export function tryParseNewsServer(text: string): NewsServerSettings | undefined {
  const [, host, port] = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
  return port === undefined ? { host } : { host, port: Number(port) };
}
