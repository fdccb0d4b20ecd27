import { type Client, createClient, type Scheme, anyAddress, type Url } from "@anyscheme/core";
import type { GenericUrl } from "@anyscheme/core/syntax";
import {
  type LoopbackServer,
  startDatagramRecordingProxy,
  startRecordingProxy,
} from "@anyscheme/core/testing";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import { SCHEME_SERVERS } from "../../fixtures/scheme-servers.ts";
import { syntaxes } from "../../fixtures/syntaxes.ts";

const INJECTED = "\r\nINJECTED / HTTP/1.0\r\n";

/**
 * Returns forged components of a URL with line ends in them. The scheme is real, since it selects the access method.
 */
function forgedFields(url: Url, href: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (let level: object | null = url; level !== null && level !== Object.prototype;) {
    for (const name of Object.getOwnPropertyNames(level)) {
      const value: unknown = Reflect.get(level, name, url);
      if (typeof value === "string") fields[name] ??= value + INJECTED;
      else if (Array.isArray(value)) fields[name] ??= [...(value as unknown[]), INJECTED];
      else if (typeof value !== "function") fields[name] ??= value;
    }
    level = Object.getPrototypeOf(level) as object | null;
  }
  return { ...fields, scheme: url.scheme, href };
}

type UrlClass = new (text: string, deviations: readonly []) => GenericUrl;

/** Returns property descriptors, since the getters of a URL cannot be assigned. */
function toDescriptors(fields: Record<string, unknown>): PropertyDescriptorMap {
  const entries = Object.entries(fields).map(([name, value]) => [name, { value, configurable: true }]);
  return Object.fromEntries(entries) as PropertyDescriptorMap;
}

/** Returns a subclass whose getters return the fields. */
function subclassOf(parent: UrlClass, fields: Record<string, unknown>): UrlClass {
  const child = class extends parent {};
  Object.defineProperties(child.prototype, toDescriptors(fields));
  return child;
}

/** Objects that look like a URL and contain other lines. */
const FORGERIES: readonly (readonly [name: string, forge: (parse: () => Url) => unknown])[] = [
  ["JSON", (parse) => JSON.parse(JSON.stringify(forgedFields(parse(), parse().href))) as unknown],
  [
    "JSON, also in href",
    (parse) => JSON.parse(JSON.stringify(forgedFields(parse(), parse().href + INJECTED))),
  ],
  ["JSON without href", (parse) => ({ ...forgedFields(parse(), ""), href: undefined })],
  [
    "an object with the prototype of the class",
    (parse) =>
      Object.create(
        Object.getPrototypeOf(parse()) as object,
        toDescriptors(forgedFields(parse(), parse().href)),
      ),
  ],
  [
    "an unchecked instance of the class",
    (parse) => new (parse().constructor as UrlClass)(parse().href + INJECTED, []),
  ],
  [
    "an instance of a subclass",
    (parse) => {
      const url = parse();
      return new (subclassOf(url.constructor as UrlClass, forgedFields(url, url.href)))(url.href, []);
    },
  ],
  [
    "a URL with own properties",
    (parse) => Object.defineProperties(parse(), toDescriptors(forgedFields(parse(), parse().href))),
  ],
  [
    "a URL with a replaced prototype",
    (parse) => {
      const url = parse();
      const { prototype } = subclassOf(url.constructor as UrlClass, forgedFields(url, url.href)) as {
        prototype: object;
      };
      return Object.setPrototypeOf(url, prototype) as unknown;
    },
  ],
  [
    "a proxy",
    (parse) => {
      const fields = forgedFields(parse(), parse().href);
      return new Proxy(parse(), {
        get: (target, name) => (name in fields ? fields[name as string] : Reflect.get(target, name, target)),
      });
    },
  ],
];

/** Methods of a client that contact a server. */
const PERFORMED: readonly (readonly [
  name: string,
  perform: (client: Client, url: Url) => Promise<unknown>,
])[] = [
  ["dereference", async (client, url) => (await client.dereference(url)).close()],
  ["fetch", async (client, url) => (await client.fetch(url)).arrayBuffer()],
  ["stat", (client, url) => client.stat(url)],
  ["put", (client, url) => client.put(url, "text")],
  ["mkdir", (client, url) => client.mkdir(url)],
  ["rename", (client, url) => client.rename(url, url)],
  ["delete", (client, url) => client.delete(url)],
];

/** Methods that return a text or a plan. */
const PURE: readonly (readonly [name: string, give: (client: Client, url: Url) => unknown])[] = [
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

async function tapped(scheme: Scheme, port: number): Promise<LoopbackServer> {
  return scheme.name === "prospero"
    ? startDatagramRecordingProxy(port, (datagram) => datagram)
    : startRecordingProxy(port);
}

describe.each(Object.keys(SCHEME_SERVERS))("the scheme %s with forged URLs", (name) => {
  it.each(FORGERIES)("the client sends no line of %s", async (_, forge) => {
    const served = await SCHEME_SERVERS[name]?.();
    if (!served) throw new Error("there is no such scheme");
    const [port = 0] = served.ports;
    await using tap = await tapped(served.scheme, port);
    const text = served.url.replace(`:${port}/`, `:${tap.port}/`);
    const policy = anyAddress({ allowPorts: { [name]: [tap.port] } });
    await using client = createClient({ schemes: [served.scheme], policy });
    const forged = forge(() => client.parse(text)) as Url;
    for (const [, give] of PURE) expect(outcome(() => give(client, forged))).not.toContain("INJECTED");
    for (const [, perform] of PERFORMED) await perform(client, forged).catch(() => undefined);
    for (const { received } of tap.connections) expect(received.toString("latin1")).not.toContain("INJECTED");
    await served.stop();
  });
});

function outcome(give: () => unknown): string {
  try {
    return String(give());
  } catch (error) {
    return (error as Error).name;
  }
}

describe("a look-alike", () => {
  const client = createClient({ schemes: [http()] });
  const url = client.parse("http://h.example/a");

  it.each([
    ["without a text", { scheme: "http", host: "h" }],
    ["whose href is no text", { href: 5 }],
    ["that is a number", 5],
    ["that is null", null],
    ["that is undefined", undefined],
  ])("the client rejects %s with a TypeError that names the expected argument", async (_, value) => {
    const refused = new TypeError("the URL must be a string, or an object whose href is a string");
    for (const [, perform] of PERFORMED.filter(([name]) => name !== "fetch"))
      await expect(perform(client, value as unknown as Url)).rejects.toEqual(refused);
    expect(() => client.plan(value as unknown as Url)).toThrow(refused);
    expect(() => client.format(value as unknown as Url)).toThrow(refused);
    await expect(client.fetch(value as unknown as Url)).rejects.toBeInstanceOf(TypeError);
  });

  it("the client parses a URL object of the platform from its text", () => {
    const platform = new URL("http://h.example/a") as unknown as Url;
    expect(client.equal(platform, url)).toBe(true);
    expect(client.format(platform)).toBe("http://h.example/a");
  });

  it("the client parses a URL of another client with another grammar again", () => {
    const foreign = createClient({ schemes: [] }).parse("http://h.example/a?b=/");
    expect(foreign.constructor).not.toBe(url.constructor);
    expect(client.plan(foreign).url.constructor).toBe(url.constructor);
  });

  it("a URL that the client has parsed is used unchanged", () => {
    expect(client.plan(url).url).toBe(url);
  });
});

describe.each(syntaxes.map((syntax) => [syntax.schemes.join(" ") || "generic", syntax] as const))(
  "the grammar of the scheme %s with forged URLs",
  (_, syntax) => {
    const name = syntax.schemes[0] ?? "x-any";
    const text = ["//h/a", "//h/", "a@h"]
      .map((rest) => `${name}:${rest}`)
      .find((each) => syntax.canParse(each));
    if (text === undefined) throw new Error(`no example of ${name}`);

    it.each(FORGERIES)("the grammar formats no line of %s", (_name, forge) => {
      const forged = forge(() => syntax.parse(text)) as never;
      expect(outcome(() => syntax.format(forged))).not.toContain("INJECTED");
      expect(outcome(() => syntax.normalize(forged))).not.toContain("INJECTED");
    });
  },
);
