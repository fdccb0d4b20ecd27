import type { CacheStore } from "../cache/cache-store.ts";
import { AccessError, type ErrorContext, toAccessError } from "../errors/access-error.ts";
import { raceAbort } from "../io/abort.ts";
import type { Socket } from "../network/guard-context.ts";
import { type ParsedProxyServerSettings, selectProxy } from "../network/proxy/proxy-settings.ts";
import type { ClientLimits } from "../policy/limits.ts";
import { isLinkLocalIpv6Address, parseIpAddress } from "../policy/ip-address.ts";
import type { Policy } from "../policy/policy.ts";
import {
  getNetworkKindOfAddresses,
  type NetworkKind,
  type PolicySelectionInput,
  selectRequestOrRedirectPolicy,
  publicIfAnyServerIsPublic,
} from "../policy/select-request-or-redirect-policy.ts";
import type { RedirectChanges, TraceEventInit } from "../scheme/context.ts";
import type { OperationResult } from "../scheme/operation.ts";
import type { Endpoint, Step } from "../scheme/plan.ts";
import type { RedirectChainEntry, Resource } from "../scheme/resource.ts";
import { setBodyDeadline } from "../resources/resource-context.ts";
import type { Scheme } from "../scheme/scheme.ts";
import { type InternetUrl, PASSWORD_MASK, type Url } from "../syntax/index.ts";
import { getFirstInvalidHeaderCharacter } from "../text/http-syntax.ts";
import type { ConnectionReuseConditions } from "./connection-limiter.ts";
import type { ClientState, OperationDefinition } from "./operation-dispatcher.ts";
import { HopLifetime } from "./request-lifetime.ts";
import { createAccessContext, createRequestCacheForHop } from "./access-context.ts";
import {
  type FreeConnectionWaitDetails,
  describeConnectionsInUse,
  createNoFreeConnectionError,
} from "./open-connection.ts";
import type { DereferenceOptions } from "./options.ts";
import { hasLeftOrigin, sameOrigin } from "./redirect-rules.ts";
import { emitTrace, hasTraceListeners, type ServerTextMasker } from "./trace.ts";

/** The state that all hops of one request share. */
export interface RequestContext {
  readonly client: ClientState;
  readonly operation: OperationDefinition;
  readonly options: DereferenceOptions;
  readonly policy: Policy;
  readonly limits: ClientLimits;
  readonly masker: ServerTextMasker;
  readonly startedAtMs: number;
  /**
   * A URL of the origin that receives the answers of `credentials` without `crossOrigin: true`. If undefined, the
   * origin of the first URL of the request receives the answers of `credentials`.
   */
  readonly credentialsOrigin: Url | undefined;
  /** Calls `onRequest` before a hop, and resolves to the request with its headers. `undefined`: no hooks. */
  readonly callRequestHooks?:
    | ((request: RequestContext, url: Url, referrer: PreviousHops | undefined) => Promise<RequestContext>)
    | undefined;
  /** Executes the operation of the request on the target of a redirect. */
  followRedirect(url: Url, from: Hop, reason: string, changes?: RedirectChanges): Promise<OperationResult>;
}

/** The previous hop and the redirects of a request that led to the current hop. */
export interface PreviousHops {
  /**
   * The hop whose server redirected to the URL. There is no previous hop for the URL of a gateway, because the caller
   * has chosen the gateway.
   */
  readonly previousHop: Hop | undefined;
  /** The URLs that have redirected so far, in order. */
  readonly redirectChain: readonly RedirectChainEntry[];
  /**
   * The index in `redirectChain` from which the check for redirect loops compares URLs. Earlier URLs were requested
   * with another method or input, such as a POST before a GET. Default 0.
   */
  readonly loopCheckStartIndex?: number | undefined;
  /**
   * The index in `redirectChain` from which changes of the origin count. After the change to a gateway, the chain
   * starts again with the gateway's URL, because the caller has chosen the gateway. Default 0.
   */
  readonly originStartIndex?: number | undefined;
}

const IGNORED_CREDENTIALS_ADVICE =
  "the login of the callback `credentials` was not sent to another origin: return crossOrigin: true with the login of this server";

/** The execution of one URL within a request, with its plan and its lifetime. */
export class Hop {
  readonly request: RequestContext;
  readonly scheme: Scheme;
  readonly url: Url;
  readonly redirectChain: readonly RedirectChainEntry[];
  readonly loopCheckStartIndex: number;
  readonly originStartIndex: number;
  readonly lifetime: HopLifetime;
  /**
   * The side that named the URL: the caller or a server. This side and the address of the peer determine the policy of
   * a connection.
   */
  readonly policySelectionInput: PolicySelectionInput;
  /** The proxy of the next connection, once the plan is made. */
  proxy: ParsedProxyServerSettings | undefined;
  #proxyTarget: Endpoint | undefined;
  /** The step of the plan that is being executed. */
  step: Step | undefined;
  freeConnectionWait: FreeConnectionWaitDetails | undefined;
  /** True when the callback `credentials` returned a login that may not be sent to another origin. */
  hasIgnoredCredentials = false;
  /** The URL of the hop for error messages, with secrets masked. */
  readonly #shownUrl: string;
  /** True when the URL comes from a server that has received a secret. The path of the URL may repeat the secret. */
  readonly #mayHoldSecret: boolean;
  /** The kind of network (public or private) of the servers that this hop has connected to. */
  #serverNetworkKind: NetworkKind | undefined;
  #serverAddresses: readonly string[] | undefined;

  constructor(
    request: RequestContext,
    scheme: Scheme,
    url: Url,
    { previousHop, redirectChain, loopCheckStartIndex = 0, originStartIndex = 0 }: PreviousHops = {
      previousHop: undefined,
      redirectChain: [],
    },
  ) {
    this.request = request;
    this.scheme = scheme;
    this.url = url;
    this.redirectChain = redirectChain;
    this.loopCheckStartIndex = loopCheckStartIndex;
    this.originStartIndex = originStartIndex;
    this.policySelectionInput = previousHop
      ? previousHop.redirectPolicySelectionInput
      : { requestPolicy: request.policy, targetNamedBy: "caller" };
    const { client, options, masker } = request;
    const { signal } = options;
    this.lifetime = new HopLifetime(
      client.activeRequests,
      signal && {
        signal,
        createAbortReason: () => createAccessErrorForAbort(signal, this.freeConnectionWait),
      },
    );
    this.#mayHoldSecret = previousHop !== undefined && masker.isMasking;
    this.#shownUrl = formatUrlForMessages(url, this.#mayHoldSecret);
    // A URL contains a secret when its text with masked secrets differs from its text.
    if (String(url) !== url.href) masker.startMasking();
  }

  /**
   * Plans and executes the operation of the request on the URL of the hop. Throws `AccessError` with operation, URL and
   * step.
   */
  async execute(): Promise<OperationResult> {
    const { operation, options, limits } = this.request;
    this.lifetime.setRequestDeadline(
      this.request,
      () => this.freeConnectionWait && createNoFreeConnectionError(this.freeConnectionWait),
    );
    try {
      this.#checkAlternativeHosts();
      const plan = operation.plan(this.scheme, this.url, options, limits);
      this.#checkOnlyIfCached();
      this.lifetime.signal.throwIfAborted();
      this.#selectProxy(plan.steps.find(({ target }) => target)?.target);
      const digest = this.isTraced ? (await import("node:crypto")).createHash("sha256") : undefined;
      const store = this.#cacheStore;
      const cache = store && (await createRequestCacheForHop(this, store, plan));
      const context = createAccessContext(this, plan, digest, cache);
      const performed = operation.perform(this.scheme, plan, context, options);
      const outcome = await raceAbort(performed, this.lifetime.signal);
      const isFinal = !("url" in outcome);
      const result: OperationResult = isFinal
        ? { ...outcome, url: this.url, redirectChain: this.redirectChain, plan }
        : outcome;
      if (result.url === this.url) checkMediaType(result as { mediaType?: unknown }, this.scheme.name);
      if (result.url !== this.url || !isOpenResource(result)) this.lifetime.end();
      else this.#limitReadingTime(result);
      // An unread resource must not prevent the process from exiting.
      this.lifetime.unref();
      return result;
    } catch (error) {
      const failure = this.wrapError(operation.name, error);
      // The abort frees the source of a content resource that the access method has already created.
      this.lifetime.abortSignal(failure);
      this.lifetime.end();
      throw failure;
    }
  }

  /**
   * Applies the limit `bodyTimeoutMs` to the reading of the body or listing. A service, such as a Telnet session, has
   * no deadline.
   */
  #limitReadingTime({ kind }: Resource): void {
    const { limits } = this.request;
    if (kind === "service") this.lifetime.clearDeadline();
    else setBodyDeadline({ lifetime: this.lifetime, limits }, kind === "content" ? "body" : "listing");
  }

  /** Begins a step of the plan. A plan may connect to several servers, and each server may have another proxy. */
  beginStep(step: Step): void {
    this.step = step;
    const { action, target } = step;
    if (action !== "connect" || !target) return;
    if (target.host !== this.#proxyTarget?.host || target.port !== this.#proxyTarget.port)
      this.#selectProxy(target);
  }

  #selectProxy(target: Endpoint | undefined): void {
    const { options, masker } = this.request;
    this.#proxyTarget = target;
    this.proxy = selectProxy(options.proxy, this.url, target);
    // A proxy may repeat its login within the response of a server.
    if (this.proxy?.login) masker.startMasking();
  }

  /** Adds operation, URL and step to an error. When the hop was aborted, the reason of the abort replaces the error. */
  wrapError(operation: string, error: unknown): AccessError {
    const { signal } = this.lifetime;
    const reason: unknown = signal.aborted ? signal.reason : error;
    return toAccessError(reason).withContext(this.createErrorContext(operation), this.stepForMessages);
  }

  createErrorContext(operationName: string): ErrorContext {
    const { masker } = this.request;
    return {
      operationName,
      url: this.#shownUrl,
      mask: masker.isMasking ? masker.mask : undefined,
      loginAdvice: this.hasIgnoredCredentials ? IGNORED_CREDENTIALS_ADVICE : undefined,
    };
  }

  // The mode `rfc1738` allows "?" in a user name. Parsers of RFC 3986 and of the WHATWG end the authority at the "?"
  // and find another host.
  #checkAlternativeHosts(): void {
    if (selectRequestOrRedirectPolicy(this.policySelectionInput, undefined).addressScope !== "public") return;
    const other = this.url.parserDifferences.find(
      ({ host, port }) => host !== undefined || port !== undefined,
    );
    if (other)
      throw new AccessError(
        "refused-name",
        `a parser that follows ${other.parser} finds another host in this URL`,
      );
  }

  /**
   * The cache store of the client, or `undefined` for a link-local server with a zone. A stored response of a
   * link-local server could belong to a server in another zone.
   */
  get #cacheStore(): CacheStore | undefined {
    const { cache, linkLocalZone } = this.request.client.options;
    const { effectiveHost = "" } = this.url as Partial<InternetUrl>;
    return linkLocalZone !== undefined && isLinkLocalIpv6Address(effectiveHost) ? undefined : cache;
  }

  // The access method of a scheme that supports caches decides itself about its stored responses.
  #checkOnlyIfCached(): void {
    const { options, client, operation } = this.request;
    if (options.cache !== "only-if-cached") return;
    let reason: string | undefined;
    if (!client.options.cache) reason = "the client has no cache";
    else if (!this.#cacheStore) reason = "the client does not cache link-local addresses with a zone";
    else if (this.scheme.supportedOptions?.includes("cache") !== true)
      reason = `the scheme ${this.scheme.name} does not use the cache`;
    else if (operation.name !== "dereference" && operation.name !== "stat")
      reason = `the operation ${operation.name} does not use the cache`;
    if (reason === undefined) return;
    throw new AccessError("unavailable", `the request allows only stored responses, and ${reason}`);
  }

  /** True for a server that must not receive credentials without the consent of the caller. */
  get isCrossOrigin(): boolean {
    const { url, originStartIndex } = this;
    const { credentialsOrigin } = this.request;
    const redirectChain = this.redirectChain.slice(originStartIndex);
    const [first = { fromUrl: url }] = redirectChain;
    const isOutside =
      credentialsOrigin && originStartIndex === 0 && !sameOrigin(credentialsOrigin, first.fromUrl);
    return isOutside === true || hasLeftOrigin(redirectChain, url);
  }

  /** The conditions under which the hop reuses connections. */
  get reuseConditions(): ConnectionReuseConditions {
    return {
      proxy: this.proxy,
      policyForPrivatePeer: selectRequestOrRedirectPolicy(this.policySelectionInput, "private"),
      policyForPublicPeer: selectRequestOrRedirectPolicy(this.policySelectionInput, "public"),
    };
  }

  /** The input of the policy selection for a URL or an address that a server of this hop has named. */
  get redirectPolicySelectionInput(): PolicySelectionInput {
    return {
      requestPolicy: this.request.policy,
      targetNamedBy: "server",
      referringServerNetwork: this.#serverNetworkKind,
    };
  }

  /**
   * The addresses of the last connected server. The addresses are `undefined` for a host name that a proxy has
   * resolved.
   */
  get serverAddresses(): readonly string[] | undefined {
    return this.#serverAddresses;
  }

  /** Records the addresses of a connected server. The addresses determine the policy of redirects from this hop. */
  recordServerAddresses(addresses: readonly string[]): void {
    const areKnown =
      addresses.length > 0 && addresses.every((address) => parseIpAddress(address) !== undefined);
    this.#serverAddresses = areKnown ? addresses : undefined;
    this.#serverNetworkKind = publicIfAnyServerIsPublic(
      this.#serverNetworkKind,
      getNetworkKindOfAddresses(addresses),
    );
  }

  /** Detaches a connection from this hop, so that the connection stays open when the hop ends. */
  detachSocket(socket: Socket): void {
    this.lifetime.detachSocket(socket);
    this.request.client.schemeStates.addIdleSocket(socket, this.request.masker.isMasking);
  }

  get isTraced(): boolean {
    return hasTraceListeners(this.request.options.trace);
  }

  trace(event: TraceEventInit): void {
    if (!this.isTraced) return;
    const { options, masker, startedAtMs } = this.request;
    emitTrace(options.trace, {
      action: event.action,
      text: this.#isFromServer(event) ? masker.mask(event.text) : event.text,
      atMs: performance.now() - startedAtMs,
      url: this.#shownUrl,
      step: this.stepForMessages,
    });
  }

  /**
   * The step of the plan that errors and trace events show. The step is `undefined` when the description of the step
   * may repeat a secret.
   */
  get stepForMessages(): Step | undefined {
    return this.#mayHoldSecret ? undefined : this.step;
  }

  #isFromServer({ action }: TraceEventInit): boolean {
    return action === "receive" || action === "redirect" || (action === "send" && this.#mayHoldSecret);
  }
}

/**
 * Creates the error of a request whose signal has aborted: the code is `timeout` if the signal is a timeout signal, and
 * `aborted` otherwise.
 */
export function createAccessErrorForAbort(
  { reason: cause }: AbortSignal,
  awaited: FreeConnectionWaitDetails | undefined,
): AccessError {
  const isTimeout = cause instanceof DOMException && cause.name === "TimeoutError";
  const what = isTimeout
    ? "the timeout of the caller's signal has elapsed"
    : "the caller aborted the request";
  const reason = awaited ? `${what} while ${describeConnectionsInUse(awaited)}` : what;
  return new AccessError(isTimeout ? "timeout" : "aborted", reason, { cause });
}

/** True for a resource that the caller has to read or close. */
function isOpenResource(result: OperationResult): result is Resource {
  return (
    "kind" in result &&
    (result.kind === "content" || result.kind === "directory" || result.kind === "service") &&
    "close" in result
  );
}

/**
 * Returns a URL with a masked password. Masks every part except scheme, host and port when the URL may hold a secret.
 */
export function formatUrlForMessages(url: Url, mayHoldSecret: boolean): string {
  if (!mayHoldSecret) return String(url);
  const { host, port } = url as Partial<InternetUrl>;
  if (host === undefined) return `${url.scheme}:${PASSWORD_MASK}`;
  return `${url.scheme}://${host}${port === undefined ? "" : `:${port}`}/${PASSWORD_MASK}`;
}

/** Throws an error with the code `plugin` for a media type that is not a valid header value. */
function checkMediaType({ mediaType }: { readonly mediaType?: unknown }, scheme: string): void {
  if (mediaType === undefined) return;
  if (typeof mediaType === "string" && getFirstInvalidHeaderCharacter(mediaType) === undefined) return;
  throw new AccessError(
    "plugin",
    `the scheme ${scheme} returned a media type that is not a valid header value`,
  );
}
