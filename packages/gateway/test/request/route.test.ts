import { assert, constantFrom, nat, property, stringMatching } from "fast-check";
import { describe, expect, it } from "vitest";
import { type Route, parseRoute, formatRoute, type ResourceView } from "../../src/request/route.ts";

describe("formatRoute returns the gateway path of a URL", () => {
  it.each([
    ["gopher://h.example/1/a%09b", "/gopher/h.example/1/a%09b"],
    ["gopher://h.example:7070/", "/gopher/h.example:7070/"],
    ["ftp://h.example//etc/%2Fmotd;type=a", "/ftp/h.example//etc/%2Fmotd;type=a"],
    ["news:comp.infosystems.*", "/news/comp.infosystems.*"],
    ["news:a%2Fb@h.example", "/news/a%2Fb@h.example"],
    ["mailto:a@b", "/mailto/a@b"],
    ["wais://h.example/db?a+b", "/wais/h.example/db?a+b"],
    ["http://h.example/?url=x", "/http/h.example/?url=x"],
    ["gopher://h.example/0a/../b", "/~page?url=gopher%3A//h.example/0a/../b"],
    ["gopher://h.example/0a/%2E%2e", "/~page?url=gopher%3A//h.example/0a/%252E%252e"],
    ["x-opaque:a/b", "/~page?url=x-opaque%3Aa/b"],
    ["..://h.example/", "/~page?url=..%3A//h.example/"],
    ["news://h.example/x@y", "/~page?url=news%3A//h.example/x@y"],
  ])(
    "formatRoute formats the URL %s as the gateway path %s, and parseRoute returns the same URL",
    (url, path) => {
      expect(decodeURIComponent(formatRoute(url))).toBe(decodeURIComponent(path));
      expect(parseRoute(formatRoute(url))).toEqual({ view: "page", url, firstEntry: 0 });
      if (!path.startsWith("/~")) expect(formatRoute(url)).toBe(path);
    },
  );

  it.each<[string, Route | undefined]>([
    ["/~raw/ftp/h/a", { view: "raw", url: "ftp://h/a", firstEntry: 0 }],
    ["/~size+200/ftp/h/a/", { view: "size", url: "ftp://h/a/", firstEntry: 200 }],
    ["/~page+1000/gopher/h/1", { view: "page", url: "gopher://h/1", firstEntry: 1000 }],
    ["/~download?url=ftp%3A%2F%2Fh%2Fa", { view: "download", url: "ftp://h/a", firstEntry: 0 }],
    ["/~evil/ftp/h/a", undefined],
    ["/~evil?url=x", undefined],
    ["/", undefined],
    ["//h/x", undefined],
    ["/ftp", { view: "page", url: "ftp://", firstEntry: 0 }],
    ["*", undefined],
  ])("parseRoute parses the gateway path %s", (target, route) => {
    expect(parseRoute(target)).toEqual(route);
  });

  it("the gateway path keeps every URL in every view when a browser resolves the path", () => {
    const views = constantFrom<ResourceView>("page", "raw", "download", "name", "size", "date");
    const path = stringMatching(/^[A-Za-z0-9$_.+!*'(),;/?:@&=%-]{0,40}$/);
    const scheme = constantFrom("ftp://h.example/", "gopher://h.example/1", "news:", "x-a:", "wais://h/");
    assert(
      property(scheme, path, views, nat(99), (start, rest, view, from) => {
        const url = start + rest.replace(/%(?![0-9A-Fa-f]{2})/g, "%25");
        const link = formatRoute(url, view, from);
        expect(parseRoute(link)).toEqual({ view, url, firstEntry: from });
        const seen = new URL(link, "http://gateway.example");
        expect(seen.host).toBe("gateway.example");
        expect(parseRoute(seen.href.slice(seen.origin.length))).toEqual({ view, url, firstEntry: from });
      }),
    );
  });
});
