import type { AccessContext, Operations, OperationResult, PlanOptions } from "@anyscheme/core/plugin";
import type { FtpOptions, FtpRequestOptions } from "../options.ts";
import { planDelete, planMakeDirectory, planRename, planStat } from "../plan/operations.ts";
import type { FtpPlan, StorePhases } from "../plan/phases.ts";
import { planPut } from "../plan/store.ts";
import type { FtpUrl } from "../url/syntax.ts";

/**
 * Returns all operations except dereferencing. RFC 1738 §3.2.2: "FTP URLs may also be used for other operations; for
 * example, it is possible to update a file on a remote file server, or infer information about it from the directory
 * listings."
 */
export function ftpOperations(settings: FtpOptions): Operations<FtpUrl, FtpRequestOptions> {
  const perform = async (
    plan: FtpPlan,
    context: AccessContext<OperationResult>,
    options: PlanOptions,
  ): Promise<object> => {
    const { performCommands } = await import("./commands.ts");
    return performCommands(plan, context, options, settings);
  };
  return {
    stat: {
      plan: (url, options) => planStat(url, options, settings),
      async perform(plan: FtpPlan, context, options) {
        const { performStat } = await import("./stat.ts");
        return performStat(plan, context, options, settings);
      },
    },
    put: {
      plan: (url, options) => planPut(url, options, settings),
      async perform(plan: FtpPlan<StorePhases>, context, options) {
        const { performPut } = await import("../transfer/store.ts");
        return performPut(plan, context, options, settings);
      },
    },
    delete: { plan: (url, options) => planDelete(url, options, settings), perform },
    mkdir: { plan: (url, options) => planMakeDirectory(url, options, settings), perform },
    rename: { plan: (url, options) => planRename(url, options, settings), perform },
  };
}
