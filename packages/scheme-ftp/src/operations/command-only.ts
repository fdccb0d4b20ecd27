import type { Plan } from "@anyscheme/core";
import type { AccessContext, OperationResult, PlanOptions } from "@anyscheme/core/plugin";
import type { FtpOptions } from "../options.ts";
import type { FtpUrl } from "../url/syntax.ts";
import { journeyOf, prepare, rest, travel } from "../session/run.ts";

/** Performs the plan of an operation that is done when its commands are answered: delete, make directory, rename. */
export function performPlain(
  plan: Plan<FtpUrl>,
  context: AccessContext<OperationResult>,
  options: PlanOptions,
  settings: FtpOptions,
): Promise<object> {
  const journey = journeyOf(plan, context, options, settings);
  return travel(journey, async (talk) => {
    await prepare(talk, journey.itinerary.errand);
    rest(talk, journey);
    return {};
  });
}
