import { existsSync, readFileSync } from "node:fs";
import { AccessError } from "@anyscheme/core";
import { type Url, UrlSyntaxError } from "@anyscheme/core/syntax";
import { describe, expect, it } from "vitest";
import { readTableBelowHeading } from "../markdown-table.ts";
import { clientOfAllSchemes as client } from "../../fixtures/client-of-all-schemes.ts";

const repositoryFolder = new URL("../../..", import.meta.url).pathname;
const conformanceModernPage = readFileSync(`${repositoryFolder}docs/conformance-modern.md`, "utf8");
const STANDARD_HEADINGS = [...conformanceModernPage.matchAll(/^## (.*)$/gm)].map(
  ([, heading = ""]) => heading,
);

/**
 * Returns the texts between backticks in a table cell of the documentation. In a table cell, `\uXXXX` stands for the
 * character with this hexadecimal code.
 */
function listBacktickedTexts(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) =>
    code.replace(/\\u([0-9A-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}

function readUrlProperty(url: Url, name: string): string {
  if (name === "shown") return String(url);
  const value: unknown = name in url ? url[name as keyof Url] : url.components()[name];
  return String(value);
}

/** Returns the code of the error that the plan of a URL throws, or `undefined`. */
function findPlanErrorCode(text: string): string | undefined {
  try {
    client.plan(text);
    return undefined;
  } catch (error) {
    if (error instanceof AccessError) return error.code;
    throw error;
  }
}

function findResolutionFaultCode(base: string, reference: string): string | undefined {
  try {
    client.resolve(client.parse(base), reference);
    return undefined;
  } catch (error) {
    if (error instanceof UrlSyntaxError) return error.code;
    throw error;
  }
}

function findStepDescription(text: string, action?: string): string | undefined {
  return client.plan(text).steps.find((step) => action === undefined || step.action === action)?.description;
}

/**
 * The possible forms of a cell in the column "result" of the page about modern mode. Each function checks that an
 * example URL of the page gives the result that the cell names between backticks.
 */
const RESULT_CHECKS: readonly (readonly [form: RegExp, check: (example: string, codes: string[]) => void])[] =
  [
    [/^refused as `[^`]+`$/, (example, [code]) => expect(client.tryParse(example).fault?.code).toBe(code)],
    [/^the plan is refused as `[^`]+`$/, (example, [code]) => expect(findPlanErrorCode(example)).toBe(code)],
    [/^equal to `[^`]+`$/, (example, [other = ""]) => expect(client.equal(example, other)).toBe(true)],
    [/^different from `[^`]+`$/, (example, [other = ""]) => expect(client.equal(example, other)).toBe(false)],
    [/^sends `[^`]+`$/, (example, [text]) => expect(findStepDescription(example, "send")).toBe(text)],
    [/^plans `[^`]+`$/, (example, [text]) => expect(findStepDescription(example)).toBe(text)],
    [
      /^`[^`]+` resolves to `[^`]+`$/,
      (example, [reference = "", target]) =>
        expect(client.resolve(client.parse(example), reference).href).toBe(target),
    ],
    [
      /^`[^`]+` is refused as `[^`]+`$/,
      (example, [reference = "", code]) => expect(findResolutionFaultCode(example, reference)).toBe(code),
    ],
    [
      /^`\w+` is `[^`]+`(?:, `\w+` is `[^`]+`)*$/,
      (example, codes) => {
        const url = client.parse(example);
        for (let index = 0; index < codes.length; index += 2)
          expect([codes[index], readUrlProperty(url, codes[index] ?? "")]).toEqual(
            codes.slice(index, index + 2),
          );
      },
    ],
  ];

function checkCitedTest(path: string, title: string): void {
  expect(existsSync(repositoryFolder + path)).toBe(true);
  expect(readFileSync(repositoryFolder + path, "utf8")).toContain(`"${title}"`);
}

describe.each(STANDARD_HEADINGS)("%s", (standard) => {
  const rows = readTableBelowHeading(conformanceModernPage, standard);

  it.each(rows)(
    "%s: %s; the example %s: %s (state: %s)",
    (section, requirement, exampleCell = "", result = "", state = "") => {
      expect(section).toMatch(/^(?:\d+(?:\.\d+)*|App\. [A-E](?:\.\d)*|RFC \d+)$/);
      expect(requirement).toMatch(/\S/);
      expect(state).toMatch(/^(?:done|differs: \S.*)$/);
      const [example = ""] = listBacktickedTexts(exampleCell);
      const [, title] = /^the test “(.*)”$/.exec(result) ?? [];
      if (title !== undefined) return checkCitedTest(example, title);
      const check = RESULT_CHECKS.find(([form]) => form.test(result))?.[1];
      if (!check) throw new Error(`the result has no known form: ${result}`);
      check(example, listBacktickedTexts(result));
    },
  );
});
