import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { bundleEagerModules } from "./eager-modules.ts";
import { bundleForBrowser, measureGzipBytes } from "./browser-bundle.ts";

const kB = 1000;
/** All functions that parse, format, build and compare URLs, in both modes, with the readings of other parsers. */
const core = 'export * from "@anyscheme/core/syntax";';
const noise = randomBytes(3 * kB).toString("base64");

async function size(module: string): Promise<number> {
  return measureGzipBytes(await bundleForBrowser(module, "module"));
}

/** Returns the bytes above the limit of a module, or 0. */
async function excess(module: string, limit: number): Promise<number> {
  return Math.max(0, (await size(module)) - limit);
}

describe("the size for a browser, minified and compressed", () => {
  it("core/syntax has at most 10 kB in a browser", async () => {
    expect(await excess(core, 10 * kB)).toBe(0);
  });

  it.each([
    { name: "extract", limit: 3.5 * kB },
    { name: "reference", limit: 0.5 * kB },
  ])("core/$name adds at most $limit bytes in a browser", async ({ name, limit }) => {
    expect(await excess(`${core} export * from "@anyscheme/core/${name}";`, (await size(core)) + limit)).toBe(
      0,
    );
  });

  it.each([
    "scheme-ftp",
    "scheme-gopher",
    "scheme-http",
    ...["file", "mailto", "news", "nntp", "prospero", "telnet", "wais"].map(
      (name) => `scheme-others/${name}`,
    ),
  ])("%s/syntax adds at most 2 kB to core/syntax in a browser", async (name) => {
    const both = `${core} export * from "@anyscheme/${name}/syntax";`;
    expect(await size(both)).toBeGreaterThan(await size(core));
    expect(await excess(both, (await size(core)) + 2 * kB)).toBe(0);
  });

  it("the measured size grows with the module, and modules of Node are rejected", async () => {
    expect(await excess(`${core} export const noise = "${noise}";`, 10 * kB)).toBeGreaterThan(2 * kB);
    const extraction = `${core} export { extractUrls } from "@anyscheme/core/extract";`;
    expect(await excess(extraction, 10 * kB)).toBeGreaterThan(0);
    await expect(
      bundleForBrowser('import { connect } from "node:net"; export { connect };', "module"),
    ).rejects.toThrow("node:net");
  });
});

describe("the size of the modules that Node loads eagerly, minified and compressed", () => {
  it.each([
    // The client imports its parts statically; only TLS, DNS, UDP and crypto are loaded on first use.
    { name: "core", limit: 38 * kB },
    { name: "scheme-ftp", limit: 7 * kB },
    { name: "scheme-gopher", limit: 11.5 * kB },
    { name: "scheme-http", limit: 15 * kB },
  ])("an import of $name loads at most $limit compressed bytes", async ({ name, limit }) => {
    const bytes = measureGzipBytes(await bundleEagerModules(`${name}/src/index.ts`));
    expect(bytes).toBeGreaterThan(kB);
    expect(bytes).toBeLessThanOrEqual(limit);
  });

  it("the size of eagerly loaded modules excludes modules that a scheme loads later", async () => {
    const ftp = await bundleEagerModules("scheme-ftp/src/index.ts");
    expect(measureGzipBytes(ftp)).toBeLessThan(
      measureGzipBytes(await bundleEagerModules("scheme-ftp/src/transfer/retrieve.ts")) / 2,
    );
  });
});
