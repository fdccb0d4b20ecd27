import { checkArgument, createInvalidOptionError } from "../../options/check-options.ts";
import { isRepeatableBody } from "../requests/retry-options.ts";
import { isStreamBody } from "./fetch-request-body.ts";
import type { UrlInput } from "../types-inferred-from-url.ts";
import {
  type OptionKind,
  type OptionTable,
  booleanOptionKind,
  callbackOptionKind,
  createEnumOptionKind,
  stringOptionKind,
  createEitherOptionKind,
} from "../../options/option-kinds.ts";
import { computeEditDistance } from "../../options/edit-distance.ts";
import {
  httpMethodOptionKind,
  isForbiddenRequestHeader,
  normalizeHttpMethod,
} from "../../text/http-syntax.ts";
import type { Scheme } from "../../scheme/scheme.ts";
import { type CredentialProvider, type DereferenceOptions, REQUEST_OPTION_KINDS } from "../options.ts";
import { provideNoCredentials } from "../redirect-rules.ts";

/** The first argument of `fetch`. */
export type FetchInput = UrlInput | Request;

export type FetchBody = NonNullable<ConstructorParameters<typeof Response>[0]>;

/** The second argument of the platform's own `fetch`. */
type PlatformFetchInit = NonNullable<Parameters<typeof fetch>[1]>;

/** Makes all fields of a type optional and allows `undefined` for their values. */
type OptionalFields<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/**
 * The request options of the Fetch standard, and the options of `dereference`. `fetch` rejects the unsupported option
 * `dispatcher` and unknown values of the option `mode` with a `TypeError`. Options for the referrer, priority and
 * keepalive have no effect. `fetch` ignores options with unknown names, unless the name differs from the name of a
 * known option by one edit.
 */
export interface FetchInit
  extends
    OptionalFields<Omit<PlatformFetchInit, "signal" | "credentials" | "cache">>,
    Omit<DereferenceOptions, "signal" | "credentials"> {
  /** Any method except CONNECT, TRACE and TRACK for http. GET, HEAD, PUT or DELETE for other schemes. Default GET. */
  readonly method?: string | undefined;
  /**
   * The http scheme sends all header fields except those that frame the message or control the connection, such as Host
   * and Content-Length. For schemes other than http, `fetch` converts Range, If-Modified-Since and If-None-Match to
   * options.
   */
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  /** The body of the request. A stream needs `duplex: "half"`. */
  readonly body?: FetchBody | null | undefined;
  /** `"manual"` returns the response of the redirect itself. Default `"follow"`. */
  readonly redirect?: "follow" | "error" | "manual" | undefined;
  /** The body must have one of the given digests, as in `sha256-…`. Default: none. <https://www.w3.org/TR/sri-2/> */
  readonly integrity?: string | undefined;
  /** Aborts the request, and also the reading of the response body. `null` ignores the signal of a `Request`. */
  readonly signal?: AbortSignal | null | undefined;
  /**
   * `"omit"` disables the credentials callback and the cookies of the client. The values `"include"` and
   * `"same-origin"` use the client's callback `credentials`.
   */
  readonly credentials?: CredentialProvider | "omit" | "same-origin" | "include" | undefined;
}

const anyOptionKind: OptionKind = { expects: "anything", accepts: () => true };

/** Returns an option kind that also accepts `null`, as the Fetch standard does. */
function createNullableOptionKind(of: OptionKind): OptionKind {
  return { ...of, accepts: (value) => value === null || of.accepts(value) };
}

/** The values that each request option of the Fetch standard accepts. */
export const FETCH_STANDARD_OPTION_KINDS: OptionTable = {
  method: stringOptionKind,
  // The class `Headers` of the platform checks the header fields of the option `headers`.
  headers: anyOptionKind,
  body: createNullableOptionKind({
    expects:
      "a string, bytes, a Blob, FormData, URLSearchParams or a ReadableStream; JSON.stringify converts an object",
    // The platform's `fetch` converts bodies of other types to strings.
    accepts: (body) => isStreamBody(body) || isRepeatableBody(body),
  }),
  redirect: createEnumOptionKind("follow", "error", "manual"),
  mode: createEnumOptionKind("cors", "no-cors", "same-origin"),
  referrer: stringOptionKind,
  referrerPolicy: stringOptionKind,
  keepalive: booleanOptionKind,
  duplex: createEnumOptionKind("half"),
  priority: createEnumOptionKind("high", "low", "auto"),
  window: createNullableOptionKind({ expects: "null", accepts: () => false }),
  integrity: stringOptionKind,
  dispatcher: { expects: "omitted, because the guard opens all connections", accepts: () => false },
};

const credentialsOptionKind = createEitherOptionKind(
  callbackOptionKind,
  createEnumOptionKind("omit", "same-origin", "include"),
);

/** A parsed request of the Fetch standard, with the options of `dereference`. */
export interface ParsedFetchRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: FetchBody | undefined;
  readonly redirect: "follow" | "error" | "manual";
  /** The integrity metadata. Empty for none. */
  readonly integrity: string;
  readonly options: DereferenceOptions;
}

/**
 * Combines the argument `init` of `fetch` with a `Request` object, whose fields are the defaults. Throws `TypeError`.
 */
export function parseFetchInit(init: FetchInit, request: Request | undefined): ParsedFetchRequest {
  const inherited = request && pickInheritedOptions(request);
  const { signal: _, credentials, ...options } = { ...inherited, ...init };
  if (credentials !== undefined && !credentialsOptionKind.accepts(credentials))
    throw createInvalidOptionError("fetch", "credentials", credentials, credentialsOptionKind);
  const ask = credentials === "omit" ? provideNoCredentials : credentials;
  const method = checkMethod(init.method ?? request?.method);
  const body = selectBody(init, request);
  if (body !== undefined && (method === "GET" || method === "HEAD"))
    throw new TypeError(`fetch: a request with ${method} cannot have a body`);
  return {
    method,
    headers: removeForbiddenHeaders(new Headers(init.headers ?? request?.headers)),
    body,
    integrity: options.integrity ?? "",
    redirect: init.redirect ?? request?.redirect ?? "follow",
    options: {
      ...(options as DereferenceOptions),
      ...(typeof ask === "function" && { credentials: ask }),
    },
  };
}

/** Returns the signal of `init`, or the signal of the `Request` if `init` has none. */
export function getFetchSignal(init: FetchInit, request: Request | undefined): AbortSignal | undefined {
  const signal = init.signal === undefined ? request?.signal : init.signal;
  return signal ?? undefined;
}

/** Returns the method, in upper case if it is one of the usual methods. Throws `TypeError`. */
function checkMethod(method: unknown = "GET"): string {
  checkArgument("fetch", "init.method", method, httpMethodOptionKind);
  return normalizeHttpMethod(method as string);
}

/**
 * Returns the body of `init`, or the body of the `Request` if `init` has none. Throws `TypeError` for a stream that has
 * been read.
 */
function selectBody(init: FetchInit, request: Request | undefined): FetchBody | undefined {
  const given = init.body ?? undefined;
  if (given === undefined) {
    if (request?.bodyUsed) throw new TypeError("fetch: the body of the Request has been used");
    return request?.body ?? undefined;
  }
  if (!isStreamBody(given)) return given;
  if (init.duplex !== "half") throw new TypeError('fetch: a body that is a stream needs duplex: "half"');
  // The constructor of `Response` throws `TypeError` for a stream that is locked or has been read.
  return given instanceof ReadableStream ? (new Response(given).body ?? given) : given;
}

/**
 * Removes the header fields that a caller may not set, because the client sets them itself. The Fetch standard also
 * drops these forbidden request headers. <https://fetch.spec.whatwg.org/#forbidden-request-header>
 */
function removeForbiddenHeaders(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => !isForbiddenRequestHeader(name)));
}

/** Returns the fields of a `Request` that become options, and that `fetch` may have to reject. */
function pickInheritedOptions({ cache, integrity, mode, credentials }: Request): Partial<FetchInit> {
  return { cache, integrity, mode, credentials };
}

/**
 * Removes the members of `init` whose names neither the Fetch standard nor the client and its schemes know, because
 * libraries pass their own options on to `fetch`. Keeps a name that differs from a known name by one edit, so that the
 * check of the options rejects this mistake.
 */
export function removeUnknownFetchInitMembers(
  options: DereferenceOptions,
  schemes: readonly Scheme[],
): DereferenceOptions {
  const tables = [
    FETCH_STANDARD_OPTION_KINDS,
    REQUEST_OPTION_KINDS,
    ...schemes.map((each) => each.requestOptions),
  ];
  const isKnown = (name: string): boolean => tables.some((table) => table && Object.hasOwn(table, name));
  const isMistyped = (name: string): boolean =>
    tables.some((table) => Object.keys(table ?? {}).some((known) => isMistypedName(name, known)));
  const kept = Object.entries(options).filter(([name]) => isKnown(name) || isMistyped(name));
  return Object.fromEntries(kept);
}

/**
 * True when two option names differ by at most one edit. Option names of at most four letters are never taken for
 * misspelled names.
 */
function isMistypedName(name: string, known: string): boolean {
  return (
    name.length > 4 && known.length > 4 && computeEditDistance(name.toLowerCase(), known.toLowerCase()) < 2
  );
}

/** Removes the options of the Fetch standard that `fetch` itself handles, such as `method` and `redirect`. */
export function removeStandardFetchOptions(options: DereferenceOptions): DereferenceOptions {
  const kept = Object.entries(options).filter(([name]) => !Object.hasOwn(FETCH_STANDARD_OPTION_KINDS, name));
  return Object.fromEntries(kept);
}
