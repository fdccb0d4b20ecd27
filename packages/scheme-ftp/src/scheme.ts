import type { Scheme } from "@anyscheme/core";
import {
  type AccessContext,
  checkOptions,
  type OperationResult,
  type SchemeOperations,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import {
  DEFAULT_FTP_LIMITS,
  FTP_OPTION_KINDS,
  FTP_REQUEST_OPTION_KINDS,
  type FtpOptions,
  type FtpRequestOptions,
} from "./options.ts";
import {
  planFtpDelete,
  planFtpMakeDirectory,
  planFtpRename,
  planFtpStat,
} from "./plan/operations-without-transfer.ts";
import type { FtpPlan, FtpTransferPlanPhases } from "./plan/plan-types.ts";
import { planFtpDereference } from "./plan/retrieve.ts";
import { planFtpPut } from "./plan/store.ts";
import { ftpSyntax, type FtpUrl } from "./syntax.ts";
import type * as retrieve from "./transfer/retrieve.ts";
import type { FtpResource } from "./transfer/retrieve.ts";

/** Creates the scheme `ftp`. RFC 1738 §3.2, RFC 959. */
export function ftp(options: FtpOptions = {}): Scheme<FtpUrl, FtpResource, FtpRequestOptions> {
  checkOptions("ftp", options, FTP_OPTION_KINDS);
  let retrieval: Promise<typeof retrieve> | undefined;
  return {
    name: "ftp",
    syntax: ftpSyntax,
    portRange: "unprivileged",
    plan: (url, requestOptions) => planFtpDereference(url, requestOptions, options),
    async access(plan: FtpPlan<FtpTransferPlanPhases>, context, requestOptions) {
      // Parsing and planning load no network code. The client imports it once, because each import takes time.
      retrieval ??= import("./transfer/retrieve.ts");
      const { readFtpFileOrListDirectory } = await retrieval;
      return readFtpFileOrListDirectory(plan, context, requestOptions, options);
    },
    operations: createFtpOperations(options),
    requestOptions: FTP_REQUEST_OPTION_KINDS,
    limits: DEFAULT_FTP_LIMITS,
    supportedOptions: ["range", "resume", "cache"],
  };
}

/**
 * Returns the operations of the scheme that change or describe a file or directory: put, delete, mkdir, rename and
 * stat. RFC 1738 §3.2.2: "FTP URLs may also be used for other operations; for example, it is possible to update a file
 * on a remote file server, or infer information about it from the directory listings."
 */
function createFtpOperations(settings: FtpOptions): SchemeOperations<FtpUrl, FtpRequestOptions> {
  const perform = async (
    plan: FtpPlan,
    context: AccessContext<OperationResult>,
    options: PlanOptions,
  ): Promise<object> => {
    const { performFtpCommandOperation } = await import("./session/command-operations.ts");
    return performFtpCommandOperation(plan, context, options, settings);
  };
  return {
    stat: {
      plan: (url, options) => planFtpStat(url, options, settings),
      async perform(plan: FtpPlan, context, options) {
        const { performFtpStat } = await import("./session/command-operations.ts");
        return performFtpStat(plan, context, options, settings);
      },
    },
    put: {
      plan: (url, options) => planFtpPut(url, options, settings),
      async perform(plan: FtpPlan<FtpTransferPlanPhases>, context, options) {
        const { performFtpPut } = await import("./transfer/store.ts");
        return performFtpPut(plan, context, options, settings);
      },
    },
    delete: { plan: (url, options) => planFtpDelete(url, options, settings), perform },
    mkdir: { plan: (url, options) => planFtpMakeDirectory(url, options, settings), perform },
    rename: { plan: (url, options) => planFtpRename(url, options, settings), perform },
  };
}
