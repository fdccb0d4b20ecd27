/**
 * Limits on concurrent requests to the gateway. A request for unchanged content is a download, and every other request
 * is a page.
 */
export interface ConcurrentRequestLimits {
  /**
   * The maximum number of concurrent page requests. A download counts as a page until the remote server has
   * responded. Default 64.
   */
  readonly pages: number;
  /**
   * The maximum number of concurrent page requests from one client: an IPv4 address, or a /64 network of IPv6
   * addresses. Default 8.
   */
  readonly pagesPerClient: number;
  /** The maximum number of concurrent page requests to one remote host. Default 8. */
  readonly pagesPerHost: number;
  /**
   * The maximum number of concurrent downloads. A running download may last for hours, so it no longer counts as a
   * page. Default 32.
   */
  readonly downloads: number;
  /** The maximum number of concurrent downloads from one client, counted as for `pagesPerClient`. Default 8. */
  readonly downloadsPerClient: number;
  /**
   * The maximum number of concurrent downloads from one remote host. Default 6. The gateway opens at most 8 connections
   * to a host, and page requests need some of these connections.
   */
  readonly downloadsPerHost: number;
}

export const DEFAULT_CONCURRENT_REQUEST_LIMITS: ConcurrentRequestLimits = {
  pages: 64,
  pagesPerClient: 8,
  pagesPerHost: 8,
  downloads: 32,
  downloadsPerClient: 8,
  downloadsPerHost: 6,
};

/** Counts the running requests to the gateway and refuses requests beyond the limits. */
export class ConcurrentRequestLimiter {
  readonly #limits: ConcurrentRequestLimits;
  readonly #counts = new Map<string, number>();

  constructor(limits: ConcurrentRequestLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a request. Returns a function that removes the request from the count, or undefined if a limit is reached.
   */
  tryAcquire(kind: "page" | "download", client: string, host: string): (() => void) | undefined {
    const keys = [
      [kind, this.#limits[`${kind}s`]],
      [`${kind} for ${client}`, this.#limits[`${kind}sPerClient`]],
      [`${kind} from ${host}`, this.#limits[`${kind}sPerHost`]],
    ] as const;
    if (keys.some(([key, limit]) => (this.#counts.get(key) ?? 0) >= limit)) return undefined;
    for (const [key] of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      for (const [key] of keys) this.#decrement(key);
    };
  }

  #decrement(key: string): void {
    const count = (this.#counts.get(key) ?? 1) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
