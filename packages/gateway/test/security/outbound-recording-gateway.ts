import { Socket as DatagramSocket } from "node:dgram";
import { Agent } from "node:http";
import { Socket } from "node:net";
import { createClient } from "@anyscheme/core";
import { POLICY_TSYRINGE_TOKEN, SCHEME_TSYRINGE_TOKEN } from "@anyscheme/core/tsyringe";
import { expect, vi } from "vitest";
import { createDefaultClientContainer } from "../../src/default-client.ts";
import { startGateway } from "../../src/index.ts";
import {
  type ReceivedGatewayResponse,
  sendRequestToGateway,
  type TestRequestOptions,
} from "../test-gateway.ts";

/** A gateway with its default client, which records the connections that it opens. */
export interface OutboundRecordingGateway extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  /** Sends a request unchanged, and checks the response with `expectSafeResponse`. */
  request(target: string, options?: TestRequestOptions): Promise<ReceivedGatewayResponse>;
  /**
   * Sends a URL to the gateway as a form value, in a query, and if possible in a path and in a proxy request.
   * Follows the redirect in the response to the form.
   */
  requestAllForms(url: string): Promise<Readonly<Record<string, ReceivedGatewayResponse>>>;
  /**
   * Sends a URL in every kind of request. Expects an error page with the given status for each request, and no contact
   * to a server.
   */
  expectUrlRefused(url: string, status: number): Promise<void>;
  /** Returns the resolved names and the contacted destinations since the last call. */
  takeContactedServers(): {
    readonly dnsNames: readonly string[];
    readonly destinations: readonly string[];
  };
}

/** A password that no response may contain. */
export const SECRET_PASSWORD = "n33dle-pa55";

/** The expected contacts of a request that resolves no name and opens no connection. */
export const NO_CONTACTED_SERVERS = { dnsNames: [], destinations: [] };

/**
 * Starts the gateway with its default schemes and policy. The function `resolve` returns the addresses of a host
 * name.
 */
export async function startOutboundRecordingGateway(
  resolve: (name: string) => readonly string[],
): Promise<OutboundRecordingGateway> {
  const names: string[] = [];
  const container = createDefaultClientContainer();
  const client = createClient({
    schemes: container.resolveAll(SCHEME_TSYRINGE_TOKEN),
    policy: container.resolve(POLICY_TSYRINGE_TOKEN),
    resolver: (name) => (names.push(name), Promise.resolve(resolve(name))),
  });
  const gateway = await startGateway(client, { port: 0 });
  const agent = new Agent({ keepAlive: true });
  const takeDestinations = recordDestinations(agent);
  const logs = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write"));
  const origin = `http://127.0.0.1:${gateway.port}`;

  async function follow(answer: ReceivedGatewayResponse): Promise<ReceivedGatewayResponse> {
    if (answer.status !== 303) return answer;
    const location = String(answer.headers["location"]);
    // The field Location contains a US-ASCII path of the gateway.
    expect(location).toMatch(/^\/[!-~]*$/);
    const target = new URL(location, origin);
    expect(target.origin).toBe(origin);
    return probe.request(target.href.slice(origin.length));
  }
  const probe: OutboundRecordingGateway = {
    port: gateway.port,
    origin,
    async request(target, options) {
      const answer = await sendRequestToGateway(gateway.port, target, { ...options, agent });
      expectSafeResponse(answer);
      for (const { mock } of logs) expect(JSON.stringify(mock.calls)).not.toContain(SECRET_PASSWORD);
      return answer;
    },
    async requestAllForms(url) {
      const encoded = encodeURIComponent(url);
      const responses: Record<string, ReceivedGatewayResponse> = {
        typed: await follow(await probe.request(`/?url=${encoded}`)),
        query: await probe.request(`/~page?url=${encoded}`),
        raw: await probe.request(`/~raw?url=${encoded}`),
        form: await probe.request("/~form", { method: "POST", body: `url=${encoded}` }),
      };
      // A URL with white space, control characters, "#" or non-ASCII characters cannot be sent as a request target.
      if (/[^!-~]|#/.test(url)) return responses;
      const [, scheme, rest] = /^([A-Za-z0-9][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(url) ?? [];
      if (scheme !== undefined) responses["path"] = await probe.request(`/${scheme}/${rest}`);
      // The HTTP client of Node.js accepts a URL as a request target only if letters and `://` are at its beginning.
      if (/^[A-Za-z]+:\/\//.test(url)) responses["proxy"] = await probe.request(url);
      return responses;
    },
    async expectUrlRefused(url, status) {
      const responses = await probe.requestAllForms(url);
      const found = Object.entries(responses).map(([form, response]) => [form, response.status]);
      expect(found, url).toEqual(Object.keys(responses).map((form) => [form, status]));
      expect(probe.takeContactedServers(), url).toEqual(NO_CONTACTED_SERVERS);
      expect(responses["typed"]?.text).toContain('role="alert"');
    },
    takeContactedServers: () => ({
      dnsNames: names.splice(0),
      destinations: takeDestinations(),
    }),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await gateway.close();
      await client.destroy();
      vi.restoreAllMocks();
    },
  };
  return probe;
}

/**
 * Records the destinations of connections and datagrams of this process. The record ignores the connections of the
 * test itself.
 */
function recordDestinations(testAgent: Agent): () => string[] {
  const connections = vi.spyOn(Socket.prototype, "connect");
  const datagrams = [
    vi.spyOn(DatagramSocket.prototype, "connect"),
    vi.spyOn(DatagramSocket.prototype, "send"),
  ];
  return () => {
    const destinations: string[] = [];
    for (const call of connections.mock.calls as unknown[][]) {
      // Node.js passes the normalized arguments of connect(), an array that begins with the options.
      const [{ agent, host, port }] = call.flat() as [{ agent?: Agent; host?: string; port?: number }];
      if (agent !== testAgent) destinations.push(`${host} port ${port}`);
    }
    connections.mockClear();
    for (const sending of datagrams) {
      destinations.push(...sending.mock.calls.map(() => "datagram"));
      sending.mockClear();
    }
    return destinations;
  };
}

const UNESCAPED_CONTROL_CHARACTERS =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const ALLOWED_RESPONSE_HEADERS =
  /^(?:allow|cache-control|connection|content-\w+|last-modified|content-security-policy|cross-origin-resource-policy|date|keep-alive|location|referrer-policy|retry-after|transfer-encoding|x-content-type-options)$/;

/** Checks that a response has no secret, foreign header, script or unescaped control character. */
export function expectSafeResponse({ headers, text }: ReceivedGatewayResponse): void {
  expect(JSON.stringify(headers) + text).not.toContain(SECRET_PASSWORD);
  expect(Object.keys(headers).filter((name) => !ALLOWED_RESPONSE_HEADERS.test(name))).toEqual([]);
  // The response must contain no line of /etc/passwd.
  expect(text).not.toContain("root:");
  // The response must contain no control characters and no bidirectional characters.
  expect(text).not.toMatch(UNESCAPED_CONTROL_CHARACTERS);
  if (!String(headers["content-type"]).startsWith("text/html")) return;
  expect(headers["content-security-policy"]).toContain("default-src 'none'");
  // The response must contain only the tags and attributes of the gateway's own pages.
  const values = [...text.matchAll(/\s(?:href|action|src)="([^"]*)"/g)].map(([, value]) => value);
  for (const value of values) expect(value).toMatch(/^(?:[/#]|(?:ftp|gopher|http|mailto|news|telnet):)/);
  const tags = text.replaceAll(/="[^"]*"/g, "").match(/<[^>]*>/g) ?? [];
  expect(tags.filter((tag) => /^<(?:script|img|svg|iframe|object|base)|\son\w+/i.test(tag))).toEqual([]);
}
