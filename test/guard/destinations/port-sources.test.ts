import {
  AccessError,
  type Client,
  createClient,
  publicInternet,
  type Scheme,
  anyAddress,
  type Url,
} from "@anyscheme/core";
import {
  type AccessContext,
  createResolveAndConnectSteps,
  createPlan,
  type Socket,
} from "@anyscheme/core/plugin";
import { startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { gopher, gopherSyntax, type GopherUrl } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { prospero } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";
import { startArdpServer } from "../servers/ardp-server.ts";
import {
  isPortAllowedByDocumentation,
  EXPECTED_SCHEME_PORT_RULES,
  type SchemePortRule,
  TESTED_PORTS,
  PORT_TEXT_CASES,
} from "./expected-allowed-ports.ts";

const CRLF = "\r\n";
/** Texts in the place of a port in a URL, with the parsed port. */
const ALL_PORT_TEXTS = [...TESTED_PORTS.map((port) => [String(port), port] as const), ...PORT_TEXT_CASES];

/** Returns true when the table of port rules allows the parsed port. */
function isExpectedToConnect(row: SchemePortRule, meant: number | "default" | undefined): boolean {
  if (meant === undefined) return false;
  return isPortAllowedByDocumentation(row, meant === "default" ? row.defaultPort : meant);
}

const portRuleOf = (name: string): SchemePortRule => EXPECTED_SCHEME_PORT_RULES[name] as SchemePortRule;

/** Creates a client whose resolver resolves only `h.example`, and records the names that the client looks up. */
function createRecordingClient(
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
  it.each(["http", "gopher"])(
    "the guard refuses the same ports in a redirect to a URL with the scheme %s as in other URLs",
    async (scheme) => {
      let location = "";
      await using server = await startScriptedServer(async (peer) => {
        while (await peer.readLine());
        peer.send(
          Buffer.from(`HTTP/1.1 302 Found${CRLF}location: ${location}${CRLF}connection: close${CRLF}${CRLF}`),
        );
      });
      const { client, asked } = createRecordingClient([http(), gopher()], server.port, { http: ["gopher"] });
      for (const [text, meant] of ALL_PORT_TEXTS) {
        location = `${scheme}://next.example:${text}/`;
        asked.length = 0;
        const error: unknown = await client
          .dereference(`http://h.example:${server.port}/`)
          .catch((reason: unknown) => reason);
        expect(error, text).toBeInstanceOf(AccessError);
        expect(asked, `${text}: ${String(error)}`).toEqual(
          isExpectedToConnect(portRuleOf(scheme), meant) ? ["h.example", "next.example"] : ["h.example"],
        );
      }
      await client.destroy();
    },
  );
});

describe("the port rule applies to the items of Gopher menus", () => {
  it("the guard refuses the same ports in the URL of a menu item as in other URLs", async () => {
    const items = ALL_PORT_TEXTS.map(([text]) => `0item\t/s\tnext.example\t${text}${CRLF}`).join("");
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      peer.send(Buffer.from(items));
    });
    const { client, asked } = createRecordingClient([gopher()], server.port);
    const menu = await client.dereference(`gopher://h.example:${server.port}/1`);
    if (menu.kind !== "directory") throw new Error(`it is a ${menu.kind}`);
    const entries: { readonly url?: Url | undefined }[] = [];
    for await (const entry of menu) entries.push(entry);
    expect(entries).toHaveLength(ALL_PORT_TEXTS.length);
    for (const [index, [text, meant]] of ALL_PORT_TEXTS.entries()) {
      const url = entries[index]?.url;
      asked.length = 0;
      if (url) await client.dereference(url).catch(() => undefined);
      expect(asked, `${text}: ${String(url)}`).toEqual(
        // A menu item without a port has no URL.
        meant !== "default" && isExpectedToConnect(portRuleOf("gopher"), meant) ? ["next.example"] : [],
      );
    }
    await client.destroy();
  });
});

describe("the port rule for Prospero redirects", () => {
  const redirectReplyOptions: readonly (readonly [
    name: string,
    answer: (port: number, id: Buffer) => Buffer,
  ])[] = [
    [
      "an ARDP redirect packet",
      (port, id) =>
        Buffer.from([19, ...id, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4, 127, 0, 0, 2, port >> 8, port & 0xff]),
    ],
    [
      "a FORWARDED reply",
      (port, id) =>
        Buffer.concat([
          Buffer.from([3, ...id]),
          Buffer.from(`FORWARDED INTERNET-D 127.0.0.2(${port}) ASCII x 0\n`),
        ]),
    ],
  ];
  it.each(redirectReplyOptions)(
    "a Prospero server that redirects by %s cannot redirect to a forbidden port",
    async (_, answer) => {
      for (const port of TESTED_PORTS.filter(
        (each) => !isPortAllowedByDocumentation(portRuleOf("prospero"), each),
      )) {
        await using server = await startArdpServer((_message, id) => [answer(port, id)]);
        const { client } = createRecordingClient([prospero()], server.port);
        const events: string[] = [];
        const error: unknown = await client
          .dereference(`prospero://127.0.0.1:${server.port}/x`, {
            trace: ({ action, text }) => void (action === "connect" && events.push(text)),
          })
          .catch((reason: unknown) => reason);
        await client.destroy();
        // Port 0 is invalid, so the client may fail with another code.
        expect((error as AccessError).code, String(port)).toMatch(
          port === 0 ? /^(refused-port|protocol|unsupported)$/ : /^refused-port$/,
        );
        expect(events.filter((text) => text.includes("127.0.0.2"))).toEqual([]);
      }
    },
  );
});

describe("the port rule for gateways", () => {
  it.each(["http", "gopher"])(
    "the guard refuses the same ports in the URL of a gateway with the scheme %s as in other URLs",
    async (scheme) => {
      for (const [text, meant] of ALL_PORT_TEXTS) {
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
        const allowed = isExpectedToConnect(portRuleOf(scheme), meant);
        expect((error as AccessError).code, text).toBe(allowed ? "unavailable" : "refused-port");
        expect(asked, text).toEqual(allowed ? ["gateway.example"] : []);
      }
    },
  );
});

describe("a plug-in scheme", () => {
  /** Creates a plug-in scheme whose `access` function attempts a forbidden action. */
  function plugIn(
    attempt: (context: AccessContext) => Promise<unknown>,
    overrides: Partial<Scheme> = {},
  ): Scheme<GopherUrl> {
    return {
      name: "gopher",
      syntax: gopherSyntax,
      redirectSchemes: ["gopher"],
      plan: (url) => createPlan(url, createResolveAndConnectSteps(url)),
      async access(_, context) {
        await attempt(context);
        return context.createResource("mailbox", {
          address: "",
          localPart: "",
          domain: "",
          recipients: [],
          headers: [],
        });
      },
      ...overrides,
    } as Scheme<GopherUrl>;
  }
  const host = "127.0.0.1";
  const forgedOptions = {
    policy: anyAddress({ allowPorts: { gopher: [6000] } }),
    allowPorts: [6000],
    portRange: "unprivileged",
  };

  /** The test's plug-in scheme may redirect to its own URLs, so that only the port rule can reject the redirect. */
  const redirects: Partial<Scheme> = { redirectSchemes: ["gopher"] };

  it.each<[string, (context: AccessContext, port: number) => Promise<unknown>, string]>([
    [
      "a port that differs from the port of the URL",
      (context, port) => context.connect({ host, port }),
      "refused-port",
    ],
    [
      "a port that differs from the port of the URL, with forged connection options",
      (context, port) => context.connect({ host, port, ...forgedOptions }),
      "refused-port",
    ],
    [
      "a UDP port",
      (context, port) =>
        context.openDatagramSocket({ host, port, ...forgedOptions }, forgedOptions as object),
      "refused-port",
    ],
    [
      "a UDP port that the scheme marks as sent by the server",
      (context, port) => context.openDatagramSocket({ host, port }, { targetSentByServer: true }),
      "refused-port",
    ],
    [
      "an address that a forged socket object contains",
      (context, port) =>
        context.connect({ samePeerAs: { remoteAddress: host, destroyed: false } as Socket, port }),
      "refused-address",
    ],
    [
      "another port by a redirect",
      (context, port) => context.redirectTo(context.parse(`gopher://${host}:${port}/`)),
      "refused-port",
    ],
  ])("a plug-in scheme cannot connect to %s", async (_, attempt, code) => {
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
    ["without portRange", {}, 0],
    ["with portRange: unprivileged", { portRange: "unprivileged" }, 1],
  ])(
    "a plug-in scheme %s (fields %j) opens %i connections to a high port",
    async (_, overrides, connections) => {
      await using tripwire = await startForbiddenServer();
      const scheme = plugIn((context) => context.connect({ host, port: tripwire.port }), overrides);
      await using client = createClient({ schemes: [scheme], policy: anyAddress() });
      await client.dereference(`gopher://${host}/`).catch(() => undefined);
      expect(tripwire.connections).toHaveLength(connections);
    },
  );
});
