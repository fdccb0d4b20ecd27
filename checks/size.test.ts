import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { bundle, gzipped } from "./bundle.ts";

const kB = 1000;
const core = 'export * from "@anyscheme/core/syntax";';

/** All that does not look for URLs in text. */
const withoutExtraction = `export { conform, decodeOctets, decodeText, defineSyntax, encode, FAULTS, genericSyntax, InternetUrl,
  isHost, normalizeEscapes, resolveReference, sectionName, Url, UrlSyntaxError } from "@anyscheme/core/syntax";`;

async function size(module: string): Promise<number> {
  return gzipped(await bundle(module));
}

describe("what a browser has to load, minified and compressed", () => {
  it.each([
    { what: "core/syntax", module: core, limit: 10 * kB },
    { what: "core/syntax without extraction", module: withoutExtraction, limit: 7.5 * kB },
  ])("$what: at most $limit octets", async ({ module, limit }) => {
    expect(await size(module)).toBeLessThanOrEqual(limit);
  });

  // Extraction takes 2.3 kB of it, the sentences of the faults 0.9, hosts 0.8; what is left besides is 5.4.
  it.fails("core/syntax: at most 6 kB, which is not reached", async () => {
    expect(await size(core)).toBeLessThanOrEqual(6 * kB);
  });

  it.each(["ftp", "http", "gopher"])("scheme-%s/syntax: at most 2 kB more than core/syntax", async (name) => {
    const both = await size(`${core} export * from "@anyscheme/scheme-${name}/syntax";`);
    expect(both - (await size(core))).toBeLessThanOrEqual(2 * kB);
  });

  it("is what is measured", async () => {
    const own = await size(core);
    const noise = randomBytes(3 * kB).toString("base64");
    expect((await size(`${core} export const noise = "${noise}";`)) - own).toBeGreaterThan(3 * kB);
    await expect(bundle('import { connect } from "node:net"; export { connect };')).rejects.toThrow(
      "node:net",
    );
  });
});
