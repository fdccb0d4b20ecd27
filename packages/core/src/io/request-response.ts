import type { Socket } from "../network/connector.ts";
import type { AccessContext, TlsOptions } from "../scheme/context.ts";
import type { Plan } from "../scheme/plan.ts";
import { SocketReader } from "./socket-reader.ts";

/**
 * Performs a plan that connects, perhaps starts TLS, sends, and from then on only receives: what the server sends comes back
 * as an inflow. Enough for protocols of one request and one answer on a connection of their own.
 */
export async function requestResponse(
  plan: Plan,
  context: AccessContext,
  tls: TlsOptions = {},
): Promise<SocketReader> {
  const secured = plan.steps.some(({ action }) => action === "tls");
  let socket: Socket | undefined;
  let inflow: SocketReader | undefined;
  for (const step of plan.steps) {
    context.beginStep(step);
    // "resolve" is done by the dialler as part of "connect": one look-up, checked and pinned.
    if (step.action === "connect" && step.target) {
      if (secured) socket = await context.connect(step.target);
      else inflow = await SocketReader.connect(context, step.target);
    } else if (step.action === "tls" && step.target && socket) {
      inflow = SocketReader.fromSocket(await context.startTls(socket, step.target.host, tls), context.limits);
    } else if (step.action === "send" && step.bytes && inflow) {
      inflow.socket.write(step.bytes);
      context.trace({ action: "send", text: step.description });
    } else if (step.action === "transfer") {
      break;
    }
  }
  if (!inflow) throw new Error(`the plan of ${plan.url.scheme} has no "connect"`);
  return inflow;
}
