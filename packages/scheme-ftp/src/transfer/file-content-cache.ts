import { hashCredentials } from "@anyscheme/core/io";
import { createVersionCheckedFileCache, type VersionCheckedFileCache } from "@anyscheme/core/plugin";
import type { FtpRequest } from "../session/session.ts";

/**
 * Creates the cache of a binary file on an FTP server. Size and modification time identify the version of the file, as
 * RFC 3659 §3 and §4 define them. Returns `undefined` without a cache, for a part of a file, for a login with an
 * account, and for the login of a user with a shared cache.
 */
export function createFtpFileContentCache({
  context,
  credentials,
  plan: { url },
  requestOptions: { range },
  schemeOptions: { tls, ca, cwdStrategy = "multicwd" },
}: FtpRequest): VersionCheckedFileCache | undefined {
  const login = credentials.getSessionPoolKey();
  if (range || login === undefined || (context.cache?.isShared && !credentials.isAnonymous)) return undefined;
  // The CWD strategy determines the file that the path names. An attacker on the network path can choose the size, time
  // and bytes of a file that is received without TLS.
  const partition = hashCredentials([login, cwdStrategy, tls, ca]);
  const path = [...url.cwd, url.name ?? ""].join("/");
  return createVersionCheckedFileCache(context, {
    key: `ftp://${url.effectiveHost}:${url.effectivePort}/${path}`,
    partition,
  });
}
