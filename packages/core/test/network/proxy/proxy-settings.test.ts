import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import {
  type ProxyOption,
  ParsedProxyServerSettings,
  selectProxy,
} from "../../../src/network/proxy/proxy-settings.ts";
import { createGenericSyntax } from "../../../src/syntax/index.ts";
import { createPathLineScheme } from "../../client/test-schemes.ts";

const url = createGenericSyntax({ schemes: ["x-line"] }).parse("x-line://h.example/");

describe("the URL of a proxy", () => {
  it.each([
    ["http://p.example", "http://p.example:1080"],
    ["http://p.example:80", "http://p.example:80"],
    [" http://p.example:80 ", "http://p.example:80"],
    ["http://joe:80@p.example", "http://p.example:1080"],
    ["http://p.example:080/", "http://p.example:80"],
    ["HTTP://P.example:3128/", "http://p.example:3128"],
    ["https://p.example", "https://p.example:443"],
    ["https://p.example:8443", "https://p.example:8443"],
    ["socks5://127.0.0.1", "socks5://127.0.0.1:1080"],
    ["socks5h://127.0.0.1:9050", "socks5://127.0.0.1:9050"],
    ["http://[::1]:3128", "http://[::1]:3128"],
    ["socks5://[2001:db8::1]", "socks5://[2001:db8::1]:1080"],
  ])("the proxy URL %s has the normalized form %s", (text, expected) => {
    expect(String(new ParsedProxyServerSettings({ url: text }))).toBe(expected);
  });

  it.each([
    ["http://u:p@h.example", { user: "u", password: "p" }],
    ["http://u%40x:p%3Aq%2F@h.example", { user: "u@x", password: "p:q/" }],
    ["http://u@h.example", { user: "u", password: "" }],
    ["http://h.example", undefined],
    ["socks5://u:p@h.example", { user: "u", password: "p" }],
    [`socks5://u:${"p".repeat(255)}@h.example`, { user: "u", password: "p".repeat(255) }],
  ])("the proxy URL %s has the login %o", (text, login) => {
    expect(new ParsedProxyServerSettings({ url: text }).login).toEqual(login);
  });

  it.each([
    ["socks5://h.example", undefined, "client"],
    ["socks5h://h.example", undefined, "proxy"],
    ["socks5h://h.example", "client", "client"],
    ["http://h.example", "proxy", "proxy"],
  ] as const)("the proxy %s with resolveBy %s resolves names at the %s", (text, by, expected) => {
    expect(new ParsedProxyServerSettings({ url: text, resolveBy: by }).resolveBy).toBe(expected);
  });

  it("no text made from a ParsedProxyServerSettings contains the login", () => {
    const proxy = new ParsedProxyServerSettings({ url: "http://joe:needle@p.example:3128" });
    const texts = [String(proxy), JSON.stringify(proxy), inspect(proxy, { showHidden: true, depth: 9 })];
    expect(texts.filter((text) => /joe|needle/.test(text))).toEqual([]);
  });

  it.each<[boolean, string, ConstructorParameters<typeof ParsedProxyServerSettings>[0]]>([
    [true, "the default port", { url: "http://u:p@p.example:1080/" }],
    [false, "another scheme", { url: "socks5://u:p@p.example" }],
    [false, "another host", { url: "http://u:p@q.example" }],
    [false, "another port", { url: "http://u:p@p.example:81" }],
    [false, "another user", { url: "http://v:p@p.example" }],
    [false, "another password", { url: "http://u:q@p.example" }],
    [false, "no login", { url: "http://p.example" }],
    [false, "another resolver", { url: "http://u:p@p.example", resolveBy: "proxy" }],
    [false, "another certificate", { url: "http://u:p@p.example", ca: "PEM" }],
  ])("ParsedProxyServerSettings.equals returns %s for %s", (expected, _, settings) => {
    expect(
      new ParsedProxyServerSettings({ url: "http://u:p@p.example" }).equals(
        new ParsedProxyServerSettings(settings),
      ),
    ).toBe(expected);
  });

  it("ParsedProxyServerSettings.equals returns false for a connection without a proxy", () => {
    expect(new ParsedProxyServerSettings({ url: "http://p.example" }).equals(undefined)).toBe(false);
  });
});

const INVALID: readonly unknown[] = [
  "",
  "p.example:3128",
  "socks4://p.example",
  "socks4://p.example:1080",
  "socks5://",
  "ftp://p.example",
  "http://",
  "http://p.example:0",
  "http://p.example:65536",
  "http://p.example/path",
  "http://p.example/?query",
  "http://p.example/#fragment",
  "http://joe%3A:needle@p.example",
  "http://joe:%zz-needle@p.example",
  "socks5://joe@p.example",
  `socks5://joe:${"needle".repeat(50)}@p.example`,
  `socks5://joe:${"n".repeat(256)}@p.example`,
  {},
  { url: "needle" },
  { url: "http://joe:needle@p.example/x" },
  { url: "http://p.example", resolveBy: "server" },
  { url: "http://p.example", ca: 1 },
  { url: "http://p.example", login: "joe:needle" },
  null,
  1,
  [],
  ["socks5://p.example"],
];

describe("the option proxy", () => {
  it.each(INVALID)(
    "createClient and dereference reject the proxy %j, and the message does not repeat the value",
    async (value) => {
      const schemes = [createPathLineScheme("x-line")];
      const proxy = value as ProxyOption;
      const client = createClient({ schemes });
      const create = async (): Promise<unknown> => Promise.resolve(createClient({ schemes, proxy }));
      const errors = [
        await create().catch((error: unknown) => error),
        await client.dereference("x-line://h.example/", { proxy }).catch((error: unknown) => error),
      ];
      for (const error of errors) {
        expect(error).toBeInstanceOf(TypeError);
        expect(inspect(error)).toMatch(/proxy/);
        expect(inspect(error)).not.toMatch(/needle@|needleneedle|joe/);
      }
    },
  );

  it.each(INVALID.slice(1))(
    "a proxy function that returns %j makes the request fail with the code plugin",
    (value) => {
      const option = (): string => value as string;
      expect(() => selectProxy(option, url, undefined)).toThrow(
        expect.objectContaining({
          code: "plugin",
          message: expect.stringMatching(/^the function of the option proxy did not return /) as string,
        }) as Error,
      );
    },
  );

  it("a proxy function that throws an error, or returns a function, fails with the code plugin", () => {
    const throwing = (): never => {
      throw new Error("broken");
    };
    expect(() => selectProxy(throwing, url, undefined)).toThrow(
      expect.objectContaining({
        code: "plugin",
        message: expect.stringContaining("the callback proxy") as string,
      }) as Error,
    );
    expect(() => selectProxy((() => throwing) as never, url, undefined)).toThrow(
      "the function of the option proxy did not return the URL of a proxy",
    );
  });

  it("the client calls a proxy function with the URL and the server", () => {
    const server = { host: "h.example", port: 7 };
    const calls: unknown[] = [];
    const option: ProxyOption = (...args) => {
      calls.push(args);
      return { url: "http://p.example" };
    };
    expect(String(selectProxy(option, url, server))).toBe("http://p.example:1080");
    expect(calls).toEqual([[url, server]]);
    expect(String(selectProxy(() => "http://p.example", url, server))).toBe("http://p.example:1080");
    expect(String(selectProxy("socks5://q.example", url, server))).toBe("socks5://q.example:1080");
    expect(selectProxy(() => undefined, url, server)).toBeUndefined();
    expect(selectProxy(undefined, url, server)).toBeUndefined();
  });
});
