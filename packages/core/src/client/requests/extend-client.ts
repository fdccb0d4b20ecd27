import { removeAbsentOptions } from "../../options/add-default-options.ts";
import { checkArgument, checkOptions } from "../../options/check-options.ts";
import {
  type OptionKind,
  type OptionTable,
  nonArrayObjectOptionKind,
  createEitherOptionKind,
} from "../../options/option-kinds.ts";
import { createLimitsOptionKind } from "../../policy/limits.ts";
import type { Scheme } from "../../scheme/scheme.ts";
import type { Url } from "../../syntax/index.ts";
import type { UrlInput } from "../types-inferred-from-url.ts";
import { resolveReference } from "../../syntax/reference.ts";
import type { ClientState } from "../operation-dispatcher.ts";
import { mergeHeaders } from "./merge-headers.ts";
import { concatHookFunctions } from "./hook-options.ts";
import { ActiveClientRequests } from "../request-lifetime.ts";
import { type DereferenceOptions, findUnknownRequestOptionAdvice, REQUEST_OPTION_KINDS } from "../options.ts";
import { removeOptionsForOtherOrigin, sameOrigin } from "../redirect-rules.ts";

/** The default options of an extended client: request options of the client and its schemes, and a base URL. */
export interface ExtendOptions extends DereferenceOptions {
  /**
   * The base of relative URLs, resolved as RFC 3986 §5.2 says. A relative reference replaces the last segment of the
   * base path, so a base folder ends with a slash: `http://h.example/api/`. A URL of another origin is requested
   * without the headers, method, body and `onRequest` of this extension, and without other options that a redirect to
   * another origin drops. For a URL of another origin than the base URL, the client also ignores the answers of
   * `credentials`, unless they have `crossOrigin: true`. Default: none.
   */
  readonly baseUrl?: UrlInput | undefined;
}

/** The default request options that one call of `client.extend` has set. */
export interface RequestDefaults {
  readonly base: Url | undefined;
  readonly options: DereferenceOptions;
}

type AnyRequestOptions = DereferenceOptions & { readonly headers?: unknown };

/**
 * Returns the state of an extended client, which shares the connections of its parent. Throws `TypeError` and
 * `UrlSyntaxError`.
 */
export function createClientStateWithRequestDefaults(state: ClientState, given: ExtendOptions): ClientState {
  checkArgument("extend", "options", given, nonArrayObjectOptionKind);
  const { baseUrl, ...options } = given;
  checkOptions("extend", given, createExtendOptionTable(state), {
    advice: (name) => findUnknownRequestOptionAdvice(name, state.limits),
  });
  const base = baseUrl === undefined ? undefined : parseBase(state, baseUrl);
  const own: RequestDefaults = { base, options: mergeRequestOptions({}, options) };
  return {
    ...state,
    activeRequests: new ActiveClientRequests(state.activeRequests),
    defaults: [...state.defaults, own],
    parseUrlArgument: base ? createRelativeUrlParser(state, base) : state.parseUrlArgument,
  };
}

/**
 * The options that are kept at a redirect to another origin, but not used for a URL outside the origin of the base URL.
 */
const OPTIONS_OF_ONE_REQUEST: ReadonlySet<string> = new Set(["method", "body"]);

/** Returns the request options with the defaults of an extended client. */
export function addRequestDefaults<O extends object>(
  { defaults, registry }: ClientState,
  url: Url,
  options: O,
): O & DereferenceOptions {
  if (defaults.length === 0) return options;
  const { crossOriginOptions = [] } = registry.findScheme(url.scheme) ?? {};
  const kept = crossOriginOptions.filter((name) => !OPTIONS_OF_ONE_REQUEST.has(name));
  const applicable = defaults.map((each) =>
    each.base && !sameOrigin(each.base, url) ? removeOptionsForOtherOrigin(each.options, kept) : each.options,
  );
  return [...applicable, options].reduce<AnyRequestOptions>(mergeRequestOptions, {}) as O;
}

/**
 * Returns a URL of the only origin for which the callback `credentials` of a request is meant: the base URL of the
 * extension that has set the callback, or else the base URL to which the request's relative URLs refer. Returns
 * `undefined` when no base URL limits the callback `credentials`.
 */
export function getCredentialsBaseUrl(
  defaults: readonly RequestDefaults[],
  { credentials }: DereferenceOptions,
): Url | undefined {
  const own = credentials ? undefined : defaults.findLast(({ options }) => options.credentials !== undefined);
  return own?.base ?? defaults.findLast(({ base }) => base !== undefined)?.base;
}

/** Merges options: headers by name, limits by name, and hooks in order. Any other option replaces the earlier value. */
function mergeRequestOptions(before: AnyRequestOptions, given: AnyRequestOptions): AnyRequestOptions {
  const headers = mergeHeaders(before.headers, given.headers);
  const onRequest = concatHookFunctions(before.onRequest, given.onRequest);
  const onResponse = concatHookFunctions(before.onResponse, given.onResponse);
  return {
    ...before,
    ...removeAbsentOptions(given),
    ...(headers.length > 0 && { headers }),
    ...((before.limits ?? given.limits) && {
      limits: { ...before.limits, ...removeAbsentOptions(given.limits ?? {}) },
    }),
    ...(onRequest.length > 0 && { onRequest }),
    ...(onResponse.length > 0 && { onResponse }),
  };
}

/** Returns the kinds of the options of `extend`: those of requests and of all schemes. */
function createExtendOptionTable({ registry, limits }: ClientState): OptionTable {
  const table: Record<string, OptionKind> = {};
  for (const name of registry.names) {
    const own = (registry.findScheme(name) as Scheme).requestOptions as OptionTable | undefined;
    for (const [option, accepted] of Object.entries(own ?? {})) {
      const other = table[option];
      table[option] = other && other !== accepted ? createEitherOptionKind(other, accepted) : accepted;
    }
  }
  return {
    ...table,
    ...REQUEST_OPTION_KINDS,
    limits: createLimitsOptionKind(limits),
    baseUrl: { expects: "a URL, such as http://h.example/api/", accepts: isUrlInput },
  };
}

function isUrlInput(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null && "href" in value);
}

/** Parses a base URL, which may be relative to the base URL of the parent. */
function parseBase({ parseUrlArgument, registry }: ClientState, baseUrl: unknown): Url {
  const base = parseUrlArgument(baseUrl);
  if (registry.getUrlHierarchy(base) !== undefined) return base;
  const reason = registry.findScheme(base.scheme)
    ? `the URLs of the scheme ${base.scheme} have no hierarchy, so relative URLs do not exist`
    : `the URL has no "/" after "${base.scheme}:"`;
  throw new TypeError(
    `extend: the option "baseUrl" has to be the base of relative URLs, such as http://h.example/api/, and ${reason}`,
  );
}

function createRelativeUrlParser(
  { parseUrlArgument, registry }: ClientState,
  base: Url,
): ClientState["parseUrlArgument"] {
  return (input, options) =>
    parseUrlArgument(
      typeof input === "string" ? resolveReference(base, registry.getUrlHierarchy(base), input) : input,
      options,
    );
}
