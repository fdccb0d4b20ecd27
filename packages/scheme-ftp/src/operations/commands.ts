import type { AccessContext, OperationResult, PlanOptions } from "@anyscheme/core/plugin";
import type { FtpOptions } from "../options.ts";
import type { FtpPlan } from "../plan/phases.ts";
import { acquireSession, releaseAfterError } from "../session/acquire.ts";
import { changeDirectory } from "../session/change-directory.ts";
import { createRequest } from "../session/request.ts";

/** Performs an operation that consists of commands only: delete, mkdir, rename. */
export async function performCommands(
  plan: FtpPlan,
  context: AccessContext<OperationResult>,
  options: PlanOptions,
  settings: FtpOptions,
): Promise<object> {
  const request = createRequest(plan, context, options, settings);
  for (;;) {
    const session = await acquireSession(request);
    try {
      await changeDirectory(session, request);
      await session.run(plan.phases.operation.prepare);
      request.pool.release(session);
      return {};
    } catch (error) {
      await releaseAfterError(session, request, error);
    }
  }
}
