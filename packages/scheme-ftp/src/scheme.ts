import type { ClientLimits, Scheme } from "@anyscheme/core";
import {
  type AccessContext,
  checkOptions,
  createLimitError,
  type OperationResult,
  type OptionalSchemeOperations,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import {
  DEFAULT_FTP_LIMITS,
  FTP_SCHEME_OPTION_KINDS,
  FTP_REQUEST_OPTION_KINDS,
  type FtpOptions,
  type FtpRequestOptions,
} from "./scheme-options.ts";
import {
  planFtpDelete,
  planFtpMakeDirectory,
  planFtpRename,
  planFtpStat,
} from "./plan/operations-without-data-connection.ts";
import type { FtpPlan, FtpTransferOperationPhases } from "./plan/plan-types.ts";
import { planFtpDereference } from "./plan/retrieve.ts";
import { planFtpPut } from "./plan/store.ts";
import { ftpSyntax, type FtpUrl } from "./syntax.ts";
import type { FtpResource } from "./transfer/retrieve.ts";

/** Creates the scheme `ftp`. RFC 1738 §3.2, RFC 959. */
export function ftp(options: FtpOptions = {}): Scheme<FtpUrl, FtpResource, FtpRequestOptions> {
  checkOptions("ftp", options, FTP_SCHEME_OPTION_KINDS);
  return {
    name: "ftp",
    syntax: ftpSyntax,
    portRange: "unprivileged",
    plan(url, requestOptions, limits) {
      limitDirectoryDepth(url, limits);
      return planFtpDereference(url, requestOptions, options);
    },
    async access(plan: FtpPlan<FtpTransferOperationPhases>, context, requestOptions) {
      // Parsing and planning load no network code.
      const { executeFtpDereference } = await import("./transfer/retrieve.ts");
      return executeFtpDereference(plan, context, requestOptions, options);
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
function createFtpOperations(schemeOptions: FtpOptions): OptionalSchemeOperations<FtpUrl, FtpRequestOptions> {
  const perform = async (
    plan: FtpPlan,
    context: AccessContext<OperationResult>,
    requestOptions: PlanOptions,
  ): Promise<object> => {
    const { executeFtpCommandOperation } = await import("./session/operations-without-data-connection.ts");
    return executeFtpCommandOperation(plan, context, requestOptions, schemeOptions);
  };
  const createPlanner =
    <O extends PlanOptions>(plan: (url: FtpUrl, requestOptions: O, schemeOptions: FtpOptions) => FtpPlan) =>
    (url: FtpUrl, requestOptions: O, limits: ClientLimits): FtpPlan => {
      limitDirectoryDepth(url, limits);
      return plan(url, requestOptions, schemeOptions);
    };
  return {
    stat: {
      plan: createPlanner(planFtpStat),
      async perform(plan: FtpPlan, context, requestOptions) {
        const { executeFtpStat } = await import("./session/operations-without-data-connection.ts");
        return executeFtpStat(plan, context, requestOptions, schemeOptions);
      },
    },
    put: {
      plan: createPlanner(planFtpPut),
      async perform(plan: FtpPlan<FtpTransferOperationPhases>, context, requestOptions) {
        const { executeFtpPut } = await import("./transfer/store.ts");
        return executeFtpPut(plan, context, requestOptions, schemeOptions);
      },
    },
    delete: { plan: createPlanner(planFtpDelete), perform },
    mkdir: { plan: createPlanner(planFtpMakeDirectory), perform },
    rename: { plan: createPlanner(planFtpRename), perform },
  };
}

/** Throws `limit` for a URL with too many directories, before a plan with steps for each of them is created. */
function limitDirectoryDepth({ cwd }: FtpUrl, limits: ClientLimits): void {
  if (cwd.length > limits.maxDirectoryDepth)
    throw createLimitError("maxDirectoryDepth", limits, "the path has too many directories");
}
