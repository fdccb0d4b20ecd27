import type { Socket } from "../guard/socket.ts";
import type { AccessContext, Plan, SecureOptions } from "../scheme.ts";
import { Inflow } from "./inflow.ts";

/**
 * Performs a plan that connects, perhaps starts TLS, sends, and from then on only receives: what the server sends comes back
 * as an inflow. Enough for protocols of one request and one answer on a connection of their own.
 */
export async function exchange(plan: Plan, context: AccessContext, tls: SecureOptions = {}): Promise<Inflow> {
  const secured = plan.steps.some(({ action }) => action === "secure");
  let socket: Socket | undefined;
  let inflow: Inflow | undefined;
  for (const step of plan.steps) {
    context.enter(step);
    // "resolve" is done by the dialler as part of "connect": one look-up, checked and pinned.
    if (step.action === "connect" && step.target) {
      if (secured) socket = await context.dial(step.target);
      else inflow = await Inflow.dial(context, step.target);
    } else if (step.action === "secure" && step.target && socket) {
      inflow = Inflow.of(await context.secure(socket, step.target.host, tls), context.limits);
    } else if (step.action === "send" && step.octets && inflow) {
      inflow.socket.write(step.octets);
      context.trace({ action: "send", text: step.text });
    } else if (step.action === "transfer") {
      break;
    }
  }
  if (!inflow) throw new Error(`the plan of ${plan.url.scheme} has no "connect"`);
  return inflow;
}
