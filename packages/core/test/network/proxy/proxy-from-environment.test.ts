import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { AccessError } from "../../../src/errors/access-error.ts";
import { matchesNoProxy } from "../../../src/network/proxy/no-proxy.ts";
import { type Environment, proxyFromEnvironment } from "../../../src/network/proxy/proxy-from-environment.ts";
import { genericSyntax } from "../../../src/syntax/index.ts";

/** Returns the proxy of a URL with the host `www.example`. */
function findProxy(scheme: string, environment: Environment, host = "www.example"): unknown {
  const url = genericSyntax({ schemes: [scheme] }).parse(`${scheme}://${host}/`);
  return proxyFromEnvironment(environment)(url, { host, port: 80 });
}

const [A, B, C] = ["http://a.example:3128", "http://b.example:3128", "socks5h://c.example:1080"];

// https://everything.curl.dev/usingcurl/proxies/env.html
describe("the variable that names the proxy, as in curl", () => {
  it.each<[string, string, Environment, string | undefined]>([
    ["none", "http", {}, undefined],
    ["http_proxy", "http", { http_proxy: A }, A],
    ["http_proxy, which is for http only", "https", { http_proxy: A }, undefined],
    ["https_proxy", "https", { http_proxy: A, https_proxy: B }, B],
    ["HTTPS_PROXY", "https", { HTTPS_PROXY: B }, B],
    ["lower case before upper case", "https", { https_proxy: A, HTTPS_PROXY: B }, A],
    ["not HTTP_PROXY, which a CGI request can set", "http", { HTTP_PROXY: A }, undefined],
    ["ftp_proxy", "ftp", { ftp_proxy: A, all_proxy: C }, A],
    ["FTP_PROXY", "ftp", { FTP_PROXY: A, all_proxy: C }, A],
    ["the variable of any scheme", "gopher", { gopher_proxy: C }, C],
    ["all_proxy", "gopher", { all_proxy: C }, C],
    ["ALL_PROXY", "gopher", { ALL_PROXY: C }, C],
    ["all_proxy before ALL_PROXY", "gopher", { all_proxy: A, ALL_PROXY: C }, A],
    ["all_proxy instead of HTTP_PROXY", "http", { HTTP_PROXY: A, all_proxy: C }, C],
    ["the next variable after an empty one", "https", { https_proxy: "", HTTPS_PROXY: B }, B],
    ["a host without a scheme", "http", { http_proxy: "a.example:3128" }, A],
    ["a login without a scheme", "http", { http_proxy: "u:p@a.example:3128" }, "http://u:p@a.example:3128"],
    ["no proxy for a host of no_proxy", "http", { http_proxy: A, no_proxy: "www.example" }, undefined],
    ["no proxy for a host of NO_PROXY", "http", { http_proxy: A, NO_PROXY: "www.example" }, undefined],
    ["no_proxy before NO_PROXY", "http", { http_proxy: A, no_proxy: "x.example", NO_PROXY: "*" }, A],
    ["NO_PROXY after an empty no_proxy", "http", { http_proxy: A, no_proxy: "", NO_PROXY: "*" }, undefined],
  ])("%s", (_, scheme, environment, expected) => {
    expect(findProxy(scheme, environment)).toBe(expected);
  });

  it("reads a variable when a request starts", () => {
    const environment: Record<string, string> = {};
    const select = proxyFromEnvironment(environment);
    const url = genericSyntax({ schemes: ["http"] }).parse("http://www.example/");
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
    "p.example:99999",
  ])("names the variable of the invalid proxy %s, and not its value", (value) => {
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
    });
    expect(inspect(error)).not.toMatch(/needle|joe/);
  });

  it("reads process.env by default", () => {
    expect(proxyFromEnvironment()).toBeTypeOf("function");
    expect(() => proxyFromEnvironment("http_proxy=x" as never)).toThrow(TypeError);
  });
});

// The cases follow the test `unit1614` of curl. <https://github.com/curl/curl/blob/master/tests/unit/unit1614.c>
describe("no_proxy", () => {
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
    ["10.0.0.0/8", "2001:db8::1", false],
    ["2001:db8::/32", "2001:db8::1", true],
    ["2001:db8::/32", "2001:db9::1", false],
    ["2001:db8::/129", "2001:db8::", false],
    ["::1", "::1", true],
    ["[::1]", "::1", true],
    ["0:0:0:0:0:0:0:1", "::1", true],
    ["192.0.2.1", "192.0.2.1.example", false],
  ])('"%s" contains %s: %s', (list, host, expected) => {
    expect(matchesNoProxy(list, host)).toBe(expected);
  });
});
