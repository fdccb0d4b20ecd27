import { ALL_SYNTAXES } from "../fixtures/all-syntaxes.ts";
import type { ActualParseResult, DifferingUrlPropertyName, WhatwgUrlTestCase } from "./whatwg-url-tests.ts";

/** A row of the WHATWG URL tests that modern mode reads differently from a conforming parser. */
export interface UrlTestDifference {
  readonly urlTest: WhatwgUrlTestCase;
  readonly actualUrl: ActualParseResult;
  readonly differingProperties: readonly DifferingUrlPropertyName[];
}

/** The reason for some differences, by its name in docs/conformance.md. */
interface DifferenceReason {
  readonly name: string;
  readonly explainsDifference: (difference: UrlTestDifference) => boolean;
}

/** The schemes with a grammar of their own whose URLs have a host, which excludes mailto. */
const SCHEMES_WITH_HOST: ReadonlySet<string> = new Set(
  ALL_SYNTAXES.flatMap(({ schemes }) => schemes).filter((name) => name !== "mailto"),
);

const DRIVE_LETTER = /(?:^|[/:])[a-z][:|](?:[/?#]|$)/i;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;
/** Matches a file URL whose path does not begin with "/", and relative references. */
const URL_WITHOUT_ABSOLUTE_PATH = /^(?:file:)?(?:[^/]|$|\/\/[^/]*$)/i;

/**
 * All reasons why modern mode reads a URL of the WHATWG tests differently from a conforming parser. The first reason
 * that explains a difference between URL parsers applies.
 */
export const DIFFERENCE_REASONS: readonly DifferenceReason[] = [
  {
    name: "control characters",
    // oxlint-disable-next-line no-control-regex
    explainsDifference: ({ urlTest: test, actualUrl: actual }) =>
      actual.url === undefined && /[\0-\x1f\x7f-\x9f]/.test(test.input),
  },
  {
    name: "backslashes",
    explainsDifference: ({ urlTest: test, actualUrl: actual }) =>
      actual.url === undefined && test.input.includes("\\"),
  },
  {
    name: "digits before scheme names",
    explainsDifference: ({ urlTest: test, differingProperties: differing }) =>
      differing.includes("scheme") && /^\d[\w+.-]*:/.test(test.input),
  },
  {
    name: "dot segments",
    explainsDifference: ({ urlTest: test, actualUrl: actual, differingProperties: differing }) =>
      differing.every((property) => property === "target") &&
      findHierarchyOfScheme(actual.url?.scheme) !== "path-and-search" &&
      (DOT_SEGMENT.test(test.input) || DOT_SEGMENT.test(test.base ?? "")),
  },
  {
    name: "file URLs",
    explainsDifference: ({ urlTest: { input, base, failure } }) =>
      failure === undefined &&
      /^\s*file:/i.test(/^\s*[a-z][a-z\d+.-]+:/i.test(input) ? input : (base ?? "")) &&
      [input, base ?? ""].some(
        (text) => DRIVE_LETTER.test(text) || URL_WITHOUT_ABSOLUTE_PATH.test(input) || /localhost/i.test(text),
      ),
  },
  {
    name: "slashes before the host",
    explainsDifference: isRejectedWithFault("missing-slashes", "empty-host"),
  },
  { name: "numeric hosts", explainsDifference: isRejectedWithFault("bad-host-number") },
  { name: "characters of hosts", explainsDifference: isRejectedWithFault("bad-host", "escape-in-host") },
  {
    name: "characters of logins",
    explainsDifference: (difference) =>
      isRejectedWithFault("at-sign", "unsafe")(difference) && /\/\/[^/]*@/.test(difference.urlTest.input),
  },
  {
    name: "queries without a path",
    explainsDifference: ({ urlTest, differingProperties }) =>
      differingProperties.every((property) => property === "target") &&
      urlTest.input.startsWith("?") &&
      /^[^:]*:\/\/[^/?#]*$/.test(urlTest.base ?? ""),
  },
  {
    name: "opaque parts",
    explainsDifference: ({ urlTest: test, actualUrl: actual, differingProperties: differing }) =>
      actual.url !== undefined &&
      !SCHEMES_WITH_HOST.has(actual.url.scheme) &&
      !(actual.url as { readonly host?: string }).host &&
      (test.failure === true || differing.includes("host")),
  },
  {
    name: "quotes in queries",
    explainsDifference: ({ urlTest: test, actualUrl: actual, differingProperties: differing }) =>
      differing.every((property) => property === "target") &&
      test.failure === undefined &&
      actual.url?.href.includes("'") === true &&
      test.search.includes("%27"),
  },
];

/** Returns the name of the reason that explains a difference, or `undefined`. */
export function findDifferenceReason(difference: UrlTestDifference): string | undefined {
  return DIFFERENCE_REASONS.find(({ explainsDifference: explains }) => explains(difference))?.name;
}

function isRejectedWithFault(...faults: readonly string[]): DifferenceReason["explainsDifference"] {
  return ({ actualUrl: actual }) => actual.fault !== undefined && faults.includes(actual.fault);
}

function findHierarchyOfScheme(scheme: string = ""): string | undefined {
  return ALL_SYNTAXES.find(({ schemes }) => schemes.includes(scheme))?.hierarchy;
}
