import {
  type AccessContext,
  AccessError,
  type ContentResource,
  type Resource,
  type Step,
} from "@anyscheme/core";
import { Inflow } from "@anyscheme/core/wire";
import { Exchange } from "./exchange.ts";
import type { HttpsOptions } from "./options.ts";
import type { HttpPlan } from "./plan.ts";
import { redirectTarget } from "./redirect.ts";
import { checkContentCoding, descriptionOf, type HttpResponse } from "./response.ts";
import { meaningOf, statusError, statusText } from "./status.ts";

/** What an http or https URL gives: the content, and what the server said about it. */
export type HttpResource = ContentResource & { readonly http: HttpResponse };

type SecureOptions = Pick<HttpsOptions, "ca">;

/** Performs the plan. A redirect to another scheme may give a resource of another kind. */
export async function accessHttp(
  plan: HttpPlan,
  context: AccessContext,
  options: SecureOptions,
): Promise<Resource> {
  for (const secret of plan.request.secrets) context.mask(secret);
  const connection = await connect(plan, context, options);
  const exchange = await send(plan, context, connection);
  try {
    enter(plan, context, "expect");
    const { response, framing } = await exchange.response();
    const { status, reason, version } = response;
    context.trace({ action: "receive", text: `HTTP/${version} ${statusText(status, reason)}` });
    const meaning = meaningOf(status);
    if (meaning === "refer") {
      enter(plan, context, "refer");
      const target = redirectTarget(plan.url, response, context);
      // The connection is closed before another is opened; nobody reads the content of a redirect.
      exchange.cancel();
      context.trace({ action: "refer", text: String(target) });
      return await context.dereference(target);
    }
    if (meaning !== "content") throw statusError(meaning, status, reason);
    checkContentCoding(response);
    enter(plan, context, "transfer");
    return context.content({
      source: exchange,
      ...descriptionOf(response, framing),
      extra: { http: response },
    });
  } catch (error) {
    exchange.cancel();
    throw error;
  }
}

/** Performs the steps that open the connection. */
async function connect(plan: HttpPlan, context: AccessContext, { ca }: SecureOptions): Promise<Inflow> {
  enter(plan, context, "resolve");
  const { target } = enter(plan, context, "connect") ?? {};
  if (!target) throw new Error("the plan has no connection");
  if (!plan.steps.some(({ action }) => action === "secure")) return Inflow.dial(context, target);
  const socket = await context.dial(target);
  enter(plan, context, "secure");
  const secured = await context.secure(socket, target.host, { ca, alpnProtocols: ["http/1.1"] });
  return Inflow.of(secured, context.limits);
}

async function send(plan: HttpPlan, context: AccessContext, inflow: Inflow): Promise<Exchange> {
  const step = enter(plan, context, "send");
  if (!step?.octets) throw new AccessError("unsupported", "the plan sends nothing");
  const connection = {
    source: inflow,
    send(octets: Uint8Array): void {
      inflow.socket.write(octets);
      context.trace({ action: "send", text: step.text });
    },
  };
  return Exchange.begin(plan.request, step.octets, connection, context.limits);
}

function enter(plan: HttpPlan, context: AccessContext, action: Step["action"]): Step | undefined {
  const step = plan.steps.find((candidate) => candidate.action === action);
  if (step) context.enter(step);
  return step;
}
