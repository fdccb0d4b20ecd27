import type { Socket } from "../network/guard-context.ts";
import type { AccessContext, TlsOptions } from "../scheme/context.ts";
import type { Plan } from "../scheme/plan.ts";
import { SocketReader } from "./socket-reader.ts";

/**
 * Executes a plan that connects, optionally starts TLS, and sends a request. Returns a reader of the response. The
 * function serves protocols with one request and one response per connection.
 */
export async function connectAndSendRequest(
  plan: Plan,
  context: AccessContext,
  tls: TlsOptions = {},
): Promise<SocketReader> {
  const usesTls = plan.steps.some(({ action }) => action === "tls");
  let socket: Socket | undefined;
  let reader: SocketReader | undefined;
  for (const step of plan.steps) {
    context.beginStep(step);
    // The step "connect" also resolves the host name, so that the addresses that the guard checks are those of the
    // connection.
    if (step.action === "connect" && step.target) {
      if (usesTls) socket = await context.connect(step.target);
      else reader = new SocketReader(await context.connect(step.target), context.limits);
    } else if (step.action === "tls" && step.target && socket) {
      reader = new SocketReader(await context.startTls(socket, step.target.host, tls), context.limits);
    } else if (step.action === "send" && step.bytes && reader) {
      reader.socket.write(step.bytes);
      context.trace({ action: "send", text: step.description });
    } else if (step.action === "transfer") {
      break;
    }
  }
  if (!reader) throw new Error(`the plan of the scheme ${plan.url.scheme} has no step "connect"`);
  return reader;
}
