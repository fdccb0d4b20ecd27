import { assert, constantFrom, nat, property, stringMatching } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type GatewayPath,
  parseGatewayPath,
  formatGatewayPath,
  type ResourceViewName,
} from "../../src/request/gateway-path.ts";

describe("formatGatewayPath returns the gateway path of a URL", () => {
  it.each([
    ["gopher://h.example/1/a%09b", "/gopher/h.example/1/a%09b"],
    ["gopher://h.example:7070/", "/gopher/h.example:7070/"],
    ["ftp://h.example//etc/%2Fmotd;type=a", "/ftp/h.example//etc/%2Fmotd;type=a"],
    ["news:comp.infosystems.*", "/news/comp.infosystems.*"],
    ["news:a%2Fb@h.example", "/news/a%2Fb@h.example"],
    ["mailto:a@b", "/mailto/a@b"],
    ["wais://h.example/db?a+b", "/wais/h.example/db?a+b"],
    ["http://h.example/?url=x", "/http/h.example/?url=x"],
    ["http://h.example/a'b?c?d", "/http/h.example/a'b?c?d"],
    ["http://h.example/a?b?c'd", "/~page?url=http%3A//h.example/a?b?c'd"],
    ["gopher://h.example/0a/../b", "/~page?url=gopher%3A//h.example/0a/../b"],
    ["gopher://h.example/0a/%2E%2e", "/~page?url=gopher%3A//h.example/0a/%252E%252e"],
    ["x-opaque:a/b", "/~page?url=x-opaque%3Aa/b"],
    ["..://h.example/", "/~page?url=..%3A//h.example/"],
    ["news://h.example/x@y", "/~page?url=news%3A//h.example/x@y"],
  ])(
    "formatGatewayPath formats the URL %s as the gateway path %s, and parseGatewayPath returns the same URL",
    (url, path) => {
      expect(decodeURIComponent(formatGatewayPath(url))).toBe(decodeURIComponent(path));
      expect(parseGatewayPath(formatGatewayPath(url))).toEqual({ view: "page", url, firstEntryIndex: 0 });
      if (!path.startsWith("/~")) expect(formatGatewayPath(url)).toBe(path);
    },
  );

  it.each<[string, GatewayPath | undefined]>([
    ["/~raw/ftp/h/a", { view: "raw", url: "ftp://h/a", firstEntryIndex: 0 }],
    ["/~size+200/ftp/h/a/", { view: "size", url: "ftp://h/a/", firstEntryIndex: 200 }],
    ["/~page+1000/gopher/h/1", { view: "page", url: "gopher://h/1", firstEntryIndex: 1000 }],
    ["/~download?url=ftp%3A%2F%2Fh%2Fa", { view: "download", url: "ftp://h/a", firstEntryIndex: 0 }],
    ["/~evil/ftp/h/a", undefined],
    ["/~evil?url=x", undefined],
    ["/", undefined],
    ["//h/x", undefined],
    ["/ftp", { view: "page", url: "ftp://", firstEntryIndex: 0 }],
    ["*", undefined],
  ])("parseGatewayPath parses the gateway path %s", (target, route) => {
    expect(parseGatewayPath(target)).toEqual(route);
  });

  it("the gateway path keeps every URL in every view when a browser resolves the path", () => {
    const views = constantFrom<ResourceViewName>("page", "raw", "download", "name", "size", "date");
    const path = stringMatching(/^[A-Za-z0-9$_.+!*'(),;/?:@&=%-]{0,40}$/);
    const scheme = constantFrom("ftp://h.example/", "gopher://h.example/1", "news:", "x-a:", "wais://h/");
    assert(
      property(scheme, path, views, nat(99), (start, rest, view, from) => {
        const url = start + rest.replace(/%(?![0-9A-Fa-f]{2})/g, "%25");
        const link = formatGatewayPath(url, view, from);
        expect(parseGatewayPath(link)).toEqual({ view, url, firstEntryIndex: from });
        const seen = new URL(link, "http://gateway.example");
        expect(seen.host).toBe("gateway.example");
        expect(parseGatewayPath(seen.href.slice(seen.origin.length))).toEqual({
          view,
          url,
          firstEntryIndex: from,
        });
      }),
    );
  });
});
