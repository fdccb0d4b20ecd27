import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createClient } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, gophers } from "@anyscheme/scheme-gopher";
import { http, https } from "@anyscheme/scheme-http";
import { file } from "@anyscheme/scheme-others/file";
import { mailto } from "@anyscheme/scheme-others/mailto";
import { news, snews } from "@anyscheme/scheme-others/news";
import { nntp, nntps } from "@anyscheme/scheme-others/nntp";
import { prospero } from "@anyscheme/scheme-others/prospero";
import { telnet } from "@anyscheme/scheme-others/telnet";
import { wais } from "@anyscheme/scheme-others/wais";
import { describe, expect, it } from "vitest";
import { readTableBelowHeading } from "../markdown-table.ts";
import {
  parseCodeBlocks,
  listDocsPagesWithTestedCode,
  readDocsPage,
  REPOSITORY_FOLDER,
} from "../code-blocks.ts";

describe.each([...listDocsPagesWithTestedCode(), "SECURITY.md"])("%s", (page) => {
  const text = readDocsPage(page);

  it("the page links only to existing files and headings", () => {
    const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const dead = links.filter(([, path = "", heading]) => {
      const target =
        path === "" ? join(REPOSITORY_FOLDER, page) : join(REPOSITORY_FOLDER, dirname(page), path);
      if (!existsSync(target)) return true;
      return (
        heading !== undefined &&
        !listHeadingFragments(readDocsPage(target.slice(REPOSITORY_FOLDER.length))).has(heading)
      );
    });
    expect(dead.map(([link]) => link)).toEqual([]);
  });

  it("every picture on the page has less than 100 kB and an alternative text", () => {
    for (const [, alt = "", path = ""] of text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)) {
      expect(alt.length).toBeGreaterThan(20);
      expect(statSync(join(REPOSITORY_FOLDER, dirname(page), path)).size).toBeLessThan(100_000);
    }
  });
});

/** Returns the headings of a page in the form of link fragments. */
function listHeadingFragments(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

describe("the table of schemes in README.md", () => {
  const schemes = [
    ftp(),
    http(),
    https(),
    gopher(),
    gophers(),
    mailto(),
    news({ servers: ["news.example"] }),
    snews(),
  ];
  const others = [nntp(), nntps(), telnet(), wais(), file({ root: "/" }), prospero()];
  const client = createClient({ schemes: [...schemes, ...others] });
  const urls = new Map([
    ["mailto", "mailto:joe@home.example"],
    ["news", "news:misc.test"],
    ["snews", "snews://h.example/misc.test"],
    ["nntp", "nntp://h.example/misc.test"],
    ["nntps", "nntps://h.example/misc.test"],
    ["file", "file:///a"],
  ]);
  const rows = readTableBelowHeading(readDocsPage("README.md"), "Schemes");

  it("README.md lists every registered scheme, and has a row for any other scheme", () => {
    const named = rows.flatMap(([names = ""]) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(new Set(named)).toEqual(new Set(client.schemes));
    expect(rows.at(-1)?.[0]).toBe("any other");
  });

  it.each(rows)(
    "the client parses and plans URLs as the README says for %s (%s): parse %s, plan %s",
    (names = "", section = "", parses = "", plans = "", _ = "", where = "") => {
      expect(section).toMatch(/^§/);
      expect(existsSync(join(REPOSITORY_FOLDER, "packages", where.replace(/^`@anyscheme\/|`$/g, "")))).toBe(
        true,
      );
      for (const [, name = ""] of names === "any other" ? [["", "x-any"]] : names.matchAll(/`([^`]+)`/g)) {
        const url = urls.get(name) ?? `${name}://h.example/a`.replace(/(telnet.*\/)a/, "$1");
        expect(client.tryParse(url).fault === undefined).toBe(parses === "yes");
        const plan = (): unknown => client.plan(url).steps.length;
        if (plans === "yes") expect(plan()).toBeGreaterThan(0);
        else expect(plan).toThrow(expect.objectContaining({ code: "unknown-scheme" }) as Error);
      }
    },
  );
});

describe("the READMEs list all options and exit codes", () => {
  const options = ["scheme-ftp", "scheme-http", "scheme-gopher"]
    .map((folder) => [folder, `packages/${folder}/src/scheme-options.ts`])
    .concat(
      ["file", "news", "nntp", "prospero", "telnet", "wais"].map((name) => [
        "scheme-others",
        `packages/scheme-others/src/${name}/scheme-options.ts`,
      ]),
    );

  it.each(options)("the README of %s lists every option of %s", (folder = "", path = "") => {
    const page = readDocsPage(`packages/${folder}/README.md`);
    const names = [...readDocsPage(path).matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
  });

  it("the README of anyscheme lists every exit code with its meaning", () => {
    const source = readDocsPage("packages/cli/src/errors/exit-codes.ts");
    const codes = [...source.matchAll(/^ {2}\w+: \{ code: (\d+), meaning: "([^"]*)" \}/gm)];
    expect(codes.length).toBeGreaterThan(20);
    const cells = readTableBelowHeading(readDocsPage("packages/cli/README.md"), "Exit codes").flat();
    const shown = new Map(
      cells.flatMap((cell, at) => (at % 2 === 0 ? [[cell, cells[at + 1] ?? ""] as const] : [])),
    );
    for (const [, code = "", meaning] of codes) expect(shown.get(code)?.replaceAll("`", "")).toBe(meaning);
  });
});

it("docs/adding-a-scheme.md shows a complete scheme in at most 30 lines", () => {
  const page = "docs/adding-a-scheme.md";
  const scheme = parseCodeBlocks(page, readDocsPage(page)).find(
    ({ fileName: name }) => name === "fortune.ts",
  );
  const lines = scheme?.text.split("\n").filter((line) => line.trim() !== "") ?? [];
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.length).toBeLessThanOrEqual(30);
});

it("CONTRIBUTING.md lists every script of package.json", () => {
  const { scripts } = JSON.parse(readDocsPage("package.json")) as { scripts: Record<string, string> };
  const page = readDocsPage("CONTRIBUTING.md");
  expect(Object.keys(scripts).filter((name) => !new RegExp(`^pnpm ${name}\\b`, "m").test(page))).toEqual([]);
});
