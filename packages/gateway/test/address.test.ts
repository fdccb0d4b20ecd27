import { assert, constantFrom, nat, property, stringMatching } from "fast-check";
import { describe, expect, it } from "vitest";
import { type Address, addressOf, pathOf, type View } from "../src/address.ts";

describe("the address of a URL in the gateway", () => {
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
  ])("%s is %s, and back", (url, path) => {
    expect(decodeURIComponent(pathOf(url))).toBe(decodeURIComponent(path));
    expect(addressOf(pathOf(url))).toEqual({ view: "page", url, from: 0 });
    if (!path.startsWith("/~")) expect(pathOf(url)).toBe(path);
  });

  it.each<[string, Address | undefined]>([
    ["/~raw/ftp/h/a", { view: "raw", url: "ftp://h/a", from: 0 }],
    ["/~size+200/ftp/h/a/", { view: "size", url: "ftp://h/a/", from: 200 }],
    ["/~page+1000/gopher/h/1", { view: "page", url: "gopher://h/1", from: 1000 }],
    ["/~download?url=ftp%3A%2F%2Fh%2Fa", { view: "download", url: "ftp://h/a", from: 0 }],
    ["/~evil/ftp/h/a", undefined],
    ["/~evil?url=x", undefined],
    ["/", undefined],
    ["//h/x", undefined],
    ["/ftp", { view: "page", url: "ftp://", from: 0 }],
    ["*", undefined],
  ])("%s", (target, address) => {
    expect(addressOf(target)).toEqual(address);
  });

  it("gives every URL back, in every view, and a browser changes nothing of it", () => {
    const views = constantFrom<View>("page", "raw", "download", "name", "size", "date");
    const path = stringMatching(/^[A-Za-z0-9$_.+!*'(),;/?:@&=%-]{0,40}$/);
    const scheme = constantFrom("ftp://h.example/", "gopher://h.example/1", "news:", "x-a:", "wais://h/");
    assert(
      property(scheme, path, views, nat(99), (start, rest, view, from) => {
        const url = start + rest.replace(/%(?![0-9A-Fa-f]{2})/g, "%25");
        const link = pathOf(url, view, from);
        expect(addressOf(link)).toEqual({ view, url, from });
        const seen = new URL(link, "http://gateway.example");
        expect(seen.host).toBe("gateway.example");
        expect(addressOf(seen.href.slice(seen.origin.length))).toEqual({ view, url, from });
      }),
    );
  });
});
