import { AccessError, type AccessErrorCode } from "../errors/access-error.ts";
import { checkArgument } from "../options/check-options.ts";
import { type OptionTable, nonArrayObjectOptionKind } from "../options/option-kinds.ts";
import { rejectZoneBehindProxyOrGateway } from "../network/link-local-zone.ts";
import { type ClientLimits, createLimitError, mergeLimits } from "../policy/limits.ts";
import type { Policy } from "../policy/policy.ts";
import type { AccessContext } from "../scheme/context.ts";
import {
  type SchemeOperationImplementation,
  type OperationName,
  type OperationResult,
  type OperationResultInit,
  type PutOptions,
  type PutResult,
  toUploadSource,
  type UploadBody,
} from "../scheme/operation.ts";
import { createPlan, createStep, type Plan, type PlanOptions } from "../scheme/plan.ts";
import type { Resource } from "../scheme/resource.ts";
import type { Scheme } from "../scheme/scheme.ts";
import type { InternetUrl, Url } from "../syntax/index.ts";
import type { UrlInput } from "./types-inferred-from-url.ts";
import type { ConnectionLimiter, SchemeStateStore } from "./connection-limiter.ts";
import type { UpstreamGatewayUrlBuilder } from "./scheme-gateways.ts";
import { Hop, type PreviousHops, type RequestContext } from "./request-hop.ts";
import type { ActiveClientRequests } from "./request-lifetime.ts";
import type { RequestOptionChecker, ClientOptions, DereferenceOptions } from "./options.ts";
import {
  checkRedirect,
  provideNoCredentials,
  sameOrigin,
  removeOptionsForOtherOrigin,
} from "./redirect-rules.ts";
import type { UrlInputParser, SchemeRegistry } from "./registry.ts";
import { addRequestDefaults, getCredentialsBaseUrl, type RequestDefaults } from "./requests/extend-client.ts";
import { isRepeatableBody } from "./requests/retry-options.ts";
import { ServerTextMasker } from "./trace.ts";

/** The state that all requests of a client share. */
export interface ClientState {
  readonly registry: SchemeRegistry;
  readonly gateways: ReadonlyMap<string, UpstreamGatewayUrlBuilder>;
  readonly policy: Policy;
  readonly limits: ClientLimits;
  readonly options: ClientOptions;
  readonly activeRequests: ActiveClientRequests;
  /** The default options of an extended client, the oldest first. */
  readonly defaults: readonly RequestDefaults[];
  readonly schemeStates: SchemeStateStore;
  readonly connectionLimiter: ConnectionLimiter;
  readonly parse: (text: string) => Url;
  readonly parseUrlArgument: UrlInputParser;
  readonly checkRequestOptions: RequestOptionChecker;
}

/**
 * The functions that plan and execute one operation: `dereference`, or an optional operation of the URL's scheme. `R`
 * is the type of the operation's result.
 */
export interface OperationDefinition<R = unknown> {
  /** The name of the operation in error messages. */
  readonly name: string;
  /** The method of the client that starts the operation. */
  readonly clientMethod: string;
  /** The HTTP method that decides whether the operation may be retried. If undefined, there is no retry. */
  readonly retryMethod: string | undefined;
  /** Creates the plan. Throws an error with the code `limit` for a plan with more than `maxSteps` steps. */
  plan(scheme: Scheme, url: Url, options: PlanOptions, limits: ClientLimits): Plan;
  perform(
    scheme: Scheme,
    plan: Plan,
    context: AccessContext,
    options: PlanOptions,
  ): Promise<OperationResultInit<R & OperationResult>>;
}

export const dereferenceOperation: OperationDefinition<Resource> = {
  name: "dereference",
  clientMethod: "dereference",
  retryMethod: "GET",
  plan(scheme, url, options, limits) {
    const missing = findUnsupportedOption(scheme, options);
    if (missing !== undefined)
      throw new AccessError(
        "unsupported",
        `the scheme ${scheme.name} does not support the option ${missing}`,
        { advice: missing === "range" ? undefined : "use client.put() or client.delete()" },
      );
    return limitSteps(scheme.plan(url, options, limits), limits);
  },
  perform: (scheme, plan, context, options) => scheme.access(plan, context, options),
};

/** Returns the name of an option that changes the meaning of the request, but that the scheme would ignore. */
function findUnsupportedOption(
  { supportedOptions = [], requestOptions }: Scheme,
  options: PlanOptions & MethodOptions,
): string | undefined {
  if (options.range && !supportedOptions.includes("range")) return "range";
  // A scheme without an option table accepts every option.
  if (!requestOptions || Object.hasOwn(requestOptions, "method")) return undefined;
  if (isOtherMethod(options)) return "method";
  return hasBody(options) ? "body" : undefined;
}

/** The http options that change the meaning of a request: `method` and `body`. */
interface MethodOptions {
  readonly method?: string;
  readonly body?: unknown;
}

/** True for a request whose method is not GET. */
function isOtherMethod(options: object): boolean {
  const { method } = options as MethodOptions;
  return method !== undefined && method.toUpperCase() !== "GET";
}

/** True for a request with a body, even an empty body. */
function hasBody(options: object): boolean {
  const { body } = options as MethodOptions;
  return body !== undefined && body !== null;
}

const OPERATION_NAMES_IN_MESSAGES: Readonly<Record<OperationName, string>> = {
  stat: "stat",
  put: "put",
  delete: "delete",
  mkdir: "make directory",
  rename: "rename",
};

const METHODS: Readonly<Partial<Record<OperationName, string>>> = {
  stat: "HEAD",
  put: "PUT",
  delete: "DELETE",
};

/**
 * Creates the definition of an optional operation. The `plan` of the definition throws `unsupported` when the scheme
 * lacks the operation.
 */
export function createOperationDefinition<R extends OperationResult>(
  method: OperationName,
  operationOptions: object = {},
  isRepeatable: boolean = true,
): OperationDefinition<R> {
  type AnyOperation = SchemeOperationImplementation<Url, object, object, R>;
  const operationOf = (scheme: Scheme): AnyOperation => {
    const found = scheme.operations?.[method] as AnyOperation | undefined;
    if (found) return found;
    throw new AccessError(
      "unsupported",
      `the scheme ${scheme.name} does not support the operation ${method}`,
    );
  };
  return {
    name: OPERATION_NAMES_IN_MESSAGES[method],
    clientMethod: method,
    retryMethod: isRepeatable ? METHODS[method] : undefined,
    plan: (scheme, url, options, limits) =>
      limitSteps(operationOf(scheme).plan(url, { ...options, ...operationOptions }, limits), limits),
    perform: (scheme, plan, context, options) =>
      // `context.redirectTo` executes the same operation on the next hop.
      operationOf(scheme).perform(plan, context as unknown as AccessContext<R>, {
        ...options,
        ...operationOptions,
      }),
  };
}

/**
 * Creates the operation `put`, which writes a body to a URL. Each attempt reads the body from its start. The client
 * makes only one attempt with a body that can be read only once. Throws `TypeError` for a value that is no body.
 */
export function createPutOperationForBody(
  body: UploadBody,
  { size, ...putOptions }: PutOptions,
): OperationDefinition<PutResult> {
  const isRepeatable = putOptions.offset !== "end" && isRepeatableBody(body);
  const planOptions = { ...putOptions, size: toUploadSource(body, size).size };
  const operation = createOperationDefinition<PutResult>("put", planOptions, isRepeatable);
  return {
    ...operation,
    perform(scheme, plan, context, options) {
      const optionsWithUpload = { ...options, upload: toUploadSource(body, size) };
      return operation.perform(scheme, plan, context, optionsWithUpload);
    },
  };
}

/** Returns a plan, or throws `limit` if more than `maxSteps` of its steps have another action than `expect`. */
function limitSteps(plan: Plan, limits: ClientLimits): Plan {
  let stepCount = 0;
  for (const { action } of plan.steps) if (action !== "expect") stepCount++;
  if (stepCount > limits.maxSteps) throw createLimitError("maxSteps", limits, "the plan has too many steps");
  return plan;
}

/** The error codes after which a gateway with `when: "unavailable"` is used. */
const UNREACHABLE_SERVER_CODES: ReadonlySet<AccessErrorCode> = new Set(["unavailable", "timeout"]);

/** Plans and executes the requests of a client. */
export class OperationDispatcher {
  readonly #state: ClientState;

  constructor(state: ClientState) {
    this.#state = state;
  }

  plan(operation: OperationDefinition, url: Url, given: PlanOptions): Plan {
    const { registry, limits } = this.#state;
    return addErrorContext("plan", url, () => {
      const options = { ...given, cache: this.#selectCacheMode(given) };
      const gateway = this.#findGateway(operation, url);
      if (!gateway) return operation.plan(registry.requireScheme(url.scheme), url, options, limits);
      const { target, scheme, gatewayOptions } = this.#createGatewayRequest(gateway, url, options);
      const { steps } = operation.plan(scheme, target, gatewayOptions, limits);
      return createPlan(url, [createStep("redirect", "4", `to the gateway: ${String(target)}`), ...steps]);
    });
  }

  /**
   * Checks the options and executes a request. `methodOptions` are the options of one method of the client, such as
   * `put`.
   */
  async dispatch(
    operation: OperationDefinition,
    input: UrlInput,
    given?: DereferenceOptions,
    methodOptions?: OptionTable,
  ): Promise<OperationResult> {
    const { parseUrlArgument, defaults, limits, checkRequestOptions } = this.#state;
    if (given === undefined && defaults.length === 0)
      return this.execute(operation, parseUrlArgument(input), {});
    const own = given === undefined ? {} : given;
    checkArgument(operation.clientMethod, "options", own, nonArrayObjectOptionKind);
    const { maxUrlLength } = mergeLimits(own.limits, limits);
    const url = parseUrlArgument(input, { maxLength: maxUrlLength });
    checkRequestOptions(operation.clientMethod, own, url.scheme, methodOptions);
    return this.execute(operation, url, own);
  }

  /** Executes a request with options that have already been checked. */
  execute(operation: OperationDefinition, url: Url, given: DereferenceOptions): Promise<OperationResult> {
    const { activeRequests } = this.#state;
    const request = this.#createRequestContext(operation, url, given);
    return activeRequests.runRequest(() =>
      isPlainRequest(request.options) ? this.#executeHop(url, request) : this.#executeAttempts(request, url),
    );
  }

  #createRequestContext(operation: OperationDefinition, url: Url, given: DereferenceOptions): RequestContext {
    const state = this.#state;
    const { options: clientOptions } = state;
    const options = addRequestDefaults(state, url, given);
    const limits = mergeLimits(options.limits, state.limits);
    addErrorContext(operation.name, url, () => state.activeRequests.throwIfClosed());
    return {
      client: state,
      operation,
      options: {
        ...options,
        credentials: options.credentials ?? clientOptions.credentials,
        trace: options.trace ?? clientOptions.trace,
        email: options.email ?? clientOptions.email,
        cache: this.#selectCacheMode(options),
        proxy: options.proxy ?? clientOptions.proxy,
        retry: options.retry ?? clientOptions.retry,
        connectionAttemptDelayMs: options.connectionAttemptDelayMs ?? clientOptions.connectionAttemptDelayMs,
      },
      policy: options.policy ?? state.policy,
      limits,
      masker: new ServerTextMasker(),
      startedAtMs: performance.now(),
      credentialsOrigin: getCredentialsBaseUrl(state.defaults, given),
      followRedirect: this.#followRedirect,
    };
  }

  /**
   * Executes a request with hooks and retries. The module of the retries is loaded at its first use, because most
   * programs never need it.
   */
  async #executeAttempts(request: RequestContext, url: Url): Promise<OperationResult> {
    const { executeWithRetries } = await import("./requests/retry.ts");
    return executeWithRetries(request, url, (attempt) => this.#executeHop(url, attempt));
  }

  async #executeHop(url: Url, given: RequestContext, referrer?: PreviousHops): Promise<OperationResult> {
    const { registry, gateways } = this.#state;
    const request = given.callRequestHooks ? await given.callRequestHooks(given, url, referrer) : given;
    const { operation, options } = request;
    const gateway = this.#findGateway(operation, url);
    if (gateway) return this.#executeViaGateway(gateway, url, request, referrer);
    const scheme = addErrorContext(operation.name, url, () => registry.requireScheme(url.scheme));
    try {
      return await new Hop(request, scheme, url, referrer).execute();
    } catch (error) {
      const fallback = operation === dereferenceOperation ? gateways.get(url.scheme) : undefined;
      const isUnreachable = error instanceof AccessError && UNREACHABLE_SERVER_CODES.has(error.code);
      if (fallback?.when !== "unavailable" || !isUnreachable || options.signal?.aborted) throw error;
      if (isOtherMethod(options) || hasBody(options)) throw error;
      return this.#executeViaGateway(fallback, url, request, referrer);
    }
  }

  readonly #followRedirect: RequestContext["followRedirect"] = (given, from, reason, changes = {}) => {
    const { registry, parseUrlArgument } = this.#state;
    const target = parseUrlArgument(given);
    checkRedirect(target, from, changes);
    // A request option that was removed for one hop stays removed on all later hops.
    const { request } = from;
    const { crossOriginOptions } = registry.findScheme(target.scheme) ?? {};
    const kept = sameOrigin(from.url, target)
      ? request.options
      : removeOptionsForOtherOrigin(request.options, crossOriginOptions);
    const options = changes.options ? { ...kept, ...changes.options } : kept;
    const redirectChain = [...from.redirectChain, { fromUrl: from.url, reason }];
    const loopCheckStartIndex = changes.isNewRequest ? redirectChain.length : from.loopCheckStartIndex;
    return this.#executeHop(
      target,
      { ...request, options },
      { previousHop: from, redirectChain, loopCheckStartIndex, originStartIndex: from.originStartIndex },
    );
  };

  /** Returns the gateway that is used without first trying the URL's own server. Only `dereference` uses gateways. */
  #findGateway(operation: OperationDefinition, url: Url): UpstreamGatewayUrlBuilder | undefined {
    const { gateways, registry } = this.#state;
    const gateway = operation === dereferenceOperation ? gateways.get(url.scheme) : undefined;
    if (!gateway || gateway.when === "always") return gateway;
    return registry.findScheme(url.scheme) ? undefined : gateway;
  }

  // The caller has chosen the gateway, so the caller's policy applies to it.
  #executeViaGateway(
    gateway: UpstreamGatewayUrlBuilder,
    url: Url,
    request: RequestContext,
    referrer?: PreviousHops,
  ): Promise<OperationResult> {
    const { target, scheme, gatewayOptions } = addErrorContext(request.operation.name, url, () =>
      this.#createGatewayRequest(gateway, url, request.options),
    );
    const credentials =
      request.options.credentials === provideNoCredentials ? provideNoCredentials : undefined;
    const options = { ...gatewayOptions, credentials };
    const redirectChain = [...(referrer?.redirectChain ?? []), { fromUrl: url, reason: "gateway" }];
    return new Hop({ ...request, options, callRequestHooks: undefined }, scheme, target, {
      previousHop: undefined,
      redirectChain,
      originStartIndex: redirectChain.length,
    }).execute();
  }

  /**
   * Returns the URL of the request to the gateway, its scheme and its options. The gateway receives neither options of
   * the URL's scheme, such as headers, nor the headers of hooks, which are meant for the server of the URL. Throws
   * `unsupported` for a request that a gateway cannot perform.
   */
  #createGatewayRequest(
    gateway: UpstreamGatewayUrlBuilder,
    url: Url,
    options: DereferenceOptions,
  ): { readonly target: Url; readonly scheme: Scheme; readonly gatewayOptions: DereferenceOptions } {
    const { registry, options: clientOptions } = this.#state;
    rejectMethodForGateway(options);
    const { effectiveHost = "" } = url as Partial<InternetUrl>;
    rejectZoneBehindProxyOrGateway(clientOptions.linkLocalZone, [effectiveHost], "gateway");
    const target = gateway.toGatewayUrl(url);
    const scheme = registry.requireScheme(target.scheme);
    return { target, scheme, gatewayOptions: removeOptionsForOtherOrigin(options) };
  }

  /** Returns the cache mode of a request. `undefined` means the default mode of a client without a cache. */
  #selectCacheMode({ cache }: PlanOptions): PlanOptions["cache"] {
    if (this.#state.options.cache) return cache ?? "default";
    return cache === "default" ? undefined : cache;
  }
}

function isPlainRequest({ retry = false, onRequest, onResponse }: DereferenceOptions): boolean {
  return retry === false && onRequest === undefined && onResponse === undefined;
}

/** Throws `unsupported` for a request that a gateway would turn into a GET. */
function rejectMethodForGateway(options: DereferenceOptions & MethodOptions): void {
  if (!isOtherMethod(options) && !hasBody(options)) return;
  const what = isOtherMethod(options) ? `the method ${options.method}` : "a body";
  throw new AccessError("unsupported", `a gateway cannot perform a request with ${what}`);
}

/** Runs a synchronous function, and adds operation and URL to the errors that it throws. */
function addErrorContext<T>(name: string, url: Url, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof AccessError ? error.withContext({ operationName: name, url: String(url) }) : error;
  }
}
