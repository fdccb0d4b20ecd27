import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPublishedPackages, repositoryFolder } from "./published-package-manifests.ts";

const publishedPackages = readPublishedPackages();
const packageNames = publishedPackages.map(({ manifest }) => manifest.name).toSorted();
const readRepositoryFile = (path: string): string => readFileSync(repositoryFolder + path, "utf8");

/** Returns the problems in the group of packages with a common version. */
function findVersionGroupProblems(config: string): string[] {
  const { fixed, access } = JSON.parse(config) as { fixed: string[][]; access: string };
  const [group = [], ...others] = fixed;
  return [
    ...packageNames
      .filter((name) => !group.includes(name))
      .map((name) => `${name} is not in the group of packages with a common version`),
    ...group
      .filter((name) => !packageNames.includes(name))
      .map((name) => `${name} is not a published package`),
    ...others.map((group) => `${group.join(", ")} would form a second version group`),
    ...(access === "public" ? [] : ["scoped packages would be published as private"]),
  ];
}

describe("a release", () => {
  const config = readRepositoryFile(".changeset/config.json");

  it("a release gives all published packages the same version", () => {
    expect(packageNames.length).toBeGreaterThan(6);
    expect(findVersionGroupProblems(config)).toEqual([]);
    expect(new Set(publishedPackages.map(({ manifest }) => manifest.version)).size).toBe(1);
  });

  it.each([
    ['"@anyscheme/gateway",', "", "@anyscheme/gateway is not in the group of packages with a common version"],
    ["@anyscheme/core", "@anyscheme/test", "@anyscheme/test is not a published package"],
    ['"public"', '"restricted"', "scoped packages would be published as private"],
  ])("the check of the release configuration reports %s changed to %s", (from, to, fault) => {
    expect(config).toContain(from);
    expect(findVersionGroupProblems(config.replace(from, to))).toContain(fault);
  });

  it("the changesets name existing packages only", () => {
    const notes = readdirSync(`${repositoryFolder}.changeset`).filter(
      (name) => name.endsWith(".md") && name !== "README.md",
    );
    const named = notes.flatMap((note) =>
      [...readRepositoryFile(`.changeset/${note}`).matchAll(/^"?([@\w/-]+)"?: (?:patch|minor|major)$/gm)].map(
        ([, name]) => name,
      ),
    );
    expect(named.filter((name) => name === undefined || !packageNames.includes(name))).toEqual([]);
  });

  it.each([
    ["packages/cli/man/anyscheme.1", '"anyscheme '],
    ["packages/scheme-http/src/request/http-request-head.ts", '"anyscheme/'],
  ])("the version of the release is in %s", (path, before) => {
    expect(readRepositoryFile(path)).toContain(`${before}${publishedPackages[0]?.manifest.version}"`);
  });
});
