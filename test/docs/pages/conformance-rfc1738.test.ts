import { existsSync, readFileSync } from "node:fs";
import {
  type UrlFaultCode,
  DEFAULT_MAX_URL_LENGTH,
  type Syntax,
  UrlSyntaxError,
} from "@anyscheme/core/syntax";
import { describe, expect, it } from "vitest";
import { readTableBelowHeading } from "../markdown-table.ts";
import { ALL_SYNTAXES } from "../../fixtures/all-syntaxes.ts";

const repositoryFolder = new URL("../../..", import.meta.url).pathname;
const conformancePage = readFileSync(`${repositoryFolder}docs/conformance.md`, "utf8");

// The sections of RFC 1738 with requirements.
const RFC1738_SECTIONS = [
  "2 2.1 2.2 2.3 3 3.1 3.2 3.2.1 3.2.2 3.2.3 3.2.4 3.2.5 3.3 3.4 3.4.1 3.4.2 3.4.3 3.4.4 3.4.5 3.4.6 3.4.7 3.4.8 3.4.9",
  "3.5 3.6 3.7 3.8 3.9 3.10 3.11 4 5 6 Appendix",
].flatMap((line) => line.split(" "));
const INTERPRETATION_NUMBERS = Array.from({ length: 40 }, (_, index) => String(index + 1));

const sectionRows = readTableBelowHeading(conformancePage, "The sections of RFC 1738");
const interpretationRows = readTableBelowHeading(conformancePage, "Where the RFC is unclear");
const faultRows = readTableBelowHeading(conformancePage, "Faults of syntax");

/** Returns the paths in a cell, relative to the root of the repository. */
function listPathsOfCell(cell: string = ""): string[] {
  const paths = [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
  return paths.map((path) => (/^(?:test|examples)\//.test(path) ? path : `packages/${path}`));
}

describe("the tables of docs/conformance.md", () => {
  it("docs/conformance.md has a row for every section of RFC 1738 and every interpretation", () => {
    expect(sectionRows.map(([section]) => section)).toEqual(RFC1738_SECTIONS);
    expect(interpretationRows.map(([number]) => number)).toEqual(INTERPRETATION_NUMBERS);
  });

  it.each([...sectionRows, ...interpretationRows])(
    "the files and tests of row %s exist: %s, %s",
    (...row) => {
      const [files, tests, state = ""] = row.slice(-3);
      const done = state === "done";
      if (!done) expect(state).toMatch(/^open: \S/);
      expect(listPathsOfCell(files).length).toBeGreaterThan(0);
      if (done) expect(listPathsOfCell(tests).length).toBeGreaterThan(0);
      for (const path of listPathsOfCell(tests)) expect(path).toMatch(/\.test\.ts$/);
      expect(
        [...listPathsOfCell(files), ...listPathsOfCell(tests)].filter(
          (path) => !existsSync(repositoryFolder + path),
        ),
      ).toEqual([]);
    },
  );
});

/** Returns the syntax of a scheme, or the last syntax of `ALL_SYNTAXES` for an unknown scheme. */
function findSyntax(name: string): Syntax {
  const syntax = ALL_SYNTAXES.find(({ schemes }) => schemes.includes(name)) ?? ALL_SYNTAXES.at(-1);
  if (!syntax) throw new Error("there is no grammar");
  return syntax;
}

/**
 * Returns the example text between the backticks of a table cell, and the syntax that parses it. In a table cell,
 * `\uXXXX` stands for the character with this code, and the character before a final "…" is repeated.
 */
function parseExampleCell(cell: string): { text: string; syntax: Syntax } {
  const [, written = "", name] = /^`([^`]+)`(?: as (\w+))?$/.exec(cell) ?? [];
  const text = written
    .replace(/\\u([0-9A-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/(.)…$/, (_, character: string) => character.repeat(DEFAULT_MAX_URL_LENGTH));
  return { text, syntax: findSyntax(name ?? text.slice(0, Math.max(0, text.indexOf(":"))).toLowerCase()) };
}

/** All fault codes. The compiler reports a fault code that is missing in this table. */
const FAULT_CODES: Readonly<Record<UrlFaultCode, true>> = {
  "missing-scheme": true,
  "bad-scheme": true,
  "wrong-scheme": true,
  "wrapper-prefix": true,
  "too-long": true,
  "missing-slashes": true,
  "missing-slash": true,
  "single-slash": true,
  "login-not-allowed": true,
  "login-question-mark": true,
  "port-not-allowed": true,
  "at-sign": true,
  "empty-host": true,
  "bad-host": true,
  "bad-host-number": true,
  "bad-a-label": true,
  "escape-in-host": true,
  "zone-id": true,
  "host-form": true,
  "bad-port": true,
  "port-range": true,
  "empty-port": true,
  "bad-escape": true,
  control: true,
  space: true,
  delimiter: true,
  backslash: true,
  unsafe: true,
  "non-ascii": true,
  "lone-surrogate": true,
  reserved: true,
  fragment: true,
  "bad-typecode": true,
  "type-keyword": true,
  "bad-path": true,
  "bad-gophertype": true,
  "tab-in-field": true,
  "empty-address": true,
  "bad-group": true,
  "group-form": true,
  "group-escape": true,
  "bad-message-id": true,
  "id-brackets": true,
  "server-not-allowed": true,
  "trailing-slash": true,
  "bad-article-number": true,
  "bad-wais-path": true,
  "bad-field": true,
};

describe("the table of URL syntax faults in docs/conformance.md", () => {
  it("docs/conformance.md lists every fault code in the order of FAULT_CODES", () => {
    expect(faultRows.map(([code]) => code)).toEqual(Object.keys(FAULT_CODES).map((code) => `\`${code}\``));
  });

  it.each(faultRows)(
    "the fault %s (§%s, %s): the example %s is refused by %s",
    (quoted = "", section, sentence, example = "", mode) => {
      const code = quoted.slice(1, -1);
      const { text, syntax } = parseExampleCell(example);
      const expected = { code, section, message: sentence };
      expect(["both", "rfc1738", "modern", "build"]).toContain(mode);
      if (mode === "build") {
        const parts = JSON.parse(text.replaceAll("\t", "\\t")) as never;
        const message = expect.stringContaining(`${sentence} (`) as string;
        expect(() => syntax.build(parts)).toThrow(UrlSyntaxError);
        expect(() => syntax.build(parts)).toThrow(expect.objectContaining({ ...expected, message }) as Error);
        return;
      }
      if (mode === "modern") expect(syntax.canParse(text, { mode: "rfc1738" })).toBe(true);
      else expect(syntax.tryParse(text, { mode: "rfc1738" }).fault).toMatchObject(expected);
      const { fault, url } = syntax.tryParse(text, { mode: "modern" });
      if (mode === "modern") expect(fault).toMatchObject(expected);
      else expect(fault?.code).toBe(mode === "both" ? code : undefined);
      if (mode === "rfc1738") expect(url?.deviations).toMatchObject([expected]);
    },
  );
});
