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
import { startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { gopher, gopherSyntax, type GopherUrl } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { prospero } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";
import { startArdpServer } from "../servers/ardp-server.ts";
import { isPortAllowed, PORT_ROWS, type PortRow, SAMPLE_PORTS, PORT_TEXTS } from "./port-rules.ts";

const CRLF = "\r\n";
/** Texts of ports, with the port that each means. */
const TEXTS = [...SAMPLE_PORTS.map((port) => [String(port), port] as const), ...PORT_TEXTS];

/** True when the table allows the port for each of its texts. */
function expected(row: PortRow, meant: number | "default" | undefined): boolean {
  if (meant === undefined) return false;
  return isPortAllowed(row, meant === "default" ? row.defaultPort : meant);
}

const row = (name: string): PortRow => PORT_ROWS[name] as PortRow;

/** Creates a client that resolves only `h.example`. Records the other names. */
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

describe("the port rule for redirects", () => {
  it.each(["http", "gopher"])("a redirect to %s follows the same port rule as a URL", async (scheme) => {
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

describe("the port rule for Gopher menus", () => {
  it("a menu item follows the same port rule as a URL, or has no URL", async () => {
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
        // An item without a port has no URL.
        meant !== "default" && expected(row("gopher"), meant) ? ["next.example"] : [],
      );
    }
    await client.destroy();
  });
});

describe("the port rule for Prospero redirects", () => {
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
  it.each(ways)("a Prospero redirect to %s follows the same port rule as a URL", async (_, answer) => {
    for (const port of SAMPLE_PORTS.filter((each) => !isPortAllowed(row("prospero"), each))) {
      await using server = await startArdpServer((_message, id) => [answer(port, id)]);
      const { client } = clientFor([prospero()], server.port);
      const events: string[] = [];
      const error: unknown = await client
        .dereference(`prospero://127.0.0.1:${server.port}/x`, {
          trace: ({ action, text }) => void (action === "connect" && events.push(text)),
        })
        .catch((reason: unknown) => reason);
      await client.destroy();
      // Port 0 is invalid.
      expect((error as AccessError).code, String(port)).toMatch(
        port === 0 ? /^(refused-port|protocol|unsupported)$/ : /^refused-port$/,
      );
      expect(events.filter((text) => text.includes("127.0.0.2"))).toEqual([]);
    }
  });
});

describe("the port rule for gateways", () => {
  it.each(["http", "gopher"])(
    "a gateway at the port %s follows the same port rule as a URL",
    async (scheme) => {
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
    },
  );
});

describe("a plug-in scheme", () => {
  /** A scheme that attempts a forbidden action. */
  function plugIn(
    attempt: (context: AccessContext) => Promise<unknown>,
    overrides: Partial<Scheme> = {},
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
      ...overrides,
    } as Scheme<GopherUrl>;
  }
  const host = "127.0.0.1";
  const lies = {
    policy: anyAddress({ allowPorts: { gopher: [6000] } }),
    allowPorts: [6000],
    speaksFirst: "server",
  };

  /** Lets the scheme redirect to itself, so that only the port rule can reject. */
  const redirects: Partial<Scheme> = { redirectSchemes: ["gopher"] };

  it.each<[string, (context: AccessContext, port: number) => Promise<unknown>, string]>([
    ["another port than that of the URL", (context, port) => context.connect({ host, port }), "refused-port"],
    [
      "another port, with false options",
      (context, port) => context.connect({ host, port, ...lies }),
      "refused-port",
    ],
    [
      "a UDP port",
      (context, port) => context.openDatagramSocket({ host, port, ...lies }, lies as object),
      "refused-port",
    ],
    [
      "a UDP port, marked as redirected",
      (context, port) => context.openDatagramSocket({ host, port }, { redirected: true }),
      "refused-port",
    ],
    [
      "the peer of a forged socket",
      (context, port) =>
        context.connect({ samePeerAs: { remoteAddress: host, destroyed: false } as Socket, port }),
      "refused-address",
    ],
    [
      "a redirect to another port",
      (context, port) => context.redirectTo(context.parse(`gopher://${host}:${port}/`)),
      "refused-port",
    ],
  ])("a plug-in cannot connect to %s", async (_, attempt, code) => {
    await using tripwire = await startForbiddenServer();
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
  ])("a request by way of %s opens the expected number of connections", async (_, more, connections) => {
    await using tripwire = await startForbiddenServer();
    const scheme = plugIn((context) => context.connect({ host, port: tripwire.port }), more);
    await using client = createClient({ schemes: [scheme], policy: anyAddress() });
    await client.dereference(`gopher://${host}/`).catch(() => undefined);
    expect(tripwire.connections).toHaveLength(connections);
  });
});
