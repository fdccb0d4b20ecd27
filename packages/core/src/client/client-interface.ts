import type {
  OperationName,
  OperationResult,
  PutOptions,
  PutResult,
  Stat,
  UploadBody,
} from "../scheme/operation.ts";
import type { FetchInit, FetchInput } from "./fetch/fetch-init.ts";
import type { PlanOptions } from "../scheme/plan.ts";
import type { Scheme } from "../scheme/scheme.ts";
import type { EqualityLevel, UrlFormatOptions, UrlParseOptions, ParseResult, Url } from "../syntax/index.ts";
import type {
  EntryTypeForUrl,
  NameOfScheme,
  UrlInput,
  UrlTypeForInput,
  PlanTypeForUrl,
  RequestOptionsFor,
  ResourceTypeForUrl,
  SchemeRequestOptionsFor,
} from "./types-inferred-from-url.ts";
import type { ExtendOptions } from "./requests/extend-client.ts";

/** A client that parses, plans and dereferences the URLs of its schemes. */
export interface Client<out S extends Scheme = Scheme> extends AsyncDisposable {
  /** The names of the registered schemes. */
  readonly schemes: readonly NameOfScheme<S>[];
  /** Parses a URL. Throws `UrlSyntaxError`. The URL of an unknown scheme is a `GenericUrl`. RFC 1738 §2.1. */
  parse<const T extends string>(text: T, options?: UrlParseOptions): UrlTypeForInput<S, T>;
  /** Parses a URL and returns the URL or the syntax fault. `tryParse` does not throw for an invalid URL. */
  tryParse(text: string, options?: UrlParseOptions): ParseResult;
  /** Returns the URL in the form of RFC 1738, or of RFC 3986 with `{ as: "rfc3986" }`, without the fragment. */
  format(url: Url, options?: UrlFormatOptions): string;
  /**
   * Resolves a relative reference against a base URL. Only hierarchical schemes have relative references. A URL of an
   * unregistered scheme is hierarchical when a "/" follows its colon. Throws `UrlSyntaxError`. RFC 1738 §2.3, RFC 3986
   * §5.2.
   */
  resolve(base: Url, reference: string): Url;
  /**
   * True when two URLs are equal at the given level of comparison. Default `"equivalent"`. Throws `UrlSyntaxError`. The
   * level `"same-plan"` also throws the errors of `plan`. RFC 1738 §2.1, §2.2.
   */
  equal(one: UrlInput, other: UrlInput, level?: EqualityLevel): boolean;
  /**
   * Returns the steps of an operation without opening a socket or looking up a name. Throws `UrlSyntaxError`, and
   * `AccessError` with the code `unknown-scheme`, `refused-characters`, `refused-redirect`, `unsupported` or `limit`.
   */
  plan<const T extends UrlInput>(
    input: T,
    options?: PlanOptions & ClientPlanOptions & SchemeRequestOptionsFor<S, T>,
  ): PlanTypeForUrl<S, T>;
  /**
   * Fetches the resource of a URL: plans the request and executes the plan. Throws `UrlSyntaxError` and
   * `AccessError`.
   */
  dereference<const T extends UrlInput>(
    input: T,
    options?: RequestOptionsFor<S, T>,
  ): Promise<ResourceTypeForUrl<S, T>>;
  /**
   * Fetches a URL of any scheme, as the platform's `fetch` does. Schemes other than http have the methods GET, HEAD,
   * PUT and DELETE, and the client chooses the status, such as 200, 204 or 206. The body of a directory has one line of
   * JSON for each entry. Rejects with a `TypeError` whose cause is the `AccessError`, or with the reason of the signal.
   * <https://fetch.spec.whatwg.org/>
   */
  readonly fetch: (input: FetchInput, init?: FetchInit) => Promise<Response>;
  /**
   * Returns the attributes of a resource without its content. Throws the errors of `dereference`, and `unsupported` for
   * an operation that the scheme lacks.
   */
  stat<const T extends UrlInput>(input: T, options?: RequestOptionsFor<S, T>): Promise<Stat>;
  /**
   * Writes a body to a URL. Throws the errors of `dereference`, and `unsupported` for an operation that the scheme
   * lacks.
   */
  put<const T extends UrlInput>(
    input: T,
    body: UploadBody,
    options?: RequestOptionsFor<S, T> & PutOptions,
  ): Promise<PutResult>;
  /**
   * Deletes the resource of a URL. Throws the errors of `dereference`, and `unsupported` for an operation that the
   * scheme lacks.
   */
  delete<const T extends UrlInput>(input: T, options?: RequestOptionsFor<S, T>): Promise<OperationResult>;
  /**
   * Creates a directory at a URL. Throws the errors of `dereference`, and `unsupported` for an operation that the
   * scheme lacks.
   */
  mkdir<const T extends UrlInput>(input: T, options?: RequestOptionsFor<S, T>): Promise<OperationResult>;
  /**
   * Renames the resource of a URL on its server. Throws the errors of `dereference`, and `unsupported` for an operation
   * that the scheme lacks.
   */
  rename<const T extends UrlInput>(
    input: T,
    to: UrlInput,
    options?: RequestOptionsFor<S, T>,
  ): Promise<OperationResult>;
  /**
   * Reads the content of a URL as text, in the charset that the server states. Throws the errors of the method `bytes`.
   */
  text<const T extends UrlInput>(input: T, options?: RequestOptionsFor<S, T>): Promise<string>;
  /**
   * Reads the content of a URL as JSON. `Value` is the type of the value, which the client does not check. Throws the
   * errors of `bytes`, and `unsupported` for a text that is not JSON.
   */
  json<Value = unknown, const T extends UrlInput = UrlInput>(
    input: T,
    options?: RequestOptionsFor<S, T>,
  ): Promise<Value>;
  /**
   * Reads the bytes of the content of a URL. The client repeats a request at most twice after temporary failures,
   * unless the option `retry` is set. The limit `maxBodyBytes` applies. Throws the errors of `dereference`, and
   * `no-content` for a resource of another kind.
   */
  bytes<const T extends UrlInput>(input: T, options?: RequestOptionsFor<S, T>): Promise<Uint8Array>;
  /**
   * Yields the entries of a directory or menu as they arrive, and closes the resource at the end of the loop. Retries
   * as `bytes` does. `callTimeoutMs` applies up to the first entry, and `bodyTimeoutMs` to the rest. Throws the errors
   * of `dereference`, `unsupported` for a resource without entries, and `incomplete` after the entries of a listing
   * that the server has truncated.
   */
  list<const T extends UrlInput>(
    input: T,
    options?: RequestOptionsFor<S, T>,
  ): AsyncGenerator<EntryTypeForUrl<S, T>, void>;
  /**
   * Returns a client with default options for its requests. The new client shares connections, schemes and policy with
   * this client. Headers and limits are merged by name, hooks are called in order, and any other option replaces the
   * earlier value. `close` and `destroy` of the new client end only its own requests. Throws `TypeError` and
   * `UrlSyntaxError`.
   */
  extend(options: ExtendOptions & SchemeRequestOptionsFor<S, string>): Client<S>;
  /**
   * Waits until no request is running, then closes the idle connections. A request is running until its resource has
   * been read or closed. A request of `fetch` also ends when at most 64 KiB of its response body are unread, and when
   * the program has dropped the response. Requests after a call of `close` are rejected with `aborted`.
   */
  close(): Promise<void>;
  /**
   * Aborts the running requests with `aborted`, and closes all connections. `reason` becomes the cause of the `aborted`
   * errors. The method `destroy` does not wait until the callers of the aborted requests have received the rejections.
   * `await using` calls `destroy`: a block that throws must not wait for an unread body.
   */
  destroy(reason?: unknown): Promise<void>;
}

/**
 * The operation whose steps `client.plan` returns. The fields of `PutOptions` are options of the operation `put` only.
 */
export interface ClientPlanOptions extends PutOptions {
  /** Default: `dereference`. */
  readonly operation?: OperationName | undefined;
  /** The new URL of the resource, for the operation `rename`. */
  readonly to?: UrlInput | undefined;
}
