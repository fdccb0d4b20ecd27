import {
  type OptionTable,
  createArrayOptionKind,
  callbackOptionKind,
  createEitherOptionKind,
} from "../../options/option-kinds.ts";
import type { RedirectChainEntry } from "../../scheme/resource.ts";
import type { Url } from "../../syntax/index.ts";
import type { HeaderPairs } from "./merge-headers.ts";

/** The argument of `onRequest`. */
export interface RequestHookEvent {
  /** The URL that the client is about to request: the first URL, or the target of a redirect. */
  readonly url: Url;
  /** The URLs that have redirected so far, in order. This redirect chain is empty for the first URL of a request. */
  readonly redirectChain: readonly RedirectChainEntry[];
  /** True after a redirect to another origin, and for all later URLs of the request. */
  readonly isCrossOrigin: boolean;
  /** The name of the operation, as in `dereference` or `put`. */
  readonly operation: string;
  /** The headers of the request so far, without the headers that the http scheme adds. */
  readonly headers: HeaderPairs;
  /** The number of the attempt, from 1 on. A retry is a further attempt. */
  readonly attempt: number;
  /** A signal that aborts when the request aborts. */
  readonly signal: AbortSignal;
}

/** The return value of `onRequest`. */
export interface RequestHookHeaderChanges {
  /** The headers to set, for http. `undefined` removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * True to send `headers` after a redirect to another origin too. Default false: the client ignores `headers` after a
   * redirect to another origin, because they may contain a secret.
   */
  readonly crossOrigin?: boolean | undefined;
}

/** The argument of `onResponse`: a result without its body. */
export interface ResponseHookEvent {
  /** The URL of the result, which may be the target of a redirect. */
  readonly url: Url;
  readonly redirectChain: readonly RedirectChainEntry[];
  readonly operation: string;
  /**
   * The kind of the fetched resource, as in `content` or `directory`. The kind is `undefined` for an operation that
   * returns no resource, as in `put`.
   */
  readonly kind: string | undefined;
  /** The status code of the response, for http. */
  readonly status: number | undefined;
  /** The headers of the response, for http. */
  readonly headers: HeaderPairs;
  readonly attempt: number;
  /** The time since the start of the request, in milliseconds. */
  readonly elapsedMs: number;
  /** A signal that aborts when the request aborts. */
  readonly signal: AbortSignal;
}

// eslint-disable-next-line @typescript-eslint/no-invalid-void-type
export type RequestHook = (
  event: RequestHookEvent,
) => RequestHookHeaderChanges | void | Promise<RequestHookHeaderChanges | void>;
export type ResponseHook = (event: ResponseHookEvent) => void | Promise<void>;

/** The hooks of a request. The client calls the functions of an array of hooks in order. */
export interface Hooks {
  /**
   * Called before the client requests each URL of each attempt, redirects included. The hook may return `{ headers }`,
   * which the http scheme checks and sends. After a redirect to another origin, the client ignores the headers that
   * `onRequest` returns unless `crossOrigin` is true. When the hook `onRequest` throws, the request fails with
   * `plugin`.
   */
  readonly onRequest?: RequestHook | readonly RequestHook[] | undefined;
  /**
   * Called with the result of each attempt that does not throw, without its body. Redirects that were followed are in
   * `redirectChain`. When the hook `onResponse` throws, the client closes the result, and the request fails with
   * `plugin`.
   */
  readonly onResponse?: ResponseHook | readonly ResponseHook[] | undefined;
}

const hook = createEitherOptionKind(
  callbackOptionKind,
  createArrayOptionKind(callbackOptionKind, "functions"),
);

export const HOOK_OPTION_KINDS: OptionTable<Hooks> = { onRequest: hook, onResponse: hook };

/** Returns the functions of two hook options as one array, in order. */
export function concatHookFunctions<H>(first: H | readonly H[] | undefined, second?: H | readonly H[]): H[] {
  return [first ?? [], second ?? []].flat() as H[];
}
