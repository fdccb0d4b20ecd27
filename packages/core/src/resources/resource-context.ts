import type { Hash } from "node:crypto";
import type { HopLifetime } from "../client/request-lifetime.ts";
import type { ErrorContext } from "../errors/access-error.ts";
import { createLimitError, type CoreLimits } from "../policy/limits.ts";
import type { Plan } from "../scheme/plan.ts";
import type { RedirectChainEntry, TransferProgress } from "../scheme/resource.ts";
import type { Url } from "../syntax/index.ts";

/** The parts of a hop that the resource of the hop uses. */
export interface ResourceContext {
  readonly url: Url;
  readonly redirectChain: readonly RedirectChainEntry[];
  readonly plan: Plan;
  readonly lifetime: HopLifetime;
  readonly limits: CoreLimits;
  /** The start of the request, in milliseconds of `performance.now()`. */
  readonly startedAtMs: number;
  readonly onProgress: ((progress: TransferProgress) => void) | undefined;
  createErrorContext(operationName: string): ErrorContext;
  /** Computes the digest of the body for the trace. Without a trace listener, the client computes no digest. */
  readonly traceBodyHash: Hash | undefined;
  /** Traces the end of a complete body. */
  onBodyEnd(bytes: number, bodyHash: string | undefined): void;
}

/** Applies `bodyTimeoutMs` from now on, in place of the time limit of the call. */
export function setBodyDeadline(
  { lifetime, limits }: Pick<ResourceContext, "lifetime" | "limits">,
  what: "body" | "listing",
): void {
  lifetime.setDeadline(limits.bodyTimeoutMs, () =>
    createLimitError("bodyTimeoutMs", limits, `the ${what} took too long`),
  );
}
