import { expect, it } from "vitest";
import type { Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, gophers } from "@anyscheme/scheme-gopher";
import { http, https } from "@anyscheme/scheme-http";
import { file } from "@anyscheme/scheme-others/file";
import { mailto } from "@anyscheme/scheme-others/mailto";
import { news } from "@anyscheme/scheme-others/news";
import { nntp } from "@anyscheme/scheme-others/nntp";
import { prospero } from "@anyscheme/scheme-others/prospero";
import { telnet } from "@anyscheme/scheme-others/telnet";
import { wais } from "@anyscheme/scheme-others/wais";

it.each<[scheme: Pick<Scheme, "name" | "redirectSchemes">, redirectSchemes: readonly string[] | undefined]>([
  [http(), ["http", "https"]],
  [https(), ["http", "https"]],
  [gopher(), ["gopher"]],
  [gophers(), ["gophers"]],
  [prospero(), ["prospero", "ftp", "gopher", "wais", "telnet"]],
  [ftp(), undefined],
  [file(), undefined],
  [mailto(), undefined],
  [news(), undefined],
  [nntp(), undefined],
  [telnet(), undefined],
  [wais(), undefined],
])("the scheme $name declares the expected redirectSchemes", ({ redirectSchemes }, expected) => {
  expect(redirectSchemes).toEqual(expected);
});

it("the scheme file declares that no redirect may lead to its URLs", () => {
  expect(file().acceptsRedirects).toBe(false);
});
