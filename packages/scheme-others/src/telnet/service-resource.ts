import type { Plan, ServiceSessionOptions, ServiceResource } from "@anyscheme/core";
import { type AccessContext, checkOptions, type Socket } from "@anyscheme/core/plugin";
import { percentDecodeText } from "@anyscheme/core/syntax";
import { TELNET_CONNECT_OPTION_KINDS, type TelnetSchemeOptions } from "./scheme-options.ts";
import { encodeTelnetSessionOptions, TelnetSession } from "./session.ts";
import type { TelnetUrl } from "./syntax.ts";

/**
 * Returns a resource with the advisory login of RFC 1738 §3.8 and the function `connect`. Opens no connection before
 * `connect` is called.
 */
export function createTelnetResource(
  plan: Plan<TelnetUrl>,
  context: AccessContext,
  { acceptTelnetOptions = ["echo", "suppress-go-ahead"] }: TelnetSchemeOptions,
): Promise<ServiceResource> {
  const { url } = plan;
  const decode = (component: string | undefined): string | undefined =>
    component === undefined ? undefined : percentDecodeText(component);
  async function connect(options: ServiceSessionOptions = {}): Promise<TelnetSession> {
    checkOptions("connect", options, TELNET_CONNECT_OPTION_KINDS);
    const settings = encodeTelnetSessionOptions(options);
    try {
      const socket = await openTelnetConnection(plan, context);
      return new TelnetSession(socket, context, acceptTelnetOptions, settings);
    } catch (error) {
      throw context.wrapError("connect", error);
    }
  }
  const service = {
    host: url.effectiveHost,
    port: url.effectivePort,
    user: decode(url.user),
    password: undefined,
    connect,
  };
  // The password is not enumerable, so that JSON and util.inspect omit the password.
  const password = { get: () => decode(url.password), enumerable: false };
  return Promise.resolve(
    context.createResource("service", Object.defineProperty(service, "password", password)),
  );
}

async function openTelnetConnection(plan: Plan<TelnetUrl>, context: AccessContext): Promise<Socket> {
  let socket: Socket | undefined;
  for (const step of plan.steps) {
    context.signal.throwIfAborted();
    context.beginStep(step);
    // `connect` also resolves the name of the host.
    if (step.action === "connect" && step.target) socket = await context.connect(step.target);
  }
  if (!socket) throw new Error("the plan has no connect step");
  return socket;
}
