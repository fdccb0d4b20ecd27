import { createCredentialsKey, createFileCache, type FileCache } from "@anyscheme/core/io";
import type { FtpRequest } from "../session/session.ts";

/**
 * Creates the cache of a binary file. Size and modification time identify the version of the file, as RFC 3659 §3 and
 * §4 define them. Returns `undefined` without a cache, for a part of a file, and for a login with an account.
 */
export function createFtpFileCache({
  context,
  credentials,
  plan: { url },
  requestOptions: { range },
  schemeOptions: { tls, ca },
}: FtpRequest): FileCache | undefined {
  const login = credentials.getSessionPoolKey();
  if (range || login === undefined) return undefined;
  // An attacker on the network path can choose the size, time and bytes of a file that is received without TLS.
  const partition = tls === undefined ? login : createCredentialsKey([login, tls, ca]);
  const path = [...url.cwd, url.name ?? ""].join("/");
  return createFileCache(context, {
    key: `ftp://${url.effectiveHost}:${url.effectivePort}/${path}`,
    partition,
  });
}
