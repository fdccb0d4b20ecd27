import {
  AccessError,
  type Client,
  createClient,
  publicInternet,
  type Scheme,
  anyAddress,
  type Url,
} from "@anyscheme/core";
import { type AccessContext, connectSteps, makePlan, type Socket } from "@anyscheme/core/plugin";
import { startScriptedServer, startTripwire } from "@anyscheme/core/testing";
import { gopher, gopherSyntax, type GopherUrl } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { prospero } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";
import { startDatagramServer } from "../servers/ardp-server.ts";
import { mayUse, PORT_ROWS, type PortRow, SAMPLE, WRITTEN } from "./port-rules.ts";

const CRLF = "\r\n";
/** Numbers, and other ways to write a port; with the port that is meant. */
const TEXTS = [...SAMPLE.map((port) => [String(port), port] as const), ...WRITTEN];

/** Whether the table lets this port be used, however it is written. */
function expected(row: PortRow, meant: number | "default" | undefined): boolean {
  if (meant === undefined) return false;
  return mayUse(row, meant === "default" ? row.defaultPort : meant);
}

const row = (name: string): PortRow => PORT_ROWS[name] as PortRow;

/** A client that finds `h.example` here, and asks for every other name in vain; with the names. */
function clientFor(
  schemes: readonly Scheme[],
  port: number,
  allowSchemeRedirects: Record<string, string[]> = {},
): { client: Client; asked: string[] } {
  const asked: string[] = [];
  const client = createClient({
    schemes,
    policy: anyAddress({ allowPorts: { gopher: [port], prospero: [port] }, allowSchemeRedirects }),
    resolver(name) {
      asked.push(name);
      return Promise.resolve(name === "h.example" ? ["127.0.0.1"] : []);
    },
  });
  return { client, asked };
}

describe("a port in a redirect", () => {
  it.each(["http", "gopher"])("to %s is under the rule of the first URL", async (scheme) => {
    let location = "";
    await using server = await startScriptedServer(async (peer) => {
      while (await peer.line());
      peer.send(
        Buffer.from(`HTTP/1.1 302 Found${CRLF}location: ${location}${CRLF}connection: close${CRLF}${CRLF}`),
      );
    });
    const { client, asked } = clientFor([http(), gopher()], server.port, { http: ["gopher"] });
    for (const [text, meant] of TEXTS) {
      location = `${scheme}://next.example:${text}/`;
      asked.length = 0;
      const error: unknown = await client
        .dereference(`http://h.example:${server.port}/`)
        .catch((reason: unknown) => reason);
      expect(error, text).toBeInstanceOf(AccessError);
      expect(asked, `${text}: ${String(error)}`).toEqual(
        expected(row(scheme), meant) ? ["h.example", "next.example"] : ["h.example"],
      );
    }
    await client.destroy();
  });
});

describe("a port in a menu", () => {
  it("is under the rule of the first URL, or there is no URL", async () => {
    const items = TEXTS.map(([text]) => `0item\t/s\tnext.example\t${text}${CRLF}`).join("");
    await using server = await startScriptedServer(async (peer) => {
      await peer.line();
      peer.send(Buffer.from(items));
    });
    const { client, asked } = clientFor([gopher()], server.port);
    const menu = await client.dereference(`gopher://h.example:${server.port}/1`);
    if (menu.kind !== "directory") throw new Error(`it is a ${menu.kind}`);
    const entries: { readonly url?: Url | undefined }[] = [];
    for await (const entry of menu) entries.push(entry);
    expect(entries).toHaveLength(TEXTS.length);
    for (const [index, [text, meant]] of TEXTS.entries()) {
      const url = entries[index]?.url;
      asked.length = 0;
      if (url) await client.dereference(url).catch(() => undefined);
      expect(asked, `${text}: ${String(url)}`).toEqual(
        // An item without a port has no server.
        meant !== "default" && expected(row("gopher"), meant) ? ["next.example"] : [],
      );
    }
    await client.destroy();
  });
});

describe("a port to which a Prospero server sends us on", () => {
  const ways: readonly (readonly [name: string, answer: (port: number, id: Buffer) => Buffer])[] = [
    [
      "by a redirect",
      (port, id) =>
        Buffer.from([19, ...id, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4, 127, 0, 0, 2, port >> 8, port & 0xff]),
    ],
    [
      "by FORWARDED",
      (port, id) =>
        Buffer.concat([
          Buffer.from([3, ...id]),
          Buffer.from(`FORWARDED INTERNET-D 127.0.0.2(${port}) ASCII x 0\n`),
        ]),
    ],
  ];
  it.each(ways)("%s is under the rule of the first URL", async (_, answer) => {
    for (const port of SAMPLE.filter((each) => !mayUse(row("prospero"), each))) {
      await using server = await startDatagramServer((_message, id) => [answer(port, id)]);
      const { client } = clientFor([prospero()], server.port);
      const events: string[] = [];
      const error: unknown = await client
        .dereference(`prospero://127.0.0.1:${server.port}/x`, {
          trace: ({ action, text }) => void (action === "connect" && events.push(text)),
        })
        .catch((reason: unknown) => reason);
      await client.destroy();
      // A port of 0 is none that a server could mean.
      expect((error as AccessError).code, String(port)).toMatch(
        port === 0 ? /^(refused-port|protocol|unsupported)$/ : /^refused-port$/,
      );
      expect(events.filter((text) => text.includes("127.0.0.2"))).toEqual([]);
    }
  });
});

describe("a port of a gateway", () => {
  it.each(["http", "gopher"])("of %s is under the rule of the first URL", async (scheme) => {
    for (const [text, meant] of TEXTS) {
      const asked: string[] = [];
      const make = (): Client =>
        createClient({
          schemes: [http(), gopher()],
          gateways: { "x-far": `${scheme}://gateway.example:${text}/0{url}` },
          policy: publicInternet(),
          resolver: (name) => (asked.push(name), Promise.resolve([])),
        });
      if (meant === undefined) {
        expect(make, text).toThrow(TypeError);
        continue;
      }
      const error: unknown = await make()
        .dereference("x-far:away")
        .catch((reason: unknown) => reason);
      const allowed = expected(row(scheme), meant);
      expect((error as AccessError).code, text).toBe(allowed ? "unavailable" : "refused-port");
      expect(asked, text).toEqual(allowed ? ["gateway.example"] : []);
    }
  });
});

describe("a plug-in scheme", () => {
  /** A scheme that does with the world whatever it likes. */
  function plugIn(
    attempt: (context: AccessContext) => Promise<unknown>,
    more: Partial<Scheme> = {},
  ): Scheme<GopherUrl> {
    return {
      name: "gopher",
      syntax: gopherSyntax,
      redirectSchemes: ["gopher"],
      plan: (url) => makePlan(url, connectSteps(url)),
      async access(_, context) {
        await attempt(context);
        return context.createResource("mailbox", { address: "", localPart: "", domain: "", headers: [] });
      },
      ...more,
    } as Scheme<GopherUrl>;
  }
  const host = "127.0.0.1";
  const lies = {
    policy: anyAddress({ allowPorts: { gopher: [6000] } }),
    allowPorts: [6000],
    speaksFirst: "server",
  };

  /** Lets the scheme redirect to itself, so that the rule of ports is what refuses. */
  const redirects: Partial<Scheme> = { redirectSchemes: ["gopher"] };

  it.each<[string, (context: AccessContext, port: number) => Promise<unknown>, string]>([
    ["another port than that of the URL", (context, port) => context.connect({ host, port }), "refused-port"],
    [
      "the same with options of its own",
      (context, port) => context.connect({ host, port, ...lies }, lies as object),
      "refused-port",
    ],
    [
      "datagrams",
      (context, port) => context.openDatagramSocket({ host, port, ...lies }, lies as object),
      "refused-port",
    ],
    [
      "datagrams, as if redirected",
      (context, port) => context.openDatagramSocket({ host, port }, { redirected: true }),
      "refused-port",
    ],
    [
      "the peer of a socket that nobody has opened",
      (context, port) =>
        context.connect({ samePeerAs: { remoteAddress: host, destroyed: false } as Socket, port }),
      "refused-address",
    ],
    [
      "another URL, with a port of its own",
      (context, port) => context.redirectTo(context.parse(`gopher://${host}:${port}/`)),
      "refused-port",
    ],
  ])("gets to no tripwire by %s", async (_, attempt, code) => {
    await using tripwire = await startTripwire();
    let first = true;
    const scheme = plugIn((context) => {
      const again = !first;
      first = false;
      return again ? context.connect({ host, port: tripwire.port }) : attempt(context, tripwire.port);
    }, redirects);
    await using client = createClient({ schemes: [scheme], policy: anyAddress() });
    const error: unknown = await client.dereference(`gopher://${host}/`).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect(tripwire.connections).toHaveLength(0);
  });

  it.each<[string, Partial<Scheme>, number]>([
    ["that says nothing of who speaks first", {}, 0],
    ["that says something else", { speaksFirst: "nobody" as "client" }, 0],
    ["that says that its server does", { speaksFirst: "server" }, 1],
  ])("%s gets to as many free ports", async (_, more, connections) => {
    await using tripwire = await startTripwire();
    const scheme = plugIn((context) => context.connect({ host, port: tripwire.port }), more);
    await using client = createClient({ schemes: [scheme], policy: anyAddress() });
    await client.dereference(`gopher://${host}/`).catch(() => undefined);
    expect(tripwire.connections).toHaveLength(connections);
  });
});
