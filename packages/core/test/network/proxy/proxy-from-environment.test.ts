import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { AccessError } from "../../../src/errors/access-error.ts";
import { matchesNoProxy } from "../../../src/network/proxy/no-proxy.ts";
import { type Environment, proxyFromEnvironment } from "../../../src/network/proxy/proxy-from-environment.ts";
import { createGenericSyntax } from "../../../src/syntax/index.ts";

/** Returns the proxy of a URL. Default host: `www.example`. */
function findProxy(scheme: string, environment: Environment, host = "www.example"): unknown {
  const url = createGenericSyntax({ schemes: [scheme] }).parse(`${scheme}://${host}/`);
  return proxyFromEnvironment(environment)(url, { host, port: 80 });
}

const [A, B, C] = ["http://a.example:3128", "http://b.example:3128", "socks5h://c.example:1080"];

// https://everything.curl.dev/usingcurl/proxies/env.html
describe("proxyFromEnvironment selects the environment variable as curl does", () => {
  it.each<[string, string, Environment, string | undefined]>([
    ["no proxy without a variable", "http", {}, undefined],
    ["http_proxy for http", "http", { http_proxy: A }, A],
    ["no http_proxy for https", "https", { http_proxy: A }, undefined],
    ["https_proxy for https", "https", { http_proxy: A, https_proxy: B }, B],
    ["HTTPS_PROXY for https", "https", { HTTPS_PROXY: B }, B],
    ["https_proxy before HTTPS_PROXY", "https", { https_proxy: A, HTTPS_PROXY: B }, A],
    ["no HTTP_PROXY, because a CGI request can set the variable", "http", { HTTP_PROXY: A }, undefined],
    ["ftp_proxy for ftp", "ftp", { ftp_proxy: A, all_proxy: C }, A],
    ["FTP_PROXY for ftp", "ftp", { FTP_PROXY: A, all_proxy: C }, A],
    ["gopher_proxy for gopher", "gopher", { gopher_proxy: C }, C],
    ["all_proxy for a scheme without its own variable", "gopher", { all_proxy: C }, C],
    ["ALL_PROXY for a scheme without its own variable", "gopher", { ALL_PROXY: C }, C],
    ["all_proxy before ALL_PROXY", "gopher", { all_proxy: A, ALL_PROXY: C }, A],
    ["all_proxy instead of HTTP_PROXY", "http", { HTTP_PROXY: A, all_proxy: C }, C],
    ["HTTPS_PROXY when https_proxy is empty", "https", { https_proxy: "", HTTPS_PROXY: B }, B],
    ["a value without a scheme is an HTTP proxy", "http", { http_proxy: "a.example:3128" }, A],
    [
      "a value with a login and without a scheme is an HTTP proxy",
      "http",
      { http_proxy: "u:p@a.example:3128" },
      "http://u:p@a.example:3128",
    ],
    ["no proxy for a host in no_proxy", "http", { http_proxy: A, no_proxy: "www.example" }, undefined],
    ["no proxy for a host in NO_PROXY", "http", { http_proxy: A, NO_PROXY: "www.example" }, undefined],
    ["no_proxy before NO_PROXY", "http", { http_proxy: A, no_proxy: "x.example", NO_PROXY: "*" }, A],
    ["NO_PROXY when no_proxy is empty", "http", { http_proxy: A, no_proxy: "", NO_PROXY: "*" }, undefined],
  ])("proxyFromEnvironment follows the rule: %s", (_, scheme, environment, expected) => {
    expect(findProxy(scheme, environment)).toBe(expected);
  });

  it.each([
    ["*", undefined],
    ["a.example", C],
  ])(
    "proxyFromEnvironment returns the proxy of a URL without a host when no_proxy is %s: %s",
    (no_proxy, expected) => {
      const url = createGenericSyntax({ schemes: ["x-none"] }).parse("x-none:a.example");
      expect(proxyFromEnvironment({ all_proxy: C, no_proxy })(url, undefined)).toBe(expected);
    },
  );

  it("no_proxy applies to the server of the connection instead of the host of the URL", () => {
    const url = createGenericSyntax({ schemes: ["http"] }).parse("http://www.example/");
    const select = proxyFromEnvironment({ http_proxy: A, no_proxy: "news.example" });
    expect(select(url, { host: "news.example", port: 119 })).toBeUndefined();
    expect(select(url, { host: "other.example", port: 119 })).toBe(A);
  });

  it("the function that proxyFromEnvironment returns reads the variables at each call", () => {
    const environment: Record<string, string> = {};
    const select = proxyFromEnvironment(environment);
    const url = createGenericSyntax({ schemes: ["http"] }).parse("http://www.example/");
    expect(select(url, undefined)).toBeUndefined();
    environment["http_proxy"] = A;
    expect(select(url, undefined)).toBe(A);
    environment["no_proxy"] = "*";
    expect(select(url, undefined)).toBeUndefined();
  });

  it.each([
    "socks4://p.example",
    "http://joe:needle@p.example/path",
    "http://",
    "://needle",
    " http://p.example",
    "p.example:99999",
  ])("the error for the invalid proxy URL %s names the variable and not its value", (value) => {
    let error: unknown;
    try {
      findProxy("gopher", { ALL_PROXY: value });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(AccessError);
    expect(error).toMatchObject({
      code: "proxy",
      reason: "the environment variable ALL_PROXY is not the URL of a proxy",
      advice: "write http://HOST:PORT, https://HOST:PORT, socks5://HOST:PORT or socks5h://HOST:PORT",
    });
    expect(inspect(error)).not.toMatch(/needle|joe/);
  });

  it("proxyFromEnvironment needs no argument, and rejects a text as its argument", () => {
    expect(proxyFromEnvironment()).toBeTypeOf("function");
    expect(() => proxyFromEnvironment("http_proxy=x" as never)).toThrow(
      /^proxyFromEnvironment: the argument "environment" has to be /,
    );
  });
});

// The cases follow the test `unit1614` of curl. <https://github.com/curl/curl/blob/master/tests/unit/unit1614.c>
describe("the variable no_proxy", () => {
  it.each<[string, string, boolean]>([
    ["*", "www.example", true],
    ["*", "192.0.2.1", true],
    ["", "www.example", false],
    ["www.example", "www.example", true],
    ["WWW.Example", "www.example", true],
    ["example.com", "www.example.com", true],
    [".example.com", "www.example.com", true],
    [".example.com", "example.com", true],
    ["example.com.", "www.example.com", true],
    ["example.com", "www.example.com.", true],
    ["example.com", "nonexample.com", false],
    ["www.example.com", "example.com", false],
    ["*.example.com", "www.example.com", false],
    ["a.example, b.example", "b.example", true],
    ["a.example,,b.example,", "b.example", true],
    [" , ", "b.example", false],
    [".", "b.example", false],
    ["localhost,127.0.0.1", "localhost", true],
    ["localhost,127.0.0.1", "127.0.0.1", true],
    ["localhost,127.0.0.1", "127.0.0.2", false],
    ["192.168.0.0/16", "192.168.1.1", true],
    ["192.168.0.0/16", "192.169.1.1", false],
    ["192.168.1.1/32", "192.168.1.1", true],
    ["192.168.1.1/33", "192.168.1.1", false],
    ["192.168.0.0/", "192.168.0.0", false],
    ["192.168.0.0/16", "192.168.example", false],
    ["168.1.1", "192.168.1.1", false],
    ["host-192.168.1.1", "192.168.1.1", false],
    ["10.0.0.0/8", "2001:db8::1", false],
    ["2001:db8::/32", "2001:db8::1", true],
    ["2001:db8::/32", "2001:db9::1", false],
    ["2001:db8::/129", "2001:db8::", false],
    ["::1", "::1", true],
    ["[::1]", "::1", true],
    ["0:0:0:0:0:0:0:1", "::1", true],
    ["192.0.2.1", "192.0.2.1.example", false],
  ])('the no_proxy value "%s" contains the host %s: %s', (list, host, expected) => {
    expect(matchesNoProxy(list, host)).toBe(expected);
  });
});
