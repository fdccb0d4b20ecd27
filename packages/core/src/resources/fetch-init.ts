import { checkArgument, createInvalidOptionError } from "../options/check-options.ts";
import type { Url } from "../syntax/index.ts";
import * as kind from "../options/option-kinds.ts";
import type { CredentialProvider } from "../client/options.ts";
import type { DereferenceOptions } from "../client/options.ts";

/** The first argument of `fetch`. */
export type FetchInput = string | Url | URL | Request;

export type FetchBody = NonNullable<ConstructorParameters<typeof Response>[0]>;

/** The second argument of the platform's own `fetch`. */
type PlatformInit = NonNullable<Parameters<typeof fetch>[1]>;

/** Makes all fields of a type optional and allows `undefined` for their values. */
type Loose<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/**
 * The request options of the Fetch standard, and the options of `dereference`. `fetch` rejects unsupported options with
 * a `TypeError`: `integrity`, `cache: "only-if-cached"`, `dispatcher`, and unknown values of `mode`. Options for
 * cookies, referrer and cache have no effect, because the client has none of these.
 */
export interface FetchInit
  extends
    Loose<Omit<PlatformInit, "signal" | "credentials" | "cache">>,
    Omit<DereferenceOptions, "signal" | "credentials"> {
  /** GET, HEAD, PUT or DELETE, if the scheme supports the method. Default GET. */
  readonly method?: string | undefined;
  /**
   * Range, If-Modified-Since and If-None-Match become options for any scheme. Only http sends the other header fields.
   */
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  /** The body of a PUT. */
  readonly body?: FetchBody | null | undefined;
  /** `"manual"` returns the redirect itself. Default `"follow"`. */
  readonly redirect?: "follow" | "error" | "manual" | undefined;
  /** The option accepts every value except `"only-if-cached"`, because the client has no cache. */
  readonly cache?: string | undefined;
  /** Aborts the request, and also the reading of its body. */
  readonly signal?: AbortSignal | null | undefined;
  /**
   * `"omit"` disables the credentials callback. The values `"include"` and `"same-origin"` use the client's callback.
   */
  readonly credentials?: CredentialProvider | "omit" | "same-origin" | "include" | undefined;
}

const any: kind.OptionKind = { expects: "anything", accepts: () => true };

/** Returns an option kind that also accepts `null`, as the Fetch standard does. */
function createNullableOptionKind(of: kind.OptionKind): kind.OptionKind {
  return { ...of, accepts: (value) => value === null || of.accepts(value) };
}

/** The kinds of the request options of the Fetch standard. */
export const FETCH_OPTION_KINDS: kind.OptionTable = {
  method: kind.string,
  // The platform checks these fields.
  headers: any,
  body: any,
  redirect: kind.oneOf("follow", "error", "manual"),
  mode: kind.oneOf("cors", "no-cors", "same-origin"),
  cache: kind.oneOf("default", "no-store", "reload", "no-cache", "force-cache"),
  referrer: kind.string,
  referrerPolicy: kind.string,
  keepalive: kind.boolean,
  duplex: kind.oneOf("half"),
  priority: kind.oneOf("high", "low", "auto"),
  window: createNullableOptionKind({ expects: "null", accepts: () => false }),
  integrity: {
    expects: "an empty string, because fetch does not compare the body with a digest",
    accepts: (value) => value === "",
  },
  dispatcher: { expects: "omitted, because the guard opens all connections", accepts: () => false },
};

const CREDENTIALS = kind.either(kind.callback, kind.oneOf("omit", "same-origin", "include"));

/** A parsed request of the Fetch standard, with the other options. */
export interface FetchRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: FetchBody | undefined;
  readonly redirect: "follow" | "error" | "manual";
  readonly options: DereferenceOptions;
}

/** Combines `init` with a `Request` object, whose fields are the defaults. Throws `TypeError`. */
export function parseFetchInit(init: FetchInit, request: Request | undefined): FetchRequest {
  const inherited = request && pickUnsupportedFields(request);
  const { signal, credentials, ...options } = { ...inherited, ...init };
  if (credentials !== undefined && !CREDENTIALS.accepts(credentials))
    throw createInvalidOptionError("fetch", "credentials", credentials, CREDENTIALS);
  const ask = credentials === "omit" ? () => undefined : credentials;
  return {
    method: normalizeMethod(init.method ?? request?.method),
    headers: new Headers(init.headers ?? request?.headers),
    body: init.body ?? request?.body ?? undefined,
    redirect: init.redirect ?? request?.redirect ?? "follow",
    options: {
      ...(options as DereferenceOptions),
      ...(signal != null && { signal }),
      ...(typeof ask === "function" && { credentials: ask }),
    },
  };
}

/** Returns the method in upper case, because the Fetch standard accepts upper and lower case. */
function normalizeMethod(method: unknown = "GET"): string {
  checkArgument("fetch", "init.method", method, kind.string);
  return (method as string).toUpperCase();
}

/** Returns the fields of a `Request` that `fetch` may have to reject as unsupported. */
function pickUnsupportedFields({ cache, integrity, mode, credentials }: Request): Partial<FetchInit> {
  return { cache, integrity, mode, credentials };
}

/** Removes the options that belong to the Fetch standard only. */
export function stripFetchOptions(options: DereferenceOptions): DereferenceOptions {
  const kept = Object.entries(options).filter(([name]) => !Object.hasOwn(FETCH_OPTION_KINDS, name));
  return Object.fromEntries(kept);
}
