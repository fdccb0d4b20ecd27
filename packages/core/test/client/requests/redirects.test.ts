import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import type { ClientOptions } from "../../../src/client/options.ts";
import { type Policy, publicInternet, anyAddress } from "../../../src/policy/policy.ts";
import type { Scheme } from "../../../src/scheme/scheme.ts";
import { createGenericSyntax, type GenericUrl, type Url } from "../../../src/syntax/index.ts";
import { type LoopbackServer, type ServerScript, startScriptedServer } from "../../../src/testing/index.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { createRedirectingScheme, createPathLineScheme } from "../test-schemes.ts";

const startedServers: LoopbackServer[] = [];
afterEach(async () => {
  for (const server of startedServers.splice(0)) await server.stop();
});

async function serve(script: ServerScript, address = "127.0.0.1"): Promise<LoopbackServer> {
  const server = await startScriptedServer(script, { address });
  startedServers.push(server);
  return server;
}

/** Starts a server that redirects some paths to other URLs, and responds to all others with the path itself. */
async function startRedirectingServer(
  lead: (path: string) => string | undefined,
  address?: string,
): Promise<LoopbackServer> {
  return serve(async (peer) => {
    const path = (await peer.readLine()) ?? "";
    const target = lead(path);
    peer.send(target === undefined ? `at ${path}\r\n` : `GO ${target}\r\n`);
  }, address);
}

const schemes = [
  createRedirectingScheme("x-hop"),
  createRedirectingScheme("x-other"),
  { ...createRedirectingScheme("x-closed"), redirectSchemes: [] },
  { ...createRedirectingScheme("http"), redirectSchemes: ["http", "https"] },
  { ...createRedirectingScheme("https"), redirectSchemes: ["http", "https", "x-local"] },
  { ...createRedirectingScheme("x-local"), acceptsRedirects: false },
  {
    ...createRedirectingScheme("prospero"),
    redirectSchemes: ["prospero", "ftp", "gopher", "wais", "telnet"],
  },
  ...["ftp", "gopher", "wais", "telnet", "mailto"].map((name) => createRedirectingScheme(name)),
  createPathLineScheme("x-line"),
];
const allRedirects = { "x-hop": ["x-hop", "x-other", "x-line"], "x-other": ["x-other", "x-hop"] };

function clientWith(
  policy: Policy,
  options: Partial<ClientOptions> = {},
): ReturnType<typeof createClient<Scheme>> {
  return createClient<Scheme>({ ...options, schemes, policy });
}

const createServerUrl = (server: LoopbackServer, path: string, scheme = "x-hop"): string =>
  `${scheme}://${server.address}:${server.port}/${path}`;

describe("the redirect chain of a resource", () => {
  it("a redirected resource has the final URL and the list of redirects", async () => {
    const end = await startRedirectingServer(() => undefined);
    const start = await startRedirectingServer((path) =>
      path === "one" ? createServerUrl(start, "two") : createServerUrl(end, "three", "x-line"),
    );
    const resource = await clientWith(anyAddress({ allowSchemeRedirects: allRedirects })).dereference(
      createServerUrl(start, "one"),
    );
    if (resource.kind !== "content") throw new Error("no content");
    expect(await resource.text()).toBe("at three\r\n");
    expect(String(resource.url)).toBe(createServerUrl(end, "three", "x-line"));
    expect(resource.redirectChain.map(({ fromUrl, reason }) => [String(fromUrl), reason])).toEqual([
      [createServerUrl(start, "one"), "redirect"],
      [createServerUrl(start, "two"), "redirect"],
    ]);
    expect(end.connections.map(({ received }) => received.toString())).toEqual(["three\r\n"]);
    await Promise.all([...start.connections, ...end.connections].map(({ closed }) => closed));
  });
});

describe("the client follows redirects to another scheme", () => {
  const rows: readonly (readonly [
    from: string,
    to: string,
    allowed: Record<string, string[]>,
    code: string | undefined,
  ])[] = [
    ["http", "http", {}, undefined],
    ["http", "https", {}, undefined],
    ["https", "http", {}, undefined],
    ["http", "x-line", {}, "refused-redirect"],
    ["http", "x-line", { http: ["x-line"] }, undefined],
    ["http", "x-line", { HTTP: ["X-Line"] }, undefined],
    ["http", "x-line", { "x-line": ["http"], http: ["x-hop"] }, "refused-redirect"],
    ["x-hop", "http", {}, "refused-redirect"],
    ["x-hop", "x-hop", {}, undefined],
    ["x-hop", "x-other", {}, "refused-redirect"],
    ["x-closed", "x-closed", {}, "refused-redirect"],
    ["x-closed", "x-closed", { "x-closed": ["x-closed"] }, undefined],
    ["http", "x-local", { http: ["x-local"] }, "refused-redirect"],
    // The scheme of the server cannot allow the redirect either.
    ["https", "x-local", {}, "refused-redirect"],
    // RFC 1738 §3.11: access methods "might themselves be represented as different URLs".
    ["prospero", "prospero", {}, undefined],
    ["prospero", "ftp", {}, undefined],
    ["prospero", "gopher", {}, undefined],
    ["prospero", "wais", {}, undefined],
    ["prospero", "telnet", {}, undefined],
    ["prospero", "http", {}, "refused-redirect"],
    ["prospero", "mailto", {}, "refused-redirect"],
    ["prospero", "x-local", { prospero: ["x-local"] }, "refused-redirect"],
    ["ftp", "prospero", {}, "refused-redirect"],
    ["gopher", "prospero", {}, "refused-redirect"],
    ["x-local", "x-local", { "x-local": ["x-local"] }, "refused-redirect"],
    ["http", "x-unknown", { http: ["x-unknown"] }, "unknown-scheme"],
  ];
  it.each(rows)(
    "a redirect from %s to %s with allowSchemeRedirects %j has the error code %s",
    async (from, to, allowSchemeRedirects, code) => {
      const server = await startRedirectingServer((path) =>
        path === "one" ? createServerUrl(server, "two", to) : undefined,
      );
      const work = clientWith(anyAddress({ allowSchemeRedirects })).dereference(
        createServerUrl(server, "one", from),
      );
      if (code === undefined) {
        expect(String((await work).url)).toBe(createServerUrl(server, "two", to));
        await (await work).close();
      } else {
        const error = await catchAccessError(work);
        expect(error.code).toBe(code);
        expect(server.connections).toHaveLength(1);
      }
    },
  );

  it("the error of a refused redirect advises allowSchemeRedirects, except for a scheme that accepts no redirects", async () => {
    const server = await startRedirectingServer((path) => createServerUrl(server, "x", path));
    const client = clientWith(anyAddress());
    const advice = 'allow it with the policy option allowSchemeRedirects: { "x-hop": ["x-line"] }';
    expect(await catchAccessError(client.dereference(createServerUrl(server, "x-line")))).toMatchObject({
      advice,
      url: createServerUrl(server, "x-line"),
    });
    expect(
      (await catchAccessError(client.dereference(createServerUrl(server, "x-local")))).advice,
    ).toBeUndefined();
  });
});

describe("the client refuses redirects with a login, in a loop, or beyond maxRedirects", () => {
  it.each(["u:p@", "u@", ":p@", "@"])(
    "the client refuses a redirect to a URL with the login %j",
    async (login) => {
      const server = await startRedirectingServer((path) =>
        path === "one" ? `x-hop://${login}127.0.0.1:${server.port}/two` : undefined,
      );
      const error = await catchAccessError(
        clientWith(anyAddress({ allowSchemeRedirects: allRedirects })).dereference(
          createServerUrl(server, "one"),
        ),
      );
      expect(error).toMatchObject({ code: "refused-redirect", reason: "the redirect URL has a login" });
      expect(server.connections).toHaveLength(1);
    },
  );

  it("the client parses the href of a redirect target that is no URL object, and refuses a login in the href", async () => {
    const server = await startRedirectingServer(() => undefined);
    const genuine = createGenericSyntax({ schemes: ["x-other"] }).parse(
      createServerUrl(server, "end", "x-other"),
    );
    const forged = { scheme: "x-other", host: "h", urlPath: "a\r\nb", href: genuine.href };
    const jump = (target: object): Scheme => ({
      ...createRedirectingScheme("x-hop"),
      access: (_plan, context) => context.redirectTo(target as unknown as Url),
    });
    const clientOf = (target: object): ReturnType<typeof createClient<Scheme>> =>
      createClient<Scheme>({
        schemes: [jump(target), createRedirectingScheme("x-other")],
        policy: anyAddress({ allowSchemeRedirects: allRedirects }),
      });
    const resource = await clientOf(forged).dereference("x-hop://h/");
    await resource.close();
    expect(server.connections.map(({ received }) => received.toString())).toEqual(["end\r\n"]);
    const withLogin = { ...forged, href: genuine.href.replace("//", "//u:p@") };
    const error = await catchAccessError(clientOf(withLogin).dereference("x-hop://h/"));
    expect(error).toMatchObject({ code: "refused-redirect", reason: "the redirect URL has a login" });
  });

  it("the client refuses a login in a redirect URL from another copy of the package", async () => {
    const syntax = createGenericSyntax({ schemes: ["x-other"] });
    // A second copy of the package has its own classes, so `instanceof` fails.
    const tryParse: typeof syntax.tryParse = (text) => {
      const { user, password } = syntax.parse(text);
      const url = { scheme: "x-other", href: text, user, password, parserDifferences: [], deviations: [] };
      return { url: url as unknown as GenericUrl<"x-other"> };
    };
    const schemes: readonly Scheme[] = [
      {
        ...createRedirectingScheme("x-hop"),
        access: (_plan, context) => context.redirectTo(context.parse("x-other://u:p@h/")),
      },
      { ...createRedirectingScheme("x-other"), syntax: { ...syntax, tryParse } },
    ];
    const client = createClient<Scheme>({
      schemes,
      policy: anyAddress({ allowSchemeRedirects: allRedirects }),
    });
    const error = await catchAccessError(client.dereference("x-hop://h/"));
    expect(error).toMatchObject({ code: "refused-redirect", reason: "the redirect URL has a login" });
  });

  it.each([
    ["a URL that redirects to itself", (path: string) => path, 1],
    ["a URL that redirects to itself with a fragment", (path: string) => `${path}#f`, 1],
    ["a URL that redirects to itself with an empty fragment", (path: string) => `${path}#`, 1],
    ["two URLs that redirect to each other", (path: string) => (path === "one" ? "two" : "one"), 2],
  ] as const)("the client refuses redirects that form a loop: %s", async (_name, lead, connections) => {
    const server = await startRedirectingServer((path) => createServerUrl(server, lead(path)));
    const error = await catchAccessError(
      clientWith(anyAddress({ allowSchemeRedirects: allRedirects })).dereference(
        createServerUrl(server, "one"),
      ),
    );
    expect(error).toMatchObject({ code: "refused-redirect", reason: "the redirects form a loop" });
    expect(server.connections).toHaveLength(connections);
    await Promise.all(server.connections.map(({ closed }) => closed));
  });

  it.each([2, 3, 4])("maxRedirects: 3 limits a request with %i redirects", async (hops) => {
    const server = await startRedirectingServer((path) =>
      Number(path) < hops ? createServerUrl(server, String(Number(path) + 1)) : undefined,
    );
    const client = clientWith(anyAddress({ allowSchemeRedirects: allRedirects }), {
      limits: { maxRedirects: 3 },
    });
    const work = client.dereference(createServerUrl(server, "0"));
    if (hops <= 3) await (await work).close();
    else expect(await catchAccessError(work)).toMatchObject({ code: "limit", limit: "maxRedirects" });
    expect(server.connections).toHaveLength(Math.min(hops, 3) + 1);
  });

  it("the client rejects a redirect to a text that is not a URL", async () => {
    const server = await startRedirectingServer(() => "x-hop://a b/");
    await expect(
      clientWith(anyAddress({ allowSchemeRedirects: allRedirects })).dereference(
        createServerUrl(server, "one"),
      ),
    ).rejects.toThrow();
    await server.connections[0]?.closed;
  });
});

describe("request options after a redirect", () => {
  it("scheme options are dropped at a redirect to another origin, and stay dropped", async () => {
    // The server A redirects to another path of A, then to the server B. B redirects to another path of B, then back to
    // A.
    const b: LoopbackServer = await startRedirectingServer(
      (path) => (path.endsWith("three") ? createServerUrl(b, "four") : createServerUrl(a, "five")),
      "127.0.0.2",
    );
    const a: LoopbackServer = await startRedirectingServer((path) => {
      if (path.endsWith("one")) return createServerUrl(a, "two");
      return path.endsWith("two") ? createServerUrl(b, "three") : undefined;
    });
    const client = createClient({
      schemes: [createRedirectingScheme("x-hop")],
      policy: anyAddress({ allowSchemeRedirects: allRedirects }),
    });
    const url = client.parse("x-hop://h/");
    expect(url.scheme).toBe("x-hop");
    const events: string[] = [];
    const resource = await clientFor(createServerUrl(a, "one"));
    await resource.close();
    expect(a.connections.map(({ received }) => received.toString())).toEqual([
      "secret: one\r\n",
      "secret: two\r\n",
      "five\r\n",
    ]);
    expect(b.connections.map(({ received }) => received.toString())).toEqual(["three\r\n", "four\r\n"]);
    // The options of the whole request apply to every hop.
    expect(events.filter((text) => text.startsWith("asks for"))).toHaveLength(5);

    function clientFor(text: string): Promise<{ close(): Promise<void> }> {
      const target = createGenericSyntax({ schemes: ["x-hop"] }).parse(text);
      return client.dereference(target, {
        headerName: "secret",
        trace: ({ text: line }) => events.push(line),
      });
    }
  });
});

describe("the policy checks the addresses after a redirect", () => {
  const answers: Record<string, readonly string[]> = {
    "public.example": ["8.8.8.8"],
    "private.example": ["127.0.0.1"],
    "other.example": ["127.0.0.2"],
  };
  const resolver = (name: string): Promise<readonly string[]> => Promise.resolve(answers[name] ?? []);
  /**
   * A policy for public addresses that allows the redirects in `allRedirects`. The tests connect to no public address.
   */
  const onward = publicInternet({ allowSchemeRedirects: allRedirects });

  it("a redirect from a private to a private address is checked by the policy of the request", async () => {
    const end = await startRedirectingServer(() => undefined, "127.0.0.2");
    const start = await startRedirectingServer(() => `x-hop://other.example:${end.port}/end`);
    const client = clientWith(anyAddress({ allowSchemeRedirects: allRedirects, redirectPolicy: onward }), {
      resolver,
    });
    const resource = await client.dereference(`x-hop://private.example:${start.port}/`);
    expect(String(resource.url)).toBe(`x-hop://other.example:${end.port}/end`);
    await resource.close();
  });

  it("a redirect from a private to a public address is checked by redirectPolicy", async () => {
    const start = await startRedirectingServer((path) =>
      path === "name" ? "x-hop://public.example:25/" : "x-hop://8.8.8.8:6000/",
    );
    const strict = publicInternet({ allowSchemeRedirects: allRedirects, strictPorts: true });
    const client = clientWith(anyAddress({ allowSchemeRedirects: allRedirects, redirectPolicy: strict }), {
      resolver,
    });
    for (const path of ["name", "number"]) {
      expect((await catchAccessError(client.dereference(createServerUrl(start, path)))).code).toBe(
        "refused-port",
      );
    }
  });

  it("redirectPolicy checks the redirect of a scheme that opened no connection", async () => {
    const end = await startRedirectingServer(() => undefined);
    const jump: Scheme = {
      ...createRedirectingScheme("x-hop"),
      access: (_plan, context) => context.redirectTo(context.parse(createServerUrl(end, "end", "x-other"))),
    };
    const policy = anyAddress({ allowSchemeRedirects: allRedirects, redirectPolicy: onward });
    const client = createClient<Scheme>({
      schemes: [jump, createRedirectingScheme("x-other")],
      policy,
      resolver,
    });
    expect((await catchAccessError(client.dereference("x-hop://public.example/"))).code).toBe(
      "refused-address",
    );
    const open = createClient<Scheme>({
      schemes: [jump, createRedirectingScheme("x-other")],
      policy: anyAddress({ allowSchemeRedirects: allRedirects }),
      resolver,
    });
    await (await open.dereference("x-hop://public.example/")).close();
    expect(end.connections).toHaveLength(1);
  });

  it("publicInternet() refuses a redirect to a host name with a private address", async () => {
    const end = await startRedirectingServer(() => undefined);
    const jump: Scheme = {
      ...createRedirectingScheme("x-hop"),
      access: (_plan, context) => context.redirectTo(context.parse(`x-other://private.example:${end.port}/`)),
    };
    const client = createClient<Scheme>({
      schemes: [jump, createRedirectingScheme("x-other")],
      policy: onward,
      resolver,
    });
    expect((await catchAccessError(client.dereference("x-hop://public.example/"))).code).toBe(
      "refused-address",
    );
    expect(end.connections).toHaveLength(0);
  });
});
