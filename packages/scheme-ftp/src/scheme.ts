import type { Scheme } from "@anyscheme/core";
import { checkOptions } from "@anyscheme/core/plugin";
import { ftpOperations } from "./operations/operations.ts";
import { FTP_OPTIONS, FTP_REQUEST_OPTIONS, type FtpOptions, type FtpRequestOptions } from "./options.ts";
import type { FtpPlan, RetrievePhases } from "./plan/phases.ts";
import { planFtp } from "./plan/retrieve.ts";
import type { FtpResource } from "./transfer/retrieve.ts";
import { ftpSyntax, type FtpUrl } from "./url/syntax.ts";

/** Creates the scheme `ftp`. RFC 1738 §3.2, RFC 959. */
export function ftp(options: FtpOptions = {}): Scheme<FtpUrl, FtpResource, FtpRequestOptions> {
  checkOptions("ftp", options, FTP_OPTIONS);
  return {
    name: "ftp",
    syntax: ftpSyntax,
    speaksFirst: "server",
    plan: (url, requestOptions) => planFtp(url, requestOptions, options),
    async access(plan: FtpPlan<RetrievePhases>, context, requestOptions) {
      // Parsing and planning load no network code.
      const { accessFtp } = await import("./transfer/retrieve.ts");
      return accessFtp(plan, context, requestOptions, options);
    },
    operations: ftpOperations(options),
    requestOptions: FTP_REQUEST_OPTIONS,
    supports: ["range", "resume"],
  };
}
