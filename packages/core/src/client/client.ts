import { AccessError } from "../errors/access-error.ts";
import { checkArgument, checkOptions } from "../options/check-options.ts";
import { nonArrayObjectOptionKind, stringOptionKind } from "../options/option-kinds.ts";
import { mergeDefaultLimitsOfSchemes, createLimitsOptionKind, mergeLimits } from "../policy/limits.ts";
import { publicInternet } from "../policy/policy.ts";
import type { FetchInit, FetchInput } from "./fetch/fetch-init.ts";
import { fetchWithClient } from "./fetch/fetch.ts";
import type { OperationResult, PutOptions, UploadBody } from "../scheme/operation.ts";
import { isSamePlan, type Plan, type PlanOptions, planUsesNetwork } from "../scheme/plan.ts";
import type { Resource } from "../scheme/resource.ts";
import type { Scheme } from "../scheme/scheme.ts";
import { trimWhiteSpace } from "../syntax/characters/characters.ts";
import {
  type EqualityLevel,
  type UrlFormatOptions,
  type UrlParseOptions,
  type ParseResult,
  type Url,
  UrlSyntaxError,
} from "../syntax/index.ts";
import type { UrlInput } from "./types-inferred-from-url.ts";
import { resolveReference } from "../syntax/reference.ts";
import { PARSE_OPTION_KINDS } from "../syntax/syntax.ts";
import type { Client, ClientPlanOptions } from "./client-interface.ts";
import { ConnectionLimiter, SchemeStateStore } from "./connection-limiter.ts";
import { createUpstreamGatewayUrlBuilders } from "./scheme-gateways.ts";
import {
  type ClientState,
  OperationDispatcher,
  createOperationDefinition,
  createPutOperationForBody,
  dereferenceOperation,
} from "./operation-dispatcher.ts";
import {
  CLIENT_OPTION_KINDS,
  type ClientOptions,
  createRequestOptionChecker,
  type DereferenceOptions,
  findUnknownClientOptionAdvice,
  CLIENT_PLAN_OPTION_KINDS,
  PUT_OPTION_KINDS,
  URL_EQUALITY_LEVEL_OPTION_KIND,
} from "./options.ts";
import { createUrlInputParser, createRegistry } from "./registry.ts";
import { ActiveClientRequests } from "./request-lifetime.ts";
import {
  addRequestDefaults,
  createClientStateWithRequestDefaults,
  type ExtendOptions,
} from "./requests/extend-client.ts";
import { createClientReadMethods, type ClientReadMethods } from "./requests/client-read-methods.ts";

/** Creates a client. Throws `TypeError` for an invalid option. */
export function createClient<const S extends Scheme>(options: ClientOptions<S>): Client<S> {
  checkOptions("createClient", options, CLIENT_OPTION_KINDS, {
    advice: findUnknownClientOptionAdvice,
    required: ["schemes"],
  });
  const registry = createRegistry(options.schemes);
  const defaults = mergeDefaultLimitsOfSchemes(options.schemes);
  checkOptions("createClient", { limits: options.limits }, { limits: createLimitsOptionKind(defaults) });
  const limits = mergeLimits(options.limits, defaults);
  const checkRequestOptions = createRequestOptionChecker(options.schemes, limits);
  const activeRequests = new ActiveClientRequests();
  const schemeStates = new SchemeStateStore();
  const connectionLimiter = new ConnectionLimiter();

  function tryParse(text: string, parseOptions?: UrlParseOptions): ParseResult {
    checkArgument("parse", "text", text, stringOptionKind);
    if (parseOptions !== undefined) checkOptions("parse", parseOptions, PARSE_OPTION_KINDS);
    const { mode, maxLength } = parseOptions ?? {};
    // The generic syntax reports the fault of a text without a scheme.
    const syntax = registry.getSyntax(trimWhiteSpace(text.slice(0, text.indexOf(":"))));
    return syntax.tryParse(text, { mode: mode ?? options.mode, maxLength: maxLength ?? limits.maxUrlLength });
  }

  function parse(text: string, parseOptions?: UrlParseOptions): Url {
    const result = tryParse(text, parseOptions);
    if (result.fault) throw new UrlSyntaxError(result.fault);
    return result.url;
  }

  const readUrl = createUrlInputParser(registry, parse);

  const state: ClientState = {
    registry,
    gateways: createUpstreamGatewayUrlBuilders(options.gateways ?? {}, registry),
    policy: options.policy ?? publicInternet(),
    limits,
    options,
    activeRequests,
    schemeStates,
    connectionLimiter,
    parse,
    parseUrlArgument: readUrl,
    checkRequestOptions,
    defaults: [],
  };
  const requestMethods = createRequestMethods(state);
  const { plan } = requestMethods;

  const normalize = (url: Url): string => registry.getSyntax(url.scheme).normalize(url);

  const areEqual: Readonly<Record<EqualityLevel, (one: Url, other: Url) => boolean>> = {
    identical: (one, other) => one.href === other.href,
    equivalent: (one, other) => normalize(one) === normalize(other),
    "same-plan": (one, other) => {
      const [first, second] = [plan(one), plan(other)];
      if (planUsesNetwork(first) || planUsesNetwork(second)) return isSamePlan(first, second);
      return areEqual.equivalent(one, other);
    },
  };

  function equal(one: UrlInput, other: UrlInput, level: EqualityLevel = "equivalent"): boolean {
    checkArgument("equal", "level", level, URL_EQUALITY_LEVEL_OPTION_KIND);
    return areEqual[level](readUrl(one), readUrl(other));
  }

  function format(input: Url, formatOptions?: UrlFormatOptions): string {
    const syntaxOfCheckedUrl = registry.findSyntaxOfCheckedUrl(input);
    if (syntaxOfCheckedUrl) return syntaxOfCheckedUrl.format(input, formatOptions);
    const url = readUrl(input);
    return registry.getSyntax(url.scheme).format(url, formatOptions);
  }

  function resolve(input: Url, reference: string): Url {
    const base = readUrl(input);
    checkArgument("resolve", "reference", reference, stringOptionKind);
    return parse(resolveReference(base, registry.getUrlHierarchy(base), reference));
  }

  async function close(): Promise<void> {
    await activeRequests.drain();
    schemeStates.close();
  }

  function destroy(cause?: unknown): Promise<void> {
    schemeStates.close();
    return abortRequests(activeRequests, cause);
  }

  const commonMethods = { schemes: registry.names, parse, tryParse, format, resolve, equal };

  /** Creates a client that shares the connections of `base`. */
  function extend(base: ClientState, extendOptions: ExtendOptions): Record<keyof Client, unknown> {
    const extended = createClientStateWithRequestDefaults(base, extendOptions);
    return {
      ...commonMethods,
      ...createRequestMethods(extended),
      extend: (further: ExtendOptions) => extend(extended, further),
      close: () => extended.activeRequests.drain(),
      destroy: (cause?: unknown) => abortRequests(extended.activeRequests, cause),
      [Symbol.asyncDispose]: () => abortRequests(extended.activeRequests),
    };
  }

  const client: Record<keyof Client, unknown> = {
    ...commonMethods,
    ...requestMethods,
    extend: (extendOptions: ExtendOptions) => extend(state, extendOptions),
    close,
    destroy,
    [Symbol.asyncDispose]: () => destroy(),
  };
  // The result types depend on literal arguments. TypeScript cannot infer these generic method types from an
  // implementation.
  return client as unknown as Client<S>;
}

function abortRequests(activeRequests: ActiveClientRequests, cause?: unknown): Promise<void> {
  activeRequests.abortAll(() => new AccessError("aborted", "the client was destroyed", { cause }));
  return Promise.resolve();
}

/** The methods of a client that plan and execute requests. */
interface RequestMethods
  extends
    ClientReadMethods,
    Record<"dereference" | "stat" | "fetch" | "put" | "delete" | "mkdir" | "rename", unknown> {
  readonly plan: (input: UrlInput, planOptions?: PlanOptions & ClientPlanOptions) => Plan;
}

function createRequestMethods(state: ClientState): RequestMethods {
  const { parseUrlArgument, checkRequestOptions, options: clientOptions } = state;
  const dispatcher = new OperationDispatcher(state);
  const dereference = dispatcher.dispatch.bind(dispatcher, dereferenceOperation);

  async function put(
    input: UrlInput,
    body: UploadBody,
    putOptions: DereferenceOptions & PutOptions = {},
  ): Promise<OperationResult> {
    checkArgument("put", "options", putOptions, nonArrayObjectOptionKind);
    const { atomic, offset, mediaType, size, ...requestOptions } = putOptions;
    checkOptions("put", { atomic, offset, mediaType, size }, PUT_OPTION_KINDS);
    const operation = createPutOperationForBody(body, { atomic, offset, mediaType, size });
    return dispatcher.dispatch(operation, input, requestOptions, PUT_OPTION_KINDS);
  }

  async function rename(
    input: UrlInput,
    to: UrlInput,
    requestOptions?: DereferenceOptions,
  ): Promise<OperationResult> {
    return dispatcher.dispatch(
      createOperationDefinition("rename", { to: parseUrlArgument(to) }),
      input,
      requestOptions,
    );
  }

  function plan(input: UrlInput, planOptions: PlanOptions & ClientPlanOptions = {}): Plan {
    checkArgument("plan", "options", planOptions, nonArrayObjectOptionKind);
    const { operation: name, to, ...schemeOptions } = planOptions;
    const url = parseUrlArgument(input);
    checkRequestOptions("plan", planOptions, url.scheme, CLIENT_PLAN_OPTION_KINDS);
    const asked = addRequestDefaults(state, url, schemeOptions as PlanOptions);
    const operation = name
      ? createOperationDefinition(name, to === undefined ? {} : { to: parseUrlArgument(to) })
      : dereferenceOperation;
    return dispatcher.plan(operation, url, {
      ...asked,
      email: asked.email ?? clientOptions.email,
    });
  }

  return {
    plan,
    dereference,
    ...createClientReadMethods(dereference as () => Promise<Resource>, findDefaultRetry(state)),
    stat: dispatcher.dispatch.bind(dispatcher, createOperationDefinition("stat")),
    fetch: (input: FetchInput, init?: FetchInit) => fetchWithClient(state, dispatcher, input, init),
    put,
    delete: dispatcher.dispatch.bind(dispatcher, createOperationDefinition("delete")),
    mkdir: dispatcher.dispatch.bind(dispatcher, createOperationDefinition("mkdir")),
    rename,
  };
}

/** Returns the option `retry` of the last extension that sets it, or else of the client. */
function findDefaultRetry({ defaults, options }: ClientState): DereferenceOptions["retry"] {
  return defaults.findLast(({ options: { retry } }) => retry !== undefined)?.options.retry ?? options.retry;
}
