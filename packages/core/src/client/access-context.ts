import type { Hash } from "node:crypto";
import type { CacheStore } from "../cache/cache-store.ts";
import type { RequestCache } from "../cache/request-cache.ts";
import { AccessError } from "../errors/access-error.ts";
import { callAsyncUserCallback } from "../errors/call-user-callback.ts";
import { getGuardedSocketInfo } from "../network/connect.ts";
import { describeValue } from "../options/check-options.ts";
import { checkTargetHostName } from "../policy/check-target.ts";
import { Content } from "../resources/content.ts";
import { createBodilessResource } from "../resources/bodiless-resource.ts";
import { Directory } from "../resources/directory.ts";
import type { ResourceContext } from "../resources/resource-context.ts";
import type { AccessContext, CookieJar, CredentialRequest } from "../scheme/context.ts";
import type { Endpoint, Plan } from "../scheme/plan.ts";
import type { Resource } from "../scheme/resource.ts";
import type { InternetUrl } from "../syntax/index.ts";
import type { Hop } from "./request-hop.ts";
import {
  checkServerOfStoredResponse,
  ConnectionOpener,
  createHopConnectionContext,
} from "./open-connection.ts";
import { provideNoCredentials } from "./redirect-rules.ts";

/** Creates the cache that a hop uses. The modules of the cache are loaded only for a client with a cache. */
export async function createRequestCacheForHop(
  hop: Hop,
  store: CacheStore,
  plan: Plan,
): Promise<RequestCache> {
  const { createRequestCacheOnStore } = await import("../cache/request-cache.ts");
  return createRequestCacheOnStore(store, {
    mode: hop.request.options.cache ?? "default",
    getServerAddresses: () => hop.serverAddresses,
    async checkServerOfStoredResponse(addresses) {
      // A plan without a target, as for local files, connects to no server.
      if (plan.steps.some(({ target }) => target)) await checkServerOfStoredResponse(hop, addresses);
    },
    trace: (text) => hop.trace({ action: "cache", text }),
  });
}

/** Creates the context that the access method of a hop receives. `digest` hashes the body for the trace. */
export function createAccessContext(
  hop: Hop,
  plan: Plan,
  digest: Hash | undefined,
  cache: RequestCache | undefined,
): AccessContext {
  const { request, lifetime, redirectChain } = hop;
  const { client, limits, options, masker } = request;
  const jar = options.cookies ?? client.options.cookies;
  const opener = new ConnectionOpener(hop);
  const resourceContext: ResourceContext = {
    startedAtMs: request.startedAtMs,
    url: hop.url,
    redirectChain,
    plan,
    lifetime,
    limits,
    onProgress: options.onProgress,
    createErrorContext: (operationName) => hop.createErrorContext(operationName),
    traceBodyHash: digest,
    onBodyEnd: (bytes, hex) =>
      hop.trace({ action: "transfer", text: `${bytes} bytes${hex ? `, SHA-256 ${hex}` : ""}` }),
  };
  return {
    signal: lifetime.signal,
    limits,
    redirectChain,
    // A getter, because most access methods do not read `isCrossOrigin`.
    get isCrossOrigin() {
      return hop.isCrossOrigin;
    },
    cookies: jar && options.credentials !== provideNoCredentials ? createCheckedJar(jar, hop) : undefined,
    hasOwnCookies: options.cookies !== undefined,
    cache,
    connect: (target) => opener.connect(target),
    acquireConnection: (target, source) => opener.acquireConnection(target, source),
    reportServerFull: (target) => opener.reportServerFull(target),
    async openDatagramSocket(target, datagramOptions) {
      const { openDatagramSocket } = await import("../network/udp.ts");
      const redirectOrigin = datagramOptions?.targetSentByServer
        ? hop.redirectPolicySelectionInput
        : undefined;
      return openDatagramSocket(createHopConnectionContext(hop, redirectOrigin), target);
    },
    async startTls(carrier, host, tlsOptions) {
      const { startTls } = await import("../network/start-tls.ts");
      const socket = await startTls(createHopConnectionContext(hop), carrier, host, tlsOptions);
      client.connectionLimiter.addTlsConnection(socket, carrier);
      return socket;
    },
    async requestCredentials(asked) {
      if (!options.credentials) return undefined;
      const { isCrossOrigin } = hop;
      const answer = await callAsyncUserCallback("credentials", options.credentials, {
        ...asked,
        ...findCredentialServer(hop, plan, asked),
        isCrossOrigin,
      });
      if (!answer) return undefined;
      checkCredentials(answer);
      if (isCrossOrigin && answer.crossOrigin !== true) {
        hop.hasIgnoredCredentials = true;
        return undefined;
      }
      masker.startMasking();
      return answer;
    },
    parse: (text) => client.parse(text),
    reportSecretSent: () => masker.startMasking(),
    redirectTo(url, reason = "redirect", changes) {
      // The next hop may need the connection permits of this hop.
      lifetime.destroySockets();
      return request.followRedirect(url, hop, reason, changes) as Promise<Resource>;
    },
    getSharedState: (make) =>
      client.schemeStates.getOrCreateSchemeState(hop.scheme, hop.reuseConditions, make),
    detachSocket(socket, close = () => void socket.destroy()) {
      hop.detachSocket(socket);
      client.connectionLimiter.markIdle(socket, close);
    },
    attachSocket(socket) {
      client.connectionLimiter.markActive(socket);
      if (client.schemeStates.markSocketActive(socket)) masker.startMasking();
      lifetime.attachSocket(socket);
      // The field `host` is the address of the server, or the host name that a proxy has resolved. The remote address
      // of the socket may be that of a proxy.
      hop.recordServerAddresses([getGuardedSocketInfo(socket)?.host ?? ""]);
    },
    beginStep: (step) => hop.beginStep(step),
    get currentStep() {
      return hop.step;
    },
    trace: (event) => hop.trace(event),
    isTraced: hop.isTraced,
    wrapError: (operation, error) => hop.wrapError(operation, error),
    createContent: (init) =>
      Object.assign(new Content(init, resourceContext), init.schemeProperties) as never,
    createDirectory: (init) =>
      Object.assign(new Directory(init, resourceContext), init.schemeProperties) as never,
    createResource: (kind, own) => createBodilessResource(kind, own, resourceContext),
  };
}

/**
 * Returns a jar whose errors have the code `plugin`. The jar of tough-cookie throws an error for some host names that
 * are not public, such as `local`, so the policy is applied to the host name first.
 */
function createCheckedJar(jar: CookieJar, hop: Hop): CookieJar {
  return {
    async getCookieString(url) {
      const { effectiveHost } = hop.url as Partial<InternetUrl>;
      if (effectiveHost) checkTargetHostName(createHopConnectionContext(hop), effectiveHost);
      return callAsyncUserCallback("cookies.getCookieString", () => jar.getCookieString(url));
    },
    setCookie: (cookie, url, options) =>
      callAsyncUserCallback("cookies.setCookie", () => jar.setCookie(cookie, url, options)),
  };
}

/**
 * Returns the server whose credentials a scheme may request: the server of the URL. For a URL without a host, returns
 * the requested server, and throws `plugin` if the plan does not contain this server.
 */
function findCredentialServer({ url }: Hop, plan: Plan, { host, port }: CredentialRequest): Endpoint {
  const { effectiveHost, effectivePort } = url as Partial<InternetUrl>;
  if (effectiveHost && effectivePort !== undefined) return { host: effectiveHost, port: effectivePort };
  if (plan.steps.some(({ target }) => target?.host === host && target.port === port)) return { host, port };
  const reason = `the scheme ${url.scheme} asked for the credentials of a server that is not in its plan: ${host} port ${port}`;
  throw new AccessError("plugin", reason);
}

/**
 * Throws `plugin` for an answer of the callback `credentials` that is no login. The error message does not repeat the
 * login.
 */
function checkCredentials(answer: unknown): void {
  const fault = findCredentialsFault(answer);
  if (fault === undefined) return;
  throw new AccessError("plugin", `the callback credentials returned ${fault}, and not { user, password }`);
}

function findCredentialsFault(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null) return describeValue(answer);
  const { user, password, crossOrigin = false } = answer as Record<string, unknown>;
  if (typeof password !== "string") return "an object without a password";
  if (typeof crossOrigin !== "boolean") return `an object whose crossOrigin is ${describeValue(crossOrigin)}`;
  if (user === undefined || typeof user === "string") return undefined;
  return `an object whose user is ${describeValue(user)}`;
}
