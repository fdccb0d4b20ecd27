import { AccessError, type AccessCode } from "../errors/access-error.ts";
import { systemResolver } from "../network/connector.ts";
import { limitError, type Limits, mergeLimits } from "../policy/limits.ts";
import type { Policy } from "../policy/policy.ts";
import { Redactor } from "../errors/redact.ts";
import type { Hop as Via, OperationResult, Plan, PlanOptions } from "../scheme/scheme.ts";
import type { Url } from "../syntax/index.ts";
import { checkArgument } from "../options/check-options.ts";
import { type OptionTable, plainObject } from "../options/option-kinds.ts";
import type { CheckCall } from "./check-options.ts";
import { checkHop, sameOrigin, withoutSchemeOptions } from "./redirects.ts";
import type { Gateway } from "./gateways.ts";
import type * as Performing from "./request.ts";
import type { Call, Way } from "./request.ts";
import type { ClientOptions, DereferenceOptions } from "./options.ts";
import type { ConnectionLimiter } from "./connections/connection-limiter.ts";
import { makePlan, step } from "../scheme/plan-builders.ts";
import type { ReadUrl } from "./read-url.ts";
import type { Registry } from "./registry.ts";
import type { Scopes } from "./lifetime/active-requests.ts";
import type { Shared } from "./connections/connection-store.ts";
import { dereferencing, type Work } from "./operations.ts";

/** What all calls of a client have in common. */
export interface Surroundings {
  readonly registry: Registry;
  readonly gateways: ReadonlyMap<string, Gateway>;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly options: ClientOptions;
  /** All hops that have not ended. */
  readonly scopes: Scopes;
  readonly shared: Shared;
  readonly connections: ConnectionLimiter;
  readonly parse: (text: string) => Url;
  readonly readUrl: ReadUrl;
  readonly checkCall: CheckCall;
}

/** Plans and performs the calls of a client. */
export interface Calls {
  plan(work: Work, url: Url, options: PlanOptions): Plan;
  /** `own` has the options of the method that the others do not have. */
  begin(
    work: Work,
    input: string | Url,
    options?: DereferenceOptions,
    own?: OptionTable,
  ): Promise<OperationResult>;
  /** The same for options that have been checked. */
  readonly perform: (work: Work, url: Url, options: DereferenceOptions) => Promise<OperationResult>;
}

/** Failures by which a server shows that it cannot be reached. */
const UNREACHED: ReadonlySet<AccessCode> = new Set(["unavailable", "timeout"]);

/**
 * What performs a hop, with the guard and all resources: loaded by the first call, since reading, comparing and planning URLs need
 * none of it.
 */
let performing: typeof Performing | undefined;

export function createCalls(around: Surroundings): Calls {
  const {
    registry,
    gateways,
    policy,
    limits,
    options,
    scopes,
    shared,
    connections,
    parse,
    readUrl,
    checkCall,
  } = around;

  function planOf(work: Work, url: Url, callOptions: PlanOptions, bounds: Limits): Plan {
    const plan = work.plan(registry.schemeOf(url.scheme), url, callOptions);
    let performed = 0;
    for (const { action } of plan.steps) if (action !== "expect") performed++;
    if (performed > bounds.maxSteps) throw limitError("maxSteps", bounds, "the plan has too many steps");
    return plan;
  }

  /** The gateway that serves a URL from the beginning. Only dereferencing goes through one. */
  function gatewayFor(work: Work, url: Url): Gateway | undefined {
    const gateway = work === dereferencing ? gateways.get(url.scheme) : undefined;
    if (!gateway || gateway.when === "always") return gateway;
    return registry.names.includes(url.scheme) ? undefined : gateway;
  }

  async function perform(url: Url, call: Call, way?: Way): Promise<OperationResult> {
    const gateway = gatewayFor(call.work, url);
    if (gateway) return through(gateway, url, call, way);
    const scheme = located(call.work.name, url, () => registry.schemeOf(url.scheme));
    performing ??= await import("./request.ts");
    const hop = new performing.Hop(call, scheme, url, way);
    try {
      return await hop.access(() => planOf(call.work, url, call.options, call.limits));
    } catch (error) {
      const spare = call.work === dereferencing ? gateways.get(url.scheme) : undefined;
      const unreached = error instanceof AccessError && UNREACHED.has(error.code);
      if (spare?.when !== "unavailable" || !unreached || call.options.signal?.aborted) throw error;
      return through(spare, url, call, way);
    }
  }

  // The caller has chosen the gateway, so that its own policy counts; what else the caller gave was meant for the URL's server.
  async function through(gateway: Gateway, url: Url, call: Call, way?: Way): Promise<OperationResult> {
    const target = located(call.work.name, url, () => gateway.locate(url));
    const stripped = withoutSchemeOptions(call);
    const bare: Call = { ...stripped, options: { ...stripped.options, credentials: undefined } };
    const via: readonly Via[] = [...(way?.redirectChain ?? []), { url, reason: "gateway" }];
    performing ??= await import("./request.ts");
    const hop = new performing.Hop(bare, registry.schemeOf(target.scheme), target, {
      from: undefined,
      redirectChain: via,
    });
    return hop.access(() => planOf(bare.work, target, bare.options, bare.limits));
  }

  async function begin(
    work: Work,
    input: string | Url,
    callOptions?: DereferenceOptions,
    own?: OptionTable,
  ): Promise<OperationResult> {
    if (callOptions === undefined) return start(work, readUrl(input), {}, limits);
    checkArgument(work.method, "options", callOptions, plainObject);
    const bounds = mergeLimits(callOptions.limits, limits);
    const url = readUrl(input, { maxLength: bounds.maxUrlLength });
    checkCall(work.method, callOptions, url.scheme, own);
    return start(work, url, callOptions, bounds);
  }

  function start(
    work: Work,
    url: Url,
    callOptions: DereferenceOptions,
    bounds: Limits,
  ): Promise<OperationResult> {
    const call: Call = {
      work,
      // A property that follows a spread costs V8 ten times as much as the whole object.
      options: Object.assign({}, callOptions, {
        credentials: callOptions.credentials ?? options.credentials,
        trace: callOptions.trace ?? options.trace,
        email: callOptions.email ?? options.email,
      }),
      policy: callOptions.policy ?? policy,
      limits: bounds,
      resolver: options.resolver ?? systemResolver,
      redactor: new Redactor(),
      beganMs: performance.now(),
      scopes,
      shared,
      connections,
      parse,
      follow(given, from, reason) {
        const target = readUrl(given);
        checkHop(target, from, from.call);
        // What one hop has dropped stays dropped: the options are those of the hop before, not those of the first.
        return perform(target, sameOrigin(from.url, target) ? from.call : withoutSchemeOptions(from.call), {
          from,
          redirectChain: [...from.redirectChain, { url: from.url, reason }],
        });
      },
    };
    return perform(url, call);
  }

  return {
    begin,
    perform: (work, url, callOptions) =>
      start(work, url, callOptions, mergeLimits(callOptions.limits, limits)),
    plan: (work, url, callOptions) =>
      located("plan", url, () => {
        const gateway = gatewayFor(work, url);
        if (!gateway) return planOf(work, url, callOptions, limits);
        const target = gateway.locate(url);
        const { steps } = planOf(work, target, { email: callOptions.email }, limits);
        return makePlan(url, [step("redirect", "4", `to the gateway: ${String(target)}`), ...steps]);
      }),
  };
}

/** Does work that no server has a part in yet; its errors get their place. */
function located<T>(name: string, url: Url, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof AccessError ? error.withContext({ name, url: String(url) }) : error;
  }
}
