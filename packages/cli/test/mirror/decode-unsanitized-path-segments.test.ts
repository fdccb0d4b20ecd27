import { expect, it } from "vitest";
import { ftpSyntax } from "@anyscheme/scheme-ftp/syntax";
import { gopherSyntax } from "@anyscheme/scheme-gopher/syntax";
import { newsSyntax } from "@anyscheme/scheme-others/news/syntax";
import { nntpSyntax } from "@anyscheme/scheme-others/nntp/syntax";
import { fileSyntax } from "@anyscheme/scheme-others/file/syntax";
import { prosperoSyntax } from "@anyscheme/scheme-others/prospero/syntax";
import { waisSyntax } from "@anyscheme/scheme-others/wais/syntax";
import type { Url } from "@anyscheme/core";
import { decodeUnsanitizedSegmentsBelow } from "../../src/mirror/decode-unsanitized-path-segments.ts";

function parseUrlOfScheme(text: string): Url {
  if (text.startsWith("ftp:")) return ftpSyntax.parse(text);
  if (text.startsWith("nntp:")) return nntpSyntax.parse(text);
  if (text.startsWith("news:")) return newsSyntax.parse(text);
  if (text.startsWith("prospero:")) return prosperoSyntax.parse(text);
  if (text.startsWith("wais:")) return waisSyntax.parse(text);
  return text.startsWith("file:") ? fileSyntax.parse(text) : gopherSyntax.parse(text);
}

it.each<[directory: string, url: string, names: string[] | undefined]>([
  ["ftp://h/pub/", "ftp://h/pub/a", ["a"]],
  ["ftp://h/pub/", "ftp://h/pub/a/b%2Fc/", ["a", "b/c"]],
  ["ftp://h/", "ftp://h/a", ["a"]],
  ["ftp://h/", "ftp://h/caf%E9%C3%A9", ["caf\udce9\udcc3\udca9"]],
  ["ftp://h/", "ftp://h/%EF%BF%BD%C3%A9", ["\ufffdé"]],
  ["ftp://h", "ftp://h/a", ["a"]],
  ["ftp://h/pub/", "ftp://H:21/pub/a", ["a"]],
  ["ftp://h/pub/", "ftp://h/pub/", undefined],
  ["ftp://h/pub/", "ftp://h/public", undefined],
  ["ftp://h/pub/", "ftp://h/etc/passwd", undefined],
  ["ftp://h/pub/", "ftp://h:2121/pub/a", undefined],
  ["ftp://h/pub/", "ftp://other/pub/a", undefined],
  ["ftp://h/pub/", "ftp://joe@h/pub/a", undefined],
  ["gopher://h/", "gopher://h/0/a", ["a"]],
  ["gopher://h/", "gopher://h/0a", ["a"]],
  ["gopher://h/1/pub", "gopher://h/9/pub/x/y", ["x", "y"]],
  ["gopher://h/1/pub/", "gopher://h/9/pub/x", ["x"]],
  ["gopher://h/11/pub", "gopher://h/00/pub/x", ["x"]],
  ["gopher://h/1/pub", "gopher://h/0/etc/x", undefined],
  ["gopher://h/1/pub", "gopher://h/1/pub", undefined],
  ["gopher://h/1/pub", "gopher://h/1/", undefined],
  ["gopher://h/1/pub", "gopher://elsewhere/0/pub/x", undefined],
  ["nntp://h/a.b", "nntp://h/a.b/12", ["12"]],
  ["nntp://h/", "nntp://h/a.b/12", ["a.b", "12"]],
  ["nntp://h/a.b", "nntp://h/a.c/12", undefined],
  ["nntp://h/a.b", "nntp://other/a.b/12", undefined],
  ["news:a.b", "nntp://other/a.b/12", ["12"]],
  ["news:*", "nntp://other/a.b", ["a.b"]],
  ["news:a.b", "nntp://other/a.c/12", undefined],
  ["news:a.b", "gopher://other/0/a.b/12", undefined],
  ["file:///pub/", "file:///pub/a", ["a"]],
  ["file:///pub", "file:///pub/a/", ["a"]],
  ["file:///pub", "file:///etc", undefined],
  ["file:///etc/../pub/", "file:///pub/a", ["a"]],
  ["prospero://h//pub", "prospero://h//pub/a%20b/c", ["a b", "c"]],
  ["prospero://h//", "prospero://h//pub;OBJECT-VERSION=2", ["pub"]],
  ["prospero://h/pub", "prospero://h/pub/a", ["a"]],
  ["prospero://h//pub", "prospero://h//etc/a", undefined],
  ["prospero://h//pub", "prospero://h:1526//pub/a", undefined],
  ["wais://h/fruit", "wais://h/fruit/TEXT/1", undefined],
])("decodeUnsanitizedSegmentsBelow from %s to %s returns %j", (directory, url, names) => {
  expect(decodeUnsanitizedSegmentsBelow(parseUrlOfScheme(directory), parseUrlOfScheme(url))).toEqual(names);
});

it("decodeUnsanitizedSegmentsBelow returns dot segments as names, which toSafeFileName rejects", () => {
  expect(
    decodeUnsanitizedSegmentsBelow(
      parseUrlOfScheme("gopher://h/1/pub"),
      parseUrlOfScheme("gopher://h/0/pub/../../etc"),
    ),
  ).toEqual(["..", "..", "etc"]);
});
