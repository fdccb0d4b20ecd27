import type { Client, ClientOptions } from "@anyscheme/core";
import { memoryCache, type CacheStore } from "@anyscheme/core/cache";
import { startScriptedServer } from "@anyscheme/core/testing";
import {
  createServerUrl,
  createTestClient,
  getWithGivenClient,
  type HttpGetOptions,
  type HttpTestClient,
  readRequestHead,
} from "../test-client.ts";

/** A function that creates the response of the server from the lines of a request. */
type Responder = (request: readonly string[], index: number) => string;

/** A server that answers each request with `respond`, and records the requests. */
export interface RecordingOriginServer extends AsyncDisposable {
  readonly requests: readonly (readonly string[])[];
  readonly url: (path?: string) => `http://${string}`;
  /** The number of connections that clients have opened. */
  readonly connectionCount: number;
}

export async function startRecordingOriginServer(respond: Responder): Promise<RecordingOriginServer> {
  const requests: string[][] = [];
  const server = await startScriptedServer(async (peer) => {
    for (let head = await readRequestHead(peer); head.length > 0; head = await readRequestHead(peer)) {
      requests.push(head);
      peer.send(respond(head, requests.length - 1));
    }
  });
  return {
    requests,
    url: (path) => createServerUrl(server, path),
    get connectionCount() {
      return server.connections.length;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Returns a response with a body and its length. */
export function createResponseText(body: string, headers: string[] = [], status = "200 OK"): string {
  return [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`, "", body].join(
    "\r\n",
  );
}

export const hasHeader = (request: readonly string[], name: string): boolean =>
  request.some((line) => line.startsWith(`${name}:`));

/** A client with a cache that records the trace events of the cache. */
export interface CacheTracingTestClient {
  readonly client: HttpTestClient & Client;
  readonly cache: CacheStore;
  readonly traces: string[];
  /** Fetches a URL and returns its body. */
  readonly read: (url: string, options?: HttpGetOptions) => Promise<string>;
}

export function createCachingClient(options: Partial<ClientOptions> = {}): CacheTracingTestClient {
  const traces: string[] = [];
  const cache = options.cache ?? memoryCache();
  const client = createTestClient({
    ...options,
    cache,
    trace: ({ action, text }) => action === "cache" && traces.push(text),
  });
  const read = async (url: string, requestOptions?: HttpGetOptions): Promise<string> =>
    (await getWithGivenClient(client, url, requestOptions)).text();
  return { client, cache, traces, read };
}
