import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { bundleStaticImports } from "./static-import-bundle.ts";
import { bundleForBrowser, measureGzipBytes } from "./browser-bundle.ts";

const BYTES_PER_KILOBYTE = 1000;
/** A module that exports all functions of core/syntax, which parse, format, build and compare URLs in both modes. */
const importCoreSyntaxCode = 'export * from "@anyscheme/core/syntax";';
const incompressibleText = randomBytes(3 * BYTES_PER_KILOBYTE).toString("base64");

async function measureBundleSize(module: string): Promise<number> {
  return measureGzipBytes(await bundleForBrowser(module, "module"));
}

/** Returns the number of bytes by which a module exceeds its limit, or 0. */
async function bytesAboveLimit(module: string, limit: number): Promise<number> {
  return Math.max(0, (await measureBundleSize(module)) - limit);
}

describe("the bundles for a browser have a maximum size, minified and compressed", () => {
  it("core/syntax has at most 10.4 kB in a browser", async () => {
    expect(await bytesAboveLimit(importCoreSyntaxCode, 10.4 * BYTES_PER_KILOBYTE)).toBe(0);
  });

  it.each([
    { name: "extract", limit: 3.5 * BYTES_PER_KILOBYTE },
    { name: "reference", limit: 0.5 * BYTES_PER_KILOBYTE },
  ])("core/$name adds at most $limit bytes in a browser", async ({ name, limit }) => {
    expect(
      await bytesAboveLimit(
        `${importCoreSyntaxCode} export * from "@anyscheme/core/${name}";`,
        (await measureBundleSize(importCoreSyntaxCode)) + limit,
      ),
    ).toBe(0);
  });

  it.each([
    "scheme-ftp",
    "scheme-gopher",
    "scheme-http",
    ...["file", "mailto", "news", "nntp", "prospero", "telnet", "wais"].map(
      (name) => `scheme-others/${name}`,
    ),
  ])("%s/syntax adds at most 2 kB to core/syntax in a browser", async (name) => {
    const both = `${importCoreSyntaxCode} export * from "@anyscheme/${name}/syntax";`;
    expect(await measureBundleSize(both)).toBeGreaterThan(await measureBundleSize(importCoreSyntaxCode));
    expect(
      await bytesAboveLimit(both, (await measureBundleSize(importCoreSyntaxCode)) + 2 * BYTES_PER_KILOBYTE),
    ).toBe(0);
  });

  it("the measured size grows with the module, and modules of Node are rejected", async () => {
    expect(
      await bytesAboveLimit(
        `${importCoreSyntaxCode} export const noise = "${incompressibleText}";`,
        10 * BYTES_PER_KILOBYTE,
      ),
    ).toBeGreaterThan(2 * BYTES_PER_KILOBYTE);
    const extraction = `${importCoreSyntaxCode} export { extractUrls } from "@anyscheme/core/extract";`;
    expect(await bytesAboveLimit(extraction, 10 * BYTES_PER_KILOBYTE)).toBeGreaterThan(0);
    await expect(
      bundleForBrowser('import { connect } from "node:net"; export { connect };', "module"),
    ).rejects.toThrow("node:net");
  });
});

describe("the size of the modules that Node loads eagerly, minified and compressed", () => {
  it.each([
    // The client imports its parts statically; only TLS, UDP, crypto, retries, hooks and saving load on first use.
    { name: "core", limit: 49.8 * BYTES_PER_KILOBYTE },
    { name: "scheme-ftp", limit: 7 * BYTES_PER_KILOBYTE },
    { name: "scheme-gopher", limit: 11.5 * BYTES_PER_KILOBYTE },
    { name: "scheme-http", limit: 17 * BYTES_PER_KILOBYTE },
  ])("an import of $name loads at most $limit compressed bytes", async ({ name, limit }) => {
    const bytes = measureGzipBytes(await bundleStaticImports(`${name}/src/index.ts`));
    expect(bytes).toBeGreaterThan(BYTES_PER_KILOBYTE);
    expect(bytes).toBeLessThanOrEqual(limit);
  });

  it("the size of eagerly loaded modules excludes modules that a scheme loads later", async () => {
    const ftp = await bundleStaticImports("scheme-ftp/src/index.ts");
    expect(measureGzipBytes(ftp)).toBeLessThan(
      measureGzipBytes(await bundleStaticImports("scheme-ftp/src/transfer/retrieve.ts")) / 2,
    );
  });
});
