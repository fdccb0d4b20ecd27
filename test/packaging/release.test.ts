import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPublishedPackages, repositoryFolder } from "./published-packages.ts";

const published = readPublishedPackages();
const names = published.map(({ manifest }) => manifest.name).toSorted();
const read = (path: string): string => readFileSync(repositoryFolder + path, "utf8");

/** Returns the problem of the group of packages with a common version. */
function faultsOf(config: string): string[] {
  const { fixed, access } = JSON.parse(config) as { fixed: string[][]; access: string };
  const [group = [], ...others] = fixed;
  return [
    ...names.filter((name) => !group.includes(name)).map((name) => `${name} would be left behind`),
    ...group.filter((name) => !names.includes(name)).map((name) => `${name} is no package that is published`),
    ...others.map((group) => `${group.join(", ")} would go another way`),
    ...(access === "public" ? [] : ["scoped packages would be private"]),
  ];
}

describe("a release", () => {
  const config = read(".changeset/config.json");

  it("a release gives all published packages the same version", () => {
    expect(names.length).toBeGreaterThan(6);
    expect(faultsOf(config)).toEqual([]);
    expect(new Set(published.map(({ manifest }) => manifest.version)).size).toBe(1);
  });

  it.each([
    ['"@anyscheme/gateway",', "", "@anyscheme/gateway would be left behind"],
    ["@anyscheme/core", "@anyscheme/test", "@anyscheme/test is no package that is published"],
    ['"public"', '"restricted"', "scoped packages would be private"],
  ])("a release with %s changed to %s is refused", (from, to, fault) => {
    expect(config).toContain(from);
    expect(faultsOf(config.replace(from, to))).toContain(fault);
  });

  it("the changesets name existing packages only", () => {
    const notes = readdirSync(`${repositoryFolder}.changeset`).filter(
      (name) => name.endsWith(".md") && name !== "README.md",
    );
    const named = notes.flatMap((note) =>
      [...read(`.changeset/${note}`).matchAll(/^"?([@\w/-]+)"?: (?:patch|minor|major)$/gm)].map(
        ([, name]) => name,
      ),
    );
    expect(named.filter((name) => name === undefined || !names.includes(name))).toEqual([]);
  });

  it.each([
    ["packages/cli/man/anyscheme.1", '"anyscheme '],
    ["packages/scheme-http/src/request/request.ts", '"anyscheme/'],
  ])("the version of the release is in %s", (path, before) => {
    expect(read(path)).toContain(`${before}${published[0]?.manifest.version}"`);
  });
});
