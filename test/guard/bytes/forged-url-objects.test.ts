import { type Client, createClient, type Scheme, anyAddress, type Url } from "@anyscheme/core";
import type { GenericUrl } from "@anyscheme/core/syntax";
import {
  type LoopbackServer,
  startDatagramRecordingProxy,
  startRecordingProxy,
} from "@anyscheme/core/testing";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import { SCHEME_SERVER_STARTERS } from "../../fixtures/scheme-server-starters.ts";
import { ALL_SYNTAXES } from "../../fixtures/all-syntaxes.ts";

const INJECTED_COMMAND = "\r\nINJECTED / HTTP/1.0\r\n";

/**
 * Returns the components of a URL, with an injected command in each except the scheme, which selects the access method.
 */
function createForgedFields(url: Url, href: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (let level: object | null = url; level !== null && level !== Object.prototype;) {
    for (const name of Object.getOwnPropertyNames(level)) {
      const value: unknown = Reflect.get(level, name, url);
      if (typeof value === "string") fields[name] ??= value + INJECTED_COMMAND;
      else if (Array.isArray(value)) fields[name] ??= [...(value as unknown[]), INJECTED_COMMAND];
      else if (typeof value !== "function") fields[name] ??= value;
    }
    level = Object.getPrototypeOf(level) as object | null;
  }
  return { ...fields, scheme: url.scheme, href };
}

type UrlConstructor = new (text: string, deviations: readonly []) => GenericUrl;

/** Returns property descriptors for the fields, because the getters of a URL cannot be assigned. */
function toPropertyDescriptors(fields: Record<string, unknown>): PropertyDescriptorMap {
  const entries = Object.entries(fields).map(([name, value]) => [name, { value, configurable: true }]);
  return Object.fromEntries(entries) as PropertyDescriptorMap;
}

/** Returns a subclass of a URL class whose getters return the forged fields. */
function createForgedUrlSubclass(parent: UrlConstructor, fields: Record<string, unknown>): UrlConstructor {
  const child = class extends parent {};
  Object.defineProperties(child.prototype, toPropertyDescriptors(fields));
  return child;
}

/** Functions that create objects that look like a URL and contain an injected command. */
const URL_FORGERIES: readonly (readonly [name: string, forge: (parse: () => Url) => unknown])[] = [
  [
    "a URL as JSON",
    (parse) => JSON.parse(JSON.stringify(createForgedFields(parse(), parse().href))) as unknown,
  ],
  [
    "a URL as JSON with a forged href",
    (parse) => JSON.parse(JSON.stringify(createForgedFields(parse(), parse().href + INJECTED_COMMAND))),
  ],
  ["a URL as JSON without href", (parse) => ({ ...createForgedFields(parse(), ""), href: undefined })],
  [
    "an object with the prototype of the class",
    (parse) =>
      Object.create(
        Object.getPrototypeOf(parse()) as object,
        toPropertyDescriptors(createForgedFields(parse(), parse().href)),
      ),
  ],
  [
    "an unchecked instance of the class",
    (parse) => new (parse().constructor as UrlConstructor)(parse().href + INJECTED_COMMAND, []),
  ],
  [
    "an instance of a subclass",
    (parse) => {
      const url = parse();
      return new (createForgedUrlSubclass(
        url.constructor as UrlConstructor,
        createForgedFields(url, url.href),
      ))(url.href, []);
    },
  ],
  [
    "a URL with own properties",
    (parse) =>
      Object.defineProperties(parse(), toPropertyDescriptors(createForgedFields(parse(), parse().href))),
  ],
  [
    "a URL with a replaced prototype",
    (parse) => {
      const url = parse();
      const { prototype } = createForgedUrlSubclass(
        url.constructor as UrlConstructor,
        createForgedFields(url, url.href),
      ) as {
        prototype: object;
      };
      return Object.setPrototypeOf(url, prototype) as unknown;
    },
  ],
  [
    "a proxy",
    (parse) => {
      const fields = createForgedFields(parse(), parse().href);
      return new Proxy(parse(), {
        get: (target, name) => (name in fields ? fields[name as string] : Reflect.get(target, name, target)),
      });
    },
  ],
];

/** Methods of a client that send requests to a server. */
const CLIENT_METHODS_WITH_NETWORK: readonly (readonly [
  name: string,
  call: (client: Client, url: Url) => Promise<unknown>,
])[] = [
  ["dereference", async (client, url) => (await client.dereference(url)).close()],
  ["fetch", async (client, url) => (await client.fetch(url)).arrayBuffer()],
  ["stat", (client, url) => client.stat(url)],
  ["put", (client, url) => client.put(url, "text")],
  ["mkdir", (client, url) => client.mkdir(url)],
  ["rename", (client, url) => client.rename(url, url)],
  ["delete", (client, url) => client.delete(url)],
];

/** Methods of a client that send nothing to a server. */
const CLIENT_METHODS_WITHOUT_NETWORK: readonly (readonly [
  name: string,
  call: (client: Client, url: Url) => unknown,
])[] = [
  ["format", (client, url) => client.format(url)],
  ["resolve", (client, url) => client.resolve(url, "x").href],
  ["equal", (client, url) => client.equal(url, `${url.scheme}://h/`)],
  ["plan", (client, url) => joinPlannedBytes(client.plan(url).steps)],
  [
    "plan of a rename",
    (client, url) => joinPlannedBytes(client.plan(url, { operation: "rename", to: url }).steps),
  ],
];

function joinPlannedBytes(steps: readonly { bytes?: Uint8Array | undefined }[]): string {
  return steps.map(({ bytes }) => Buffer.from(bytes ?? []).toString("latin1")).join("");
}

async function startRecordingProxyForScheme(scheme: Scheme, port: number): Promise<LoopbackServer> {
  return scheme.name === "prospero"
    ? startDatagramRecordingProxy(port, (datagram) => datagram)
    : startRecordingProxy(port);
}

describe.each(Object.keys(SCHEME_SERVER_STARTERS))("the scheme %s with forged URLs", (name) => {
  it.each(URL_FORGERIES)("the client sends no injected command of %s", async (_, forge) => {
    const schemeServer = await SCHEME_SERVER_STARTERS[name]?.();
    if (!schemeServer) throw new Error("the table has no server of this scheme");
    const [port = 0] = schemeServer.allowedPorts;
    await using tap = await startRecordingProxyForScheme(schemeServer.scheme, port);
    const text = schemeServer.contentUrl.replace(`:${port}/`, `:${tap.port}/`);
    const policy = anyAddress({ allowPorts: { [name]: [tap.port] } });
    await using client = createClient({ schemes: [schemeServer.scheme], policy });
    const forged = forge(() => client.parse(text)) as Url;
    for (const [, call] of CLIENT_METHODS_WITHOUT_NETWORK)
      expect(resultOrErrorName(() => call(client, forged))).not.toContain("INJECTED");
    for (const [, call] of CLIENT_METHODS_WITH_NETWORK) await call(client, forged).catch(() => undefined);
    for (const { received } of tap.connections) expect(received.toString("latin1")).not.toContain("INJECTED");
    await schemeServer.stop();
  });
});

function resultOrErrorName(call: () => unknown): string {
  try {
    return String(call());
  } catch (error) {
    return (error as Error).name;
  }
}

describe("an argument that is not a URL of the client", () => {
  const client = createClient({ schemes: [http()] });
  const url = client.parse("http://h.example/a");

  it.each([
    ["an object without href", { scheme: "http", host: "h" }],
    ["an object whose href is not a string", { href: 5 }],
    ["a number", 5],
    ["null", null],
    ["undefined", undefined],
  ])("the client rejects %s with a TypeError that names the expected argument", async (_, value) => {
    const refused = new TypeError("the URL must be a string, or an object whose href is a string");
    for (const [, call] of CLIENT_METHODS_WITH_NETWORK.filter(([name]) => name !== "fetch"))
      await expect(call(client, value as unknown as Url)).rejects.toEqual(refused);
    expect(() => client.plan(value as unknown as Url)).toThrow(refused);
    expect(() => client.format(value as unknown as Url)).toThrow(refused);
    await expect(client.fetch(value as unknown as Url)).rejects.toBeInstanceOf(TypeError);
  });

  it("the client parses the href of a WHATWG URL object", () => {
    const platform = new URL("http://h.example/a") as unknown as Url;
    expect(client.equal(platform, url)).toBe(true);
    expect(client.format(platform)).toBe("http://h.example/a");
  });

  it("the client parses the href of a URL that another client parsed with another grammar", () => {
    const foreign = createClient({ schemes: [] }).parse("http://h.example/a?b=/");
    expect(foreign.constructor).not.toBe(url.constructor);
    expect(client.plan(foreign).url.constructor).toBe(url.constructor);
  });

  it("the client uses a URL that it has parsed without parsing it again", () => {
    expect(client.plan(url).url).toBe(url);
  });
});

describe.each(ALL_SYNTAXES.map((syntax) => [syntax.schemes.join(" ") || "generic", syntax] as const))(
  "the grammar of the scheme %s formats forged URLs without injected commands",
  (_, syntax) => {
    const name = syntax.schemes[0] ?? "x-any";
    const text = ["//h/a", "//h/", "a@h"]
      .map((rest) => `${name}:${rest}`)
      .find((each) => syntax.canParse(each));
    if (text === undefined) throw new Error(`no example of ${name}`);

    it.each(URL_FORGERIES)("the grammar formats no injected command of %s", (_name, forge) => {
      const forged = forge(() => syntax.parse(text)) as never;
      expect(resultOrErrorName(() => syntax.format(forged))).not.toContain("INJECTED");
      expect(resultOrErrorName(() => syntax.normalize(forged))).not.toContain("INJECTED");
    });
  },
);
