import { createClient, type Scheme, type DirectoryCompleteness } from "@anyscheme/core";
import { createGenericSyntax } from "@anyscheme/core/syntax";
import { describe, expect, it } from "vitest";
import { startGateway } from "../../src/index.ts";
import { sendRequestToGateway } from "../test-gateway.ts";

/** Returns a scheme of directories with the given number of entries and the given completeness. */
function createDirectoryScheme(length: number, completeness: DirectoryCompleteness): Scheme {
  async function* entries(): AsyncGenerator<{ name: string; url: undefined; kind: string }> {
    for (let index = 0; index < length; index++)
      yield await Promise.resolve({ name: `n${index}`, url: undefined, kind: "file" });
  }
  return {
    name: "x-cut",
    syntax: createGenericSyntax({ schemes: ["x-cut"] }),
    plan: (url) => ({ url, steps: [] }),
    access: (_, context) => Promise.resolve(context.createDirectory({ entries: entries(), completeness })),
  };
}

describe("the gateway reports that the server has truncated a directory", () => {
  it.each<[completeness: DirectoryCompleteness, length: number, path: string, hasNotice: boolean]>([
    ["truncated", 2, "/x-cut/h/", true],
    ["truncated", 0, "/x-cut/h/", true],
    ["truncated", 2, "/~size/x-cut/h/", true],
    // Only the last page reads the end of the listing.
    ["truncated", 1_500, "/x-cut/h/", false],
    ["truncated", 1_500, "/~page+1000/x-cut/h/", true],
    ["truncated", 20_001, "/~name/x-cut/h/", false],
    ["unverified", 2, "/x-cut/h/", false],
    ["verified", 2, "/x-cut/h/", false],
  ])(
    "the gateway shows a notice for a %s directory of %i entries at the path %s: %s",
    async (completeness, length, path, hasNotice) => {
      await using client = createClient({ schemes: [createDirectoryScheme(length, completeness)] });
      await using gateway = await startGateway(client, { port: 0 });
      const { status, text } = await sendRequestToGateway(gateway.port, path);
      expect(status).toBe(200);
      expect(text.includes("The listing is incomplete: the server omitted entries.")).toBe(hasNotice);
      expect(text.includes("Only the first 20000 entries are sorted.")).toBe(length > 20_000);
    },
  );
});

describe("the gateway reports that a page begins after the last entry of a listing", () => {
  it.each<[path: string, length: number, notice: string]>([
    [
      "/~page+5000/x-cut/h/",
      1_500,
      '<p>The listing has only 1500 entries. <a href="/x-cut/h/">First entries</a></p>',
    ],
    [
      "/~name+1/x-cut/h/",
      1,
      '<p>The listing has only 1 entry. <a href="/~name/x-cut/h/">First entries</a></p>',
    ],
    ["/~page+5000/x-cut/h/", 0, "<p>The listing is empty.</p>"],
    ["/x-cut/h/", 0, "<p>The listing is empty.</p>"],
  ])("the page %s of a listing of %i entries has the notice: %s", async (path, length, notice) => {
    await using client = createClient({ schemes: [createDirectoryScheme(length, "verified")] });
    await using gateway = await startGateway(client, { port: 0 });
    const { status, text } = await sendRequestToGateway(gateway.port, path);
    expect([status, text.match(/<p>The listing .*<\/p>/g)]).toEqual([200, [notice]]);
  });

  it.each(["/~name/x-cut/h/", "/~name+19000/x-cut/h/", "/~name+20000/x-cut/h/"])(
    "the page %s of a listing that is too long to sort has a link to all entries",
    async (path) => {
      await using client = createClient({ schemes: [createDirectoryScheme(20_001, "verified")] });
      await using gateway = await startGateway(client, { port: 0 });
      const { text } = await sendRequestToGateway(gateway.port, path);
      expect(text).toContain(
        'Only the first 20000 entries are sorted. <a href="/x-cut/h/">All entries, unsorted</a>',
      );
      expect(text).not.toMatch(/The listing (?:is empty|has only)/);
    },
  );
});
