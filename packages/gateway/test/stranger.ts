import { Socket as DatagramSocket } from "node:dgram";
import { Agent } from "node:http";
import { Socket } from "node:net";
import { createClient } from "@anyscheme/core";
import { POLICY, SCHEME } from "@anyscheme/core/tsyringe";
import { expect, vi } from "vitest";
import { composeContainer } from "../src/compose.ts";
import { startGateway } from "../src/index.ts";
import { type Answer, ask, type GetOptions } from "./serve.ts";

/** The gateway as it is composed, seen by a stranger; and what it does to others for him. */
export interface Site extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  /** What is sent, byte by byte, is up to the stranger; every answer has been looked at for what no answer may hold. */
  ask(target: string, options?: GetOptions): Promise<Answer>;
  /** Sends a URL in every way that can carry it. Typed into the form of a page, it goes where a browser is led. */
  everyWay(url: string): Promise<Readonly<Record<string, Answer>>>;
  /** The same for a URL that leads nowhere: one status whichever way it comes, a page that says why, and nobody reached. */
  expectRefused(url: string, status: number): Promise<void>;
  /** The names that were looked up, and where connections and datagrams went, since the last call. */
  reached(): { readonly names: readonly string[]; readonly places: readonly string[] };
}

/** A password that somebody has typed; no answer repeats it. */
export const NEEDLE = "n33dle-pa55";

/** Nobody was looked up, nobody was reached. */
export const NOBODY = { names: [], places: [] };

/** Starts the gateway with its own schemes and its own policy; `resolve` says what a name leads to. */
export async function startSite(resolve: (name: string) => readonly string[]): Promise<Site> {
  const names: string[] = [];
  const container = composeContainer();
  const client = createClient({
    schemes: container.resolveAll(SCHEME),
    policy: container.resolve(POLICY),
    resolver: (name) => (names.push(name), Promise.resolve(resolve(name))),
  });
  const gateway = await startGateway(client, { port: 0 });
  const agent = new Agent({ keepAlive: true });
  const places = watchPlaces(agent);
  const logs = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write"));
  const origin = `http://127.0.0.1:${gateway.port}`;

  async function follow(answer: Answer): Promise<Answer> {
    if (answer.status !== 303) return answer;
    const location = String(answer.headers["location"]);
    // A header field of US-ASCII; and whatever stands there, a browser stays with the gateway.
    expect(location).toMatch(/^\/[!-~]*$/);
    const led = new URL(location, origin);
    expect(led.origin).toBe(origin);
    return site.ask(led.href.slice(origin.length));
  }
  const site: Site = {
    port: gateway.port,
    origin,
    async ask(target, options) {
      const answer = await ask(gateway.port, target, { ...options, agent });
      expectHarmless(answer);
      for (const { mock } of logs) expect(JSON.stringify(mock.calls)).not.toContain(NEEDLE);
      return answer;
    },
    async everyWay(url) {
      const encoded = encodeURIComponent(url);
      const answers: Record<string, Answer> = {
        typed: await follow(await site.ask(`/?url=${encoded}`)),
        query: await site.ask(`/~page?url=${encoded}`),
        raw: await site.ask(`/~raw?url=${encoded}`),
        form: await site.ask("/~form", { method: "POST", body: `url=${encoded}` }),
      };
      // What is no target, no program can send.
      if (/[^!-~]|#/.test(url)) return answers;
      const [, scheme, rest] = /^([A-Za-z0-9][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(url) ?? [];
      if (scheme !== undefined) answers["path"] = await site.ask(`/${scheme}/${rest}`);
      // Node takes no others.
      if (/^[A-Za-z]+:\/\//.test(url)) answers["proxy"] = await site.ask(url);
      return answers;
    },
    async expectRefused(url, status) {
      const answers = await site.everyWay(url);
      const found = Object.entries(answers).map(([way, answer]) => [way, answer.status]);
      expect(found, url).toEqual(Object.keys(answers).map((way) => [way, status]));
      expect(site.reached(), url).toEqual(NOBODY);
      expect(answers["typed"]?.text).toContain('role="alert"');
    },
    reached: () => ({ names: names.splice(0), places: places() }),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await gateway.close();
      await client.destroy();
      vi.restoreAllMocks();
    },
  };
  return site;
}

/** Where this process has connected and sent datagrams to since the last call, except for what the stranger does himself. */
function watchPlaces(stranger: Agent): () => string[] {
  const connections = vi.spyOn(Socket.prototype, "connect");
  const datagrams = [
    vi.spyOn(DatagramSocket.prototype, "connect"),
    vi.spyOn(DatagramSocket.prototype, "send"),
  ];
  return () => {
    const places: string[] = [];
    for (const call of connections.mock.calls as unknown[][]) {
      // Node hands on what it has made of the arguments: an array that begins with the options.
      const [{ agent, host, port }] = call.flat() as [{ agent?: Agent; host?: string; port?: number }];
      if (agent !== stranger) places.push(`${host} port ${port}`);
    }
    connections.mockClear();
    for (const sending of datagrams) {
      places.push(...sending.mock.calls.map(() => "somebody, by datagrams"));
      sending.mockClear();
    }
    return places;
  };
}

const MOVES =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const FIELDS_OF_OURS =
  /^(?:allow|cache-control|connection|content-\w+|last-modified|content-security-policy|cross-origin-resource-policy|date|keep-alive|location|referrer-policy|retry-after|transfer-encoding|x-content-type-options)$/;

/** What no answer holds, whatever was asked. */
export function expectHarmless({ headers, text }: Answer): void {
  expect(JSON.stringify(headers) + text).not.toContain(NEEDLE);
  expect(Object.keys(headers).filter((name) => !FIELDS_OF_OURS.test(name))).toEqual([]);
  // No file of this machine.
  expect(text).not.toContain("root:");
  // Nothing that moves a cursor, or turns the direction of writing.
  expect(text).not.toMatch(MOVES);
  if (!String(headers["content-type"]).startsWith("text/html")) return;
  expect(headers["content-security-policy"]).toContain("default-src 'none'");
  // Values apart, the only tags and attributes are those of the pages themselves.
  const values = [...text.matchAll(/\s(?:href|action|src)="([^"]*)"/g)].map(([, value]) => value);
  for (const value of values) expect(value).toMatch(/^(?:[/#]|(?:ftp|gopher|http|mailto|news|telnet):)/);
  const tags = text.replaceAll(/="[^"]*"/g, "").match(/<[^>]*>/g) ?? [];
  expect(tags.filter((tag) => /^<(?:script|img|svg|iframe|object|base)|\son\w+/i.test(tag))).toEqual([]);
}
