import { type AccessContext, limitError, type PlanOptions } from "@anyscheme/core/plugin";
import type { FtpOptions } from "../options.ts";
import type { DirectoryRoute, FtpPlan, OperationPhases } from "../plan/phases.ts";
import { FtpCredentials } from "./credentials.ts";
import { type ServerState, SessionPool } from "./pool.ts";

/** A request: its plan, and the data that its steps need. */
export interface FtpRequest<
  T extends OperationPhases = OperationPhases,
  O extends PlanOptions = PlanOptions,
> {
  readonly plan: FtpPlan<T>;
  readonly context: AccessContext<unknown>;
  readonly options: O;
  readonly settings: FtpOptions;
  readonly pool: SessionPool;
  readonly server: ServerState;
  readonly credentials: FtpCredentials;
  readonly refusedRoutes: Set<DirectoryRoute>;
  /** The number of times that the policy refused the port of a data connection. */
  refusedPorts: number;
}

/** Creates a request. Throws `limit` for a plan with too many directories or too long a command. */
export function createRequest<T extends OperationPhases, O extends PlanOptions>(
  plan: FtpPlan<T>,
  context: AccessContext<unknown>,
  options: O,
  settings: FtpOptions,
): FtpRequest<T, O> {
  checkLimits(plan, context);
  const { url } = plan;
  const pool = context.getShared(() => new SessionPool(settings));
  const server = pool.server({ host: url.effectiveHost, port: url.effectivePort });
  const credentials = new FtpCredentials(url, server, context, options);
  const refusedRoutes = new Set<DirectoryRoute>();
  return { plan, context, options, settings, pool, server, credentials, refusedRoutes, refusedPorts: 0 };
}

function checkLimits({ steps, phases }: FtpPlan, { limits }: AccessContext<unknown>): void {
  if (phases.directoryDepth > limits.maxDirectoryDepth)
    throw limitError("maxDirectoryDepth", limits, "the path has too many directories");
  if (steps.some(({ bytes }) => bytes && bytes.length > limits.maxCommandBytes))
    throw limitError("maxCommandBytes", limits, "a name of the path is too long");
}
