import type { Plan } from "@anyscheme/core";
import {
  type AccessContext,
  checkOptions,
  type Socket,
  type ServiceOptions,
  type ServiceResource,
} from "@anyscheme/core/plugin";
import { percentDecodeText } from "@anyscheme/core/syntax";
import { SERVICE_OPTIONS, type TelnetOptions } from "./options.ts";
import { parseSessionSettings, TelnetSession } from "./session.ts";
import type { TelnetUrl } from "./syntax.ts";

/** Gives the advice of RFC 1738 §3.8, and the way to the service; nothing is connected before `connect` is called. */
export function accessTelnet(
  plan: Plan<TelnetUrl>,
  context: AccessContext,
  { accept = ["echo", "suppress-go-ahead"] }: TelnetOptions,
): Promise<ServiceResource> {
  const { url } = plan;
  async function connect(options: ServiceOptions = {}): Promise<TelnetSession> {
    checkOptions("connect", options, SERVICE_OPTIONS);
    const settings = parseSessionSettings(options);
    try {
      const socket = await runSteps(plan, context);
      return new TelnetSession(socket, context, accept, settings);
    } catch (error) {
      throw context.wrapError("connect", error);
    }
  }
  const own = {
    host: url.effectiveHost,
    port: url.effectivePort,
    user: url.user === undefined ? undefined : percentDecodeText(url.user),
    password: undefined,
    connect,
  };
  const password = (): string | undefined =>
    url.password === undefined ? undefined : percentDecodeText(url.password);
  return Promise.resolve(
    context.createResource(
      "service",
      Object.defineProperty(own, "password", { get: password, enumerable: false }),
    ),
  );
}

async function runSteps(plan: Plan<TelnetUrl>, context: AccessContext): Promise<Socket> {
  let socket: Socket | undefined;
  for (const step of plan.steps) {
    context.signal.throwIfAborted();
    context.beginStep(step);
    // "resolve" is done by the dialler as part of "connect".
    if (step.action === "connect" && step.target) socket = await context.connect(step.target);
  }
  if (!socket) throw new Error("the plan has no connection");
  return socket;
}
