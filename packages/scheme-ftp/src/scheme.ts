import type { Scheme } from "@anyscheme/core";
import { checkOptions } from "@anyscheme/core/plugin";
import type { accessFtp, FtpResource } from "./transfer/retrieve.ts";
import { ftpOperations } from "./operations/operations.ts";
import { FTP_REQUEST_OPTIONS, FTP_OPTIONS, type FtpRequestOptions, type FtpOptions } from "./options.ts";
import { planFtp } from "./plan/plan.ts";
import { ftpSyntax, type FtpUrl } from "./url/syntax.ts";

/** The scheme `ftp`. RFC 1738 §3.2, RFC 959. */
export function ftp(options: FtpOptions = {}): Scheme<FtpUrl, FtpResource, FtpRequestOptions> {
  checkOptions("ftp", options, FTP_OPTIONS);
  let loading: Promise<{ accessFtp: typeof accessFtp }> | undefined;
  return {
    name: "ftp",
    syntax: ftpSyntax,
    speaksFirst: "server",
    plan: (url, callOptions) => planFtp(url, callOptions, options),
    async access(plan, context, callOptions) {
      // Loaded at the first access: parsing and planning do not need basic-ftp.
      const room = await (loading ??= import("./transfer/retrieve.ts"));
      return room.accessFtp(plan, context, callOptions, options);
    },
    operations: ftpOperations(options),
    requestOptions: FTP_REQUEST_OPTIONS,
    supports: ["range", "resume"],
  };
}
