import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readTableBelowHeading } from "../docs/markdown-table.ts";
import { type UrlTestDifference, findDifferenceReason, DIFFERENCE_REASONS } from "./difference-reasons.ts";
import {
  type WhatwgUrlTestCase,
  findDifferingUrlProperties,
  parseTestUrlWithClient,
  urlTests,
} from "./whatwg-url-tests.ts";

const conformancePage = readFileSync(new URL("../../docs/conformance.md", import.meta.url), "utf8");
const documentedReasons = readTableBelowHeading(conformancePage, "RFC 3986 and the WHATWG URL Standard").map(
  ([name = "", , example = "", count = ""]) => ({
    name,
    example: JSON.parse(`"${example.replace(/^`+|`+$/g, "")}"`) as string,
    count,
  }),
);

function compareWithExpectedUrl(test: WhatwgUrlTestCase): UrlTestDifference {
  const actual = parseTestUrlWithClient(test);
  return { urlTest: test, actualUrl: actual, differingProperties: findDifferingUrlProperties(test, actual) };
}

const parserDifferences = urlTests
  .map(compareWithExpectedUrl)
  .filter(({ differingProperties: differing }) => differing.length > 0);

/** Returns the differences from the WHATWG test data in a form that a failure report shows. */
function describeDifferences(some: readonly UrlTestDifference[]): unknown[] {
  return some.map(({ urlTest: test, actualUrl: actual, differingProperties: differing }) => [
    test,
    actual.fault ?? actual.url?.href,
    differing,
  ]);
}

describe("modern mode is compared with the conformance data of the WHATWG URL Standard", () => {
  it("the conformance data has 869 rows", () => {
    expect(urlTests).toHaveLength(869);
  });

  it("each URL test differs from modern mode only for a documented reason", () => {
    const unexplained = parserDifferences.filter(
      (difference) => findDifferenceReason(difference) === undefined,
    );
    expect(describeDifferences(unexplained)).toEqual([]);
  });

  it("the conformance data has no row for which modern mode connects to a host or port that a conforming parser does not see", () => {
    const dialled = parserDifferences.filter(
      ({ urlTest: test, actualUrl: actual, differingProperties: differing }) => {
        const { host = "" } = (actual.url ?? {}) as { readonly host?: string };
        const isLocal = host === "" || (test.failure === undefined && test.protocol === "file:");
        return !isLocal && (differing.includes("host") || differing.includes("port"));
      },
    );
    expect(describeDifferences(dialled)).toEqual([]);
  });
});

describe("docs/conformance.md states the reasons for the differences", () => {
  it("docs/conformance.md lists all reasons, at most a dozen, in order", () => {
    expect(DIFFERENCE_REASONS.length).toBeLessThanOrEqual(12);
    expect(documentedReasons.map(({ name }) => name)).toEqual(DIFFERENCE_REASONS.map(({ name }) => name));
  });

  it.each(documentedReasons)(
    "the reason $name explains $count rows of the WHATWG data, such as $example",
    ({ name, example, count }) => {
      const explained = parserDifferences.filter((difference) => findDifferenceReason(difference) === name);
      expect(explained.length).toBe(Number(count));
      expect(explained.map(({ urlTest: test }) => test.input)).toContain(example);
    },
  );

  it("the conformance page states the number of rows on which the parsers agree", () => {
    expect(conformancePage).toContain(
      `${urlTests.length - parserDifferences.length} of the ${urlTests.length} rows`,
    );
  });
});

describe("a difference without a reason is reported", () => {
  const expected = { protocol: "http:", hostname: "h", port: "", pathname: "/a", search: "?q" };
  const rows: readonly (readonly [name: string, input: string, changed: object, differing: string])[] = [
    ["another host", "http://h/a?q", { hostname: "evil" }, "host"],
    ["another port", "http://h/a?q", { port: "81" }, "port"],
    ["another path", "http://h/a?q", { pathname: "/b" }, "target"],
    ["another query", "http://h/a?q", { search: "?r" }, "target"],
    ["another scheme", "http://h/a?q", { protocol: "https:" }, "scheme"],
    ["a refused URL", "http://h:x/a?q", {}, "acceptance"],
    ["an accepted URL", "http://h/a?q", { failure: true }, "acceptance"],
  ];
  it.each(rows)("a result with %s is reported as a difference", (_, input, changed, differing) => {
    const difference = compareWithExpectedUrl({ input, base: null, ...expected, ...changed });
    expect(difference.differingProperties.join()).toBe(differing);
    expect(findDifferenceReason(difference)).toBeUndefined();
  });
});
