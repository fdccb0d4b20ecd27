import type { CacheMode, CacheStore } from "../cache/cache-store.ts";
import { type ProxyOption, clientProxyOptionKind } from "../network/proxy/proxy-settings.ts";
import { linkLocalZoneOptionKind } from "../network/link-local-zone.ts";
import { connectionAttemptDelayOptionKind } from "../network/guard-context.ts";
import { type Resolver, resolverOptionKind } from "../network/resolver.ts";
import {
  type ClientLimits,
  DEFAULT_CORE_LIMITS,
  type LimitChanges,
  createLimitsOptionKind,
} from "../policy/limits.ts";
import { type Policy, policyOptionKind } from "../policy/policy.ts";
import type { CookieJar, CredentialRequest, Credentials } from "../scheme/context.ts";
import type { PlanOptions } from "../scheme/plan.ts";
import type { TransferProgress } from "../scheme/resource.ts";
import type { PutOptions } from "../scheme/operation.ts";
import type { Scheme } from "../scheme/scheme.ts";
import { createUnknownOptionNameError, createInvalidOptionError } from "../options/check-options.ts";
import type { ParseMode } from "../syntax/index.ts";
import { PARSE_OPTION_KINDS } from "../syntax/syntax.ts";
import type { ClientPlanOptions } from "./client-interface.ts";
import { HOOK_OPTION_KINDS, type Hooks } from "./requests/hook-options.ts";
import { type RetryOption, retryOptionKind } from "./requests/retry-options.ts";
import { schemeObjectArrayOptionKind } from "./check-scheme.ts";
import {
  type OptionKind,
  type OptionTable,
  booleanOptionKind,
  callbackOptionKind,
  dateOptionKind,
  millisecondsOptionKind,
  createEnumOptionKind,
  createFunctionOptionKind,
  createIntegerOptionKind,
  createDuckTypeOptionKind,
  createOptionsOptionKind,
  nonArrayObjectOptionKind,
  createRecordOptionKind,
  stringOptionKind,
  createEitherOptionKind,
} from "../options/option-kinds.ts";
import type { GatewaysByScheme } from "./scheme-gateways.ts";
import type { TraceListener } from "./trace.ts";

/** The argument of the callback `credentials`: the server, its realm, and the requested secret. */
export interface CredentialRequestEvent extends CredentialRequest {
  /**
   * True after a redirect to another origin, for all later URLs of the request, and for URLs outside the origin of the
   * base URL of an extended client.
   */
  readonly isCrossOrigin: boolean;
}

/** The return value of the callback `credentials`. */
export interface CredentialAnswer extends Credentials {
  /**
   * True to send the login to a server of another origin too (`isCrossOrigin`). Default false: the client ignores the
   * login for such a server, because a stranger may have named the server.
   */
  readonly crossOrigin?: boolean | undefined;
}

/**
 * Returns the password for a server that requires one. When the callback `credentials` returns `undefined`, the request
 * fails with `authentication-required`. The client ignores a login that the callback returns for a server of another
 * origin unless `crossOrigin` is true. The client does not call the callback `credentials` for a URL with a password,
 * even an empty password. RFC 1738 §3.2.1.
 */
export type CredentialProvider = (
  request: CredentialRequestEvent,
) => Promise<CredentialAnswer | undefined> | CredentialAnswer | undefined;

export interface ClientOptions<S extends Scheme = Scheme> {
  readonly schemes: readonly S[];
  /** The rules for the addresses, host names and ports that the client may connect to. Default `publicInternet()`. */
  readonly policy?: Policy | undefined;
  /** Returns the password for a server that requires one. Default: none. */
  readonly credentials?: CredentialProvider | undefined;
  /** The resolver of host names. Default: the system's resolver. */
  readonly resolver?: Resolver | undefined;
  /**
   * The gateways that fetch the URLs of a scheme, as in `{ wais: "http://gw.example/?url={url}" }`. The policy of the
   * request also applies to connections to gateways. Gateways receive neither logins nor options of the scheme, such as
   * headers. Default: none. RFC 1738 §4.
   */
  readonly gateways?: GatewaysByScheme | undefined;
  /**
   * The proxy of all connections, as in `"http://proxy.example:3128"` or `"socks5://127.0.0.1:1080"`, or a function
   * that returns the proxy of a URL. The policy does not apply to the address of the proxy. Default: none.
   */
  readonly proxy?: ProxyOption | undefined;
  /**
   * Stores http responses, FTP files and local files, and answers later requests with the stored bodies. The function
   * `memoryCache()` of `@anyscheme/core/cache` returns a cache. Default: no cache. RFC 9111.
   */
  readonly cache?: CacheStore | undefined;
  /**
   * A cookie jar of the package tough-cookie. The client sends its cookies with http requests, and stores the cookies
   * of the responses. Default: no cookies. RFC 6265.
   */
  readonly cookies?: CookieJar | undefined;
  /** The limits that differ from the defaults. */
  readonly limits?: LimitChanges | undefined;
  /**
   * The time between the starts of attempts to connect to the addresses of one host, in milliseconds, from 10 to 2 000.
   * After a failed connection attempt, the next attempt starts at once. Default 250. RFC 8305 §5.
   */
  readonly connectionAttemptDelayMs?: number | undefined;
  /**
   * The zone of link-local IPv6 addresses (`fe80::/10`): the name or number of a network interface, as in `"eth0"`.
   * Only the local socket uses the zone of the IPv6 address, and the client never sends the zone to a server. A request
   * to a link-local address through a proxy or gateway fails with `unsupported`, and the cache stores no responses of
   * such addresses. Without a zone, the system chooses the network interface for a link-local address. RFC 4007 §11.
   */
  readonly linkLocalZone?: string | undefined;
  /**
   * The retries of requests that failed temporarily: the maximum number, or `{ maxRetries, methods, statusCodes,
   * backoffMs, maxBackoffMs }`. Default: no retries, and 2 for `text`, `json`, `bytes` and `list`.
   */
  readonly retry?: RetryOption | undefined;
  /**
   * The user's e-mail address, sent as the password of anonymous FTP (RFC 1738 §3.2.1). Default: `anonymous@` is sent.
   */
  readonly email?: string | undefined;
  /** The strictness with which `parse` checks URLs. Default `"modern"`. */
  readonly mode?: ParseMode | undefined;
  /** Receives each event of a request in order, with secrets masked. */
  readonly trace?: TraceListener | undefined;
}

/** Options of one request. Each scheme adds its own options. */
export interface DereferenceOptions extends PlanOptions, Hooks {
  /** Aborts the request and the reading of the body. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
  /**
   * The use of the client's cache, as in the Fetch standard. `"no-store"` neither reads nor writes the cache.
   * `"reload"` only writes. `"no-cache"` asks the server whether a stored response is current. `"force-cache"` also
   * uses stale responses. `"only-if-cached"` throws `unavailable` instead of a request to the server. The method `stat`
   * uses stored responses only with `"force-cache"` and `"only-if-cached"`. Default `"default"`.
   */
  readonly cache?: CacheMode | undefined;
  /**
   * Replaces the client's cookie jar, as for requests of another user. Requests with a cookie jar of their own share no
   * connection after cookies were sent.
   */
  readonly cookies?: CookieJar | undefined;
  /** The limits that differ from the client's limits. */
  readonly limits?: LimitChanges | undefined;
  /** Replaces the client's policy. */
  readonly policy?: Policy | undefined;
  /** Replaces the client's proxy. `() => undefined` means no proxy. */
  readonly proxy?: ProxyOption | undefined;
  /** Replaces the client's option `connectionAttemptDelayMs`. */
  readonly connectionAttemptDelayMs?: number | undefined;
  /** Replaces the client's option `retry`. */
  readonly retry?: RetryOption | undefined;
  readonly credentials?: CredentialProvider | undefined;
  readonly trace?: TraceListener | undefined;
}

const signalOptionKind = createDuckTypeOptionKind("an AbortSignal", {
  aborted: "boolean",
  addEventListener: "function",
  removeEventListener: "function",
  throwIfAborted: "function",
});

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const rangeOptionKind: OptionKind = {
  expects: "{ start, endExclusive? } with whole numbers, where start is less than endExclusive",
  accepts(value) {
    if (typeof value !== "object" || value === null) return false;
    const { start, endExclusive, ...others } = value as Record<string, unknown>;
    return (
      isOffset(start) &&
      (endExclusive === undefined || (isOffset(endExclusive) && start < endExclusive)) &&
      Object.keys(others).length === 0
    );
  },
  validTypes: ["object"],
};

const resumeOptionKind = createOptionsOptionKind(
  { maxRetries: createIntegerOptionKind(0, undefined, true), backoffMs: millisecondsOptionKind },
  "{ maxRetries?, backoffMs? }",
  { attempts: "write maxRetries" },
);

/** The example checks the host, because a callback that ignores its argument answers every server that asks. */
const CREDENTIALS_EXAMPLE = '({ host }) => host === "api.example" ? { user, password } : undefined';

const credentialsOptionKind = createFunctionOptionKind(`returns a login, as ${CREDENTIALS_EXAMPLE}`);

const cookieJarOptionKind = createDuckTypeOptionKind("a cookie jar of tough-cookie", {
  getCookieString: "function",
  setCookie: "function",
});

const limitsObjectOptionKind: OptionKind = {
  ...nonArrayObjectOptionKind,
  expects: "an object of limits, such as { maxRedirects: 2 }",
};

export const REQUEST_OPTION_KINDS: OptionTable<DereferenceOptions> = {
  email: stringOptionKind,
  allowControlCharacters: booleanOptionKind,
  range: rangeOptionKind,
  exactBytes: booleanOptionKind,
  ifModifiedSince: dateOptionKind,
  ifNoneMatch: stringOptionKind,
  resume: resumeOptionKind,
  cache: createEnumOptionKind("default", "no-store", "reload", "no-cache", "force-cache", "only-if-cached"),
  cookies: cookieJarOptionKind,
  signal: signalOptionKind,
  onProgress: callbackOptionKind,
  // The client itself checks the limits, because the names of the limits depend on its schemes.
  limits: limitsObjectOptionKind,
  policy: policyOptionKind,
  proxy: clientProxyOptionKind,
  connectionAttemptDelayMs: connectionAttemptDelayOptionKind,
  retry: retryOptionKind,
  ...HOOK_OPTION_KINDS,
  credentials: credentialsOptionKind,
  trace: callbackOptionKind,
};

export const PUT_OPTION_KINDS: OptionTable<PutOptions> = {
  atomic: booleanOptionKind,
  offset: createEitherOptionKind(createIntegerOptionKind(0), createEnumOptionKind("end")),
  mediaType: stringOptionKind,
  size: createIntegerOptionKind(0),
};

/** The accepted values of the options that `client.plan` has beyond those of `dereference`. */
export const CLIENT_PLAN_OPTION_KINDS: OptionTable<ClientPlanOptions> = {
  operation: createEnumOptionKind("stat", "put", "delete", "mkdir", "rename"),
  // The method `plan` itself checks the option `to`, which is the new URL for `rename`.
  to: { expects: "a URL", accepts: () => true },
  ...PUT_OPTION_KINDS,
};

export const URL_EQUALITY_LEVEL_OPTION_KIND: OptionKind = createEnumOptionKind(
  "identical",
  "equivalent",
  "same-plan",
);

const gatewayOptionKind = createEitherOptionKind(
  stringOptionKind,
  createOptionsOptionKind(
    { urlTemplate: stringOptionKind, when: createEnumOptionKind("always", "unavailable", "unregistered") },
    "{ urlTemplate, when? }",
  ),
);

export const CLIENT_OPTION_KINDS: OptionTable<ClientOptions> = {
  schemes: schemeObjectArrayOptionKind,
  policy: policyOptionKind,
  credentials: credentialsOptionKind,
  resolver: resolverOptionKind,
  gateways: createRecordOptionKind(
    gatewayOptionKind,
    'gateways by scheme, as { wais: "http://gw.example/?url={url}" }',
  ),
  proxy: clientProxyOptionKind,
  cache: createDuckTypeOptionKind("a cache, such as memoryCache() of @anyscheme/core/cache", {
    find: "function",
    createWriter: "function",
    updateMetadata: "function",
    delete: "function",
  }),
  cookies: cookieJarOptionKind,
  limits: limitsObjectOptionKind,
  connectionAttemptDelayMs: connectionAttemptDelayOptionKind,
  linkLocalZone: linkLocalZoneOptionKind,
  retry: retryOptionKind,
  email: stringOptionKind,
  mode: PARSE_OPTION_KINDS.mode,
  trace: callbackOptionKind,
};

/** The advice in errors for unknown options with names of fetch, curl and other clients. */
const OPTION_ADVICE_BY_NAME: Readonly<Record<string, string>> = {
  timeout: "write limits: { callTimeoutMs }, or signal: AbortSignal.timeout(ms)",
  timeoutMs: "write limits: { callTimeoutMs }, or signal: AbortSignal.timeout(ms)",
  method: "use client.put(), client.delete() or client.fetch()",
  body: "use client.put() or client.fetch()",
  auth: `write credentials: ${CREDENTIALS_EXAMPLE}`,
  password: `write credentials: ${CREDENTIALS_EXAMPLE}`,
  httpProxy: 'write proxy: "http://HOST:PORT"',
  agent: 'write proxy: "http://HOST:PORT"',
  username: `write credentials: ${CREDENTIALS_EXAMPLE}`,
  followRedirects: 'write redirect: "follow", "error" or "manual"',
  followRedirect: 'write redirect: "follow", "error" or "manual"',
  baseUrl: "write client.extend({ baseUrl })",
  prefixUrl: "write client.extend({ baseUrl })",
  hooks: "write onRequest and onResponse",
  retries: "write retry: { maxRetries }",
  maxRetries: "write retry: { maxRetries }",
  responseType: "call text(), json() or bytes() of the resource",
  query: "write the search part into the URL",
  params: "write the search part into the URL",
  searchParams: "write the search part into the URL",
  rejectUnauthorized: "certificates are always verified; write https({ ca }) for a private issuer",
  insecure: "certificates are always verified; write https({ ca }) for a private issuer",
};

/** The names of options that `createClient` does not have, and whose defaults `extend` sets. */
const EXTEND_OPTIONS: ReadonlySet<string> = new Set([
  "headers",
  "onRequest",
  "onResponse",
  "hooks",
  "signal",
]);

export function findUnknownClientOptionAdvice(name: string): string | undefined {
  if (!EXTEND_OPTIONS.has(name)) return findUnknownRequestOptionAdvice(name, DEFAULT_CORE_LIMITS);
  const options = name === "hooks" ? "onRequest, onResponse" : name;
  return `write client.extend({ ${options} })`;
}

/** Returns the advice for an unknown option, which may be the name of a limit. */
export function findUnknownRequestOptionAdvice(name: string, limits: object): string | undefined {
  if (Object.hasOwn(OPTION_ADVICE_BY_NAME, name)) return OPTION_ADVICE_BY_NAME[name];
  return Object.hasOwn(limits, name) ? `write limits: { ${name} }` : undefined;
}

/**
 * Checks the options of a request against the option tables of the client, the method and the schemes. `scheme` is the
 * scheme of the URL. Throws `TypeError`.
 */
export type RequestOptionChecker = (
  method: string,
  options: object,
  scheme: string,
  methodOptions?: OptionTable,
) => void;

/**
 * Creates the function that checks the options of a client's requests. The check accepts the request options of all the
 * client's schemes, because programs pass the same options for every URL. A scheme without an option table accepts any
 * option name.
 */
export function createRequestOptionChecker(
  schemes: readonly Scheme[],
  limits: ClientLimits,
): RequestOptionChecker {
  const commonOptions = { ...REQUEST_OPTION_KINDS, limits: createLimitsOptionKind(limits) };
  const tables = new Map(
    schemes.map(({ name, requestOptions }) => [name.toLowerCase(), requestOptions as OptionTable]),
  );
  const others = [...tables.values()].filter((table) => table !== undefined);

  return (method, options, scheme, methodOptions = {}) => {
    const table = tables.get(scheme);
    for (const name of Object.keys(options)) {
      const value = (options as Record<string, unknown>)[name];
      const kind =
        findOptionKind(commonOptions, name) ??
        findOptionKind(methodOptions, name) ??
        (table && findOptionKind(table, name));
      if (kind) {
        if (value !== undefined && !kind.accepts(value))
          throw createInvalidOptionError(method, name, value, kind);
        continue;
      }
      if (!table) continue;
      const elsewhere = others.flatMap((other) => findOptionKind(other, name) ?? []);
      const [first] = elsewhere;
      if (!first)
        throw createUnknownOptionNameError(
          method,
          name,
          [commonOptions, methodOptions, table].flatMap(Object.keys),
          {
            advice: (unknown) => findUnknownRequestOptionAdvice(unknown, limits),
          },
        );
      if (value !== undefined && !elsewhere.some((each) => each.accepts(value)))
        throw createInvalidOptionError(method, name, value, first);
    }
  };
}

function findOptionKind(table: OptionTable, name: string): OptionKind | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
