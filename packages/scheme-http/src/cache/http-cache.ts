// Answers http requests from the client's cache, and stores responses in the cache. RFC 9111.
import { AccessError } from "@anyscheme/core";
import { createOnlyIfCachedError, createSendStep, type RequestCache } from "@anyscheme/core/plugin";
import { EMPTY_BYTE_SOURCE } from "@anyscheme/core/io";
import type { HttpResponseReader } from "../connection/http-exchange.ts";
import type { HttpRequestSender } from "../connection/http-request-sender.ts";
import {
  classifyResponseStatus,
  parseContentCodings,
  type HttpResponseHead,
} from "../response/response-head.ts";
import { toCacheableHttpRequest, type CacheableHttpRequest } from "./cacheable-http-request.ts";
import { createCachedResponseReader, createBodilessResponseReader } from "./cached-response-reader.ts";
import {
  canUseStaleAfterError,
  toStoredResponseMetadata,
  createVaryDigest,
  createStoredResponseHeadWithAge,
  isStorableAfterRevalidation,
  isUsableWithoutRequest,
  isStoredResponseNotModified,
  parseStoredResponseMetadata,
  type StoredResponseMetadata,
  updateStoredResponseMetadata,
} from "./stored-response.ts";

interface StoredResponse {
  readonly variant: string;
  readonly data: StoredResponseMetadata;
  /** Returns the stored response, or `undefined` when the cache cannot read its body. */
  open(): Promise<HttpResponseReader | undefined>;
}

/**
 * The step that revalidates a stored response with a conditional request. No plan lists this step, because a plan does
 * not depend on the cache.
 */
const REVALIDATE_STEP = createSendStep(
  undefined,
  "RFC 9111 4.3.1",
  "the client asks the server whether the stored response is current",
);

/** The statuses after which `stale-if-error` allows a stale response. RFC 5861 §4. */
const ERROR_STATUSES: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/**
 * Returns the response to a planned request: a stored response, or the response of the server. Stores the response of
 * the server if RFC 9111 §3 allows this. Throws `unavailable` for a request with `only-if-cached` without a stored
 * response.
 */
export async function sendThroughCache(sender: HttpRequestSender): Promise<HttpResponseReader> {
  const { hop } = sender;
  const { cache } = hop.context;
  const planned = await sender.createRequestWithCookies();
  const request = cache && toCacheableHttpRequest(planned, cache, hop);
  if (!cache || !request) {
    if (hop.requestOptions.cache === "only-if-cached") throw createOnlyIfCachedError();
    return sender.sendPlannedRequest();
  }
  return new CachedSender(sender, cache, request).send();
}

class CachedSender {
  readonly #sender: HttpRequestSender;
  readonly #cache: RequestCache;
  readonly #request: CacheableHttpRequest;

  constructor(sender: HttpRequestSender, cache: RequestCache, request: CacheableHttpRequest) {
    this.#sender = sender;
    this.#cache = cache;
    this.#request = request;
  }

  async send(): Promise<HttpResponseReader> {
    const { mode, onlyIfCached, isHead } = this.#request;
    const stored = mode === "reload" ? undefined : await this.#findStored();
    const isUsable = stored && isUsableWithoutRequest(stored.data, this.#request);
    const current = isUsable ? await stored.open() : undefined;
    if (current) return this.#useFresh(current);
    if (onlyIfCached) throw createOnlyIfCachedError();
    const stale = isUsable || isHead ? undefined : stored;
    if (!stale) this.#trace("miss");
    // The response to HEAD has no body, so the cache stores nothing.
    if (isHead) return this.#sender.sendPlannedRequest();
    return stale ? this.#revalidate(stale) : this.#sendAndStore();
  }

  /** Returns the newest stored response that the request selects. RFC 9111 §4, §4.1. */
  async #findStored(): Promise<StoredResponse | undefined> {
    const { key, partition, headers } = this.#request;
    for (const entry of await this.#cache.find(key, partition)) {
      const data = parseStoredResponseMetadata(entry.schemeData);
      if (
        !data ||
        createVaryDigest(data.varyHeaderNames, headers) !== entry.variant ||
        !this.#canReturn(data)
      )
        continue;
      const open = async (): Promise<HttpResponseReader | undefined> => {
        const head = createStoredResponseHeadWithAge(data);
        if (this.#request.isHead) return createBodilessResponseReader(head);
        const body = await entry.openBody();
        return body && createCachedResponseReader(head, body, entry.size, this.#sender.receivedBytes);
      };
      return { variant: entry.variant, data, open };
    }
    return undefined;
  }

  #canReturn(data: StoredResponseMetadata): boolean {
    if (this.#request.isHead) return true;
    if (!data.hasBody && !this.#discardsBody(data)) return false;
    // The positions of a range count the bytes without content coding.
    return this.#sender.hop.requestOptions.range === undefined || parseContentCodings(data).length === 0;
  }

  /** True for a response whose body the client does not read: a redirect that it follows, and an error. */
  #discardsBody({ status, headers }: Pick<HttpResponseHead, "status" | "headers">): boolean {
    const { redirect = "follow", throwHttpErrors = true } = this.#sender.hop.requestOptions;
    const outcome = classifyResponseStatus(status);
    if (outcome === "redirect") return redirect === "follow" && headers["location"] !== undefined;
    return throwHttpErrors && outcome !== "content";
  }

  /** Returns a fresh response, or `not-modified` if the condition of the caller is false. RFC 9111 §4.3.2. */
  #useFresh(reader: HttpResponseReader): HttpResponseReader {
    const { responseHead: head } = reader;
    this.#trace(`hit, age ${head.headers["age"]?.[0] ?? 0} s`);
    if (!isStoredResponseNotModified(head, this.#sender.hop.requestOptions)) return reader;
    reader.releaseOrClose();
    const { version, headers } = head;
    return createBodilessResponseReader({ version, status: 304, reason: "Not Modified", headers });
  }

  /** Asks the server whether a stored response is current. RFC 9111 §4.3. */
  async #revalidate(stored: StoredResponse): Promise<HttpResponseReader> {
    const conditions = this.#request.hasCallerConditionOrRange ? [] : createConditions(stored.data);
    this.#trace(conditions.length > 0 ? "stale, the client revalidates the stored response" : "miss");
    let reader: HttpResponseReader;
    const requestedAtMs = Date.now();
    try {
      const request = (await this.#sender.createRequestWithCookies()).withHeaders(conditions);
      reader = await (conditions.length > 0
        ? this.#sender.sendRequest(REVALIDATE_STEP, request)
        : this.#sender.sendPlannedRequest());
    } catch (error) {
      const replacement = isServerFailure(error) ? await this.#openAfterError(stored) : undefined;
      if (replacement && !this.#sender.hop.context.signal.aborted) return replacement;
      throw error;
    }
    const { status } = reader.responseHead;
    if (ERROR_STATUSES.has(status)) {
      const replacement = await this.#openAfterError(stored);
      if (replacement) reader.releaseOrClose();
      if (replacement) return replacement;
    }
    if (status !== 304 || conditions.length === 0) return this.#store(reader, requestedAtMs);
    reader.releaseOrClose();
    return (await this.#useRevalidated(stored, reader, requestedAtMs)) ?? this.#sendAndStore();
  }

  /** Returns a stale response if `stale-if-error` allows its use. RFC 5861 §4. */
  async #openAfterError(stored: StoredResponse): Promise<HttpResponseReader | undefined> {
    if (!canUseStaleAfterError(stored.data, this.#request)) return undefined;
    const reader = await stored.open();
    if (reader) this.#trace("stale response used after an error of the server");
    return reader;
  }

  /** Returns the stored response with the headers of a 304 response. RFC 9111 §4.3.4. */
  async #useRevalidated(
    stored: StoredResponse,
    { responseHead: head, request }: HttpResponseReader,
    requestedAtMs: number,
  ): Promise<HttpResponseReader | undefined> {
    if (!this.#isOwnPartition(request.isAuthorized)) return undefined;
    const data = updateStoredResponseMetadata(stored.data, head, this.#request, requestedAtMs);
    if (!data) return undefined;
    const { key, partition } = this.#request;
    const reader = await stored.open();
    if (!reader) return undefined;
    if (isStorableAfterRevalidation(data))
      await this.#cache.update({ key, partition, variant: stored.variant, schemeData: data });
    else await this.#cache.invalidate(key);
    this.#trace("revalidated");
    return { ...reader, responseHead: createStoredResponseHeadWithAge(data) };
  }

  async #sendAndStore(): Promise<HttpResponseReader> {
    const requestedAtMs = Date.now();
    return this.#store(await this.#sender.sendPlannedRequest(), requestedAtMs);
  }

  /** Returns a response whose body is stored while the caller reads it. RFC 9111 §3. */
  async #store(reader: HttpResponseReader, requestedAtMs: number): Promise<HttpResponseReader> {
    const { responseHead: head, request, bodyLength } = reader;
    if (reader.completeness !== "verified" || !this.#isOwnPartition(request.isAuthorized)) return reader;
    const hasBody = !this.#discardsBody(head);
    const schemeData = toStoredResponseMetadata(head, this.#request, {
      hasBody,
      requestedAtMs,
    });
    if (!schemeData) return reader;
    const { key, partition, headers } = this.#request;
    const init = {
      key,
      partition,
      variant: createVaryDigest(schemeData.varyHeaderNames, headers),
      schemeData,
    };
    if (!hasBody) {
      const empty = await this.#cache.store({ ...init, size: 0 }, EMPTY_BYTE_SOURCE);
      await empty.readChunks(() => true);
      return reader;
    }
    const source = await this.#cache.store({ ...init, size: bodyLength }, reader);
    return {
      request,
      responseHead: head,
      bodyLength,
      completeness: reader.completeness,
      readChunks: (onChunk) => source.readChunks(onChunk),
      cancel: () => source.cancel(),
      releaseOrClose() {
        source.cancel();
        reader.releaseOrClose();
      },
    };
  }

  /** False when the request had credentials that were unknown when the partition of the cache was computed. */
  #isOwnPartition(isAuthorized: boolean): boolean {
    return !isAuthorized || this.#request.partitionIncludesCredentials;
  }

  #trace(text: string): void {
    this.#sender.hop.context.trace({ action: "cache", text });
  }
}

/** Returns the headers of a conditional request. RFC 9111 §4.3.1. */
function createConditions({ headers }: StoredResponseMetadata): (readonly [string, string])[] {
  const [tag] = headers["etag"] ?? [];
  const [modified] = headers["last-modified"] ?? [];
  return [
    ...(tag === undefined ? [] : [["if-none-match", tag] as const]),
    ...(modified === undefined ? [] : [["if-modified-since", modified] as const]),
  ];
}

/** True for an error that means that the server could not be reached or did not answer. */
function isServerFailure(error: unknown): boolean {
  return error instanceof AccessError && ["unavailable", "timeout", "incomplete"].includes(error.code);
}
