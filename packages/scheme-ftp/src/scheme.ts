import type { Scheme } from "@anyscheme/core";
import type { FtpResource } from "./access.ts";
import type { FtpCallOptions, FtpOptions } from "./options.ts";
import { planFtp } from "./plan.ts";
import { ftpSyntax, type FtpUrl } from "./syntax.ts";

/** The scheme `ftp`. RFC 1738 §3.2, RFC 959. */
export function ftp(options: FtpOptions = {}): Scheme<FtpUrl, FtpResource, FtpCallOptions> {
  return {
    name: "ftp",
    syntax: ftpSyntax,
    speaksFirst: "server",
    plan: (url, callOptions) => planFtp(url, callOptions, options),
    async access(plan, context) {
      // Loaded at the first access: parsing and planning do not need basic-ftp.
      const { accessFtp } = await import("./access.ts");
      return accessFtp(plan, context);
    },
  };
}
