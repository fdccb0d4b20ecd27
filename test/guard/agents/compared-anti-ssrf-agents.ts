import { once } from "node:events";
import { get, type Agent as HttpAgent } from "node:http";
import type { Agent as HttpsAgent } from "node:https";
import { guardedHttpAgent, guardedHttpsAgent } from "@anyscheme/core/http-agent";
import { guardedAgent } from "@anyscheme/undici";
import axios from "axios";
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from "request-filtering-agent";
import ssrfFilter from "ssrf-req-filter";
import { Agent, fetch } from "undici";
import type { SsrfAttack } from "./ssrf-attacks.ts";

/** An HTTP client with an agent that protects it from SSRF. */
interface ContenderClient {
  request(url: string, attack: SsrfAttack): Promise<unknown>;
  close(): Promise<void> | void;
}

/** A compared HTTP agent against SSRF, which is used as its documentation describes. */
export interface ComparedAntiSsrfAgent {
  readonly name: string;
  readonly createClient: () => ContenderClient;
}

/** Returns a client that calls `fetch` with an agent of undici. */
function createFetchClient(dispatcher: Agent): ContenderClient {
  return {
    request: async (url) => (await fetch(url, { dispatcher })).text(),
    close: () => dispatcher.destroy(),
  };
}

/** Uses agents of `node:http` under axios, which follows redirects and uses the proxy of the environment. */
function createAxiosClient(httpAgent: HttpAgent, httpsAgent: HttpsAgent): ContenderClient {
  return {
    async request(url, { isRawHost }) {
      if (isRawHost !== true) return axios.get(url, { httpAgent, httpsAgent, timeout: 5_000 });
      const host = url.slice("http://".length, -1);
      const [response] = (await once(get({ host, agent: httpAgent }), "response")) as [NodeJS.ReadableStream];
      return response.resume();
    },
    close() {
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
}

const keepAlive = { keepAlive: true };

export const COMPARED_ANTI_SSRF_AGENTS: readonly ComparedAntiSsrfAgent[] = [
  { name: "@anyscheme/undici", createClient: () => createFetchClient(guardedAgent()) },
  {
    name: "@anyscheme/core/http-agent",
    createClient: () => createAxiosClient(guardedHttpAgent(), guardedHttpsAgent()),
  },
  {
    name: "request-filtering-agent 3.2.1",
    createClient: () =>
      createAxiosClient(new RequestFilteringHttpAgent(keepAlive), new RequestFilteringHttpsAgent(keepAlive)),
  },
  {
    name: "ssrf-req-filter 1.1.1",
    createClient: () => createAxiosClient(ssrfFilter("http://"), ssrfFilter("https://")),
  },
  { name: "undici 8.12.4", createClient: () => createFetchClient(new Agent()) },
];
