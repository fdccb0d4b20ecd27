import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readDocsPage, REPOSITORY_FOLDER } from "../code-blocks.ts";
import { readTableBelowHeading } from "../markdown-table.ts";

const TEST_FOLDER = join(REPOSITORY_FOLDER, "packages/scheme-http/test");

const files = [
  ...readdirSync(join(TEST_FOLDER, "cache")).map((name) => join("cache", name)),
  "request/cookies.test.ts",
];
const testSources = files.map((name) => readFileSync(join(TEST_FOLDER, name), "utf8")).join("\n");

it.each(readTableBelowHeading(readDocsPage("docs/conformance-cache.md"), "Requirements"))(
  "the tests of section %s exist: %s",
  (_section, _requirement, tests = "") => {
    const titles = [...tests.matchAll(/`([^`]+)`/g)].map(([, title = ""]) => title);
    expect(titles.length).toBeGreaterThan(0);
    expect(titles.filter((title) => !testSources.includes(title))).toEqual([]);
  },
);
