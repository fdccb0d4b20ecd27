import { ALL_SYNTAXES } from "../fixtures/all-syntaxes.ts";
import type { ActualUrl, DifferingProperty, UrlTest } from "./whatwg-url-tests.ts";

/** A row whose URL modern mode reads differently from a conforming parser. */
export interface Difference {
  readonly test: UrlTest;
  readonly actual: ActualUrl;
  readonly differing: readonly DifferingProperty[];
}

/** The reason of some differences, by its name in docs/conformance.md. */
interface Reason {
  readonly name: string;
  readonly explains: (difference: Difference) => boolean;
}

/** Schemes whose URLs have no host, and schemes without a grammar of their own, are absent. */
const SCHEMES_WITH_HOST: ReadonlySet<string> = new Set(
  ALL_SYNTAXES.flatMap(({ schemes }) => schemes).filter((name) => name !== "mailto"),
);

const DRIVE_LETTER = /(?:^|[/:])[a-z][:|](?:[/?#]|$)/i;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;
/** Matches a file URL whose path does not begin with "/", and relative references. */
const WITHOUT_ABSOLUTE_PATH = /^(?:file:)?(?:[^/]|$|\/\/[^/]*$)/i;

/** The reasons of all differences. The first reason that explains a difference applies. */
export const REASONS: readonly Reason[] = [
  {
    name: "control characters",
    // oxlint-disable-next-line no-control-regex
    explains: ({ test, actual }) => actual.url === undefined && /[\0-\x1f\x7f-\x9f]/.test(test.input),
  },
  {
    name: "backslashes",
    explains: ({ test, actual }) => actual.url === undefined && test.input.includes("\\"),
  },
  {
    name: "digits before scheme names",
    explains: ({ test, differing }) => differing.includes("scheme") && /^\d[\w+.-]*:/.test(test.input),
  },
  {
    name: "dot segments",
    explains: ({ test, actual, differing }) =>
      differing.every((property) => property === "target") &&
      findHierarchy(actual.url?.scheme) !== "path-and-search" &&
      (DOT_SEGMENT.test(test.input) || DOT_SEGMENT.test(test.base ?? "")),
  },
  {
    name: "file URLs",
    explains: ({ test: { input, base, failure } }) =>
      failure === undefined &&
      /^\s*file:/i.test(/^\s*[a-z][a-z\d+.-]+:/i.test(input) ? input : (base ?? "")) &&
      [input, base ?? ""].some(
        (text) => DRIVE_LETTER.test(text) || WITHOUT_ABSOLUTE_PATH.test(input) || /localhost/i.test(text),
      ),
  },
  { name: "slashes before the host", explains: refusedAs("missing-slashes", "empty-host") },
  { name: "numeric hosts", explains: refusedAs("bad-host-number") },
  { name: "characters of hosts", explains: refusedAs("bad-host", "escape-in-host") },
  {
    name: "characters of logins",
    explains: (difference) =>
      refusedAs("at-sign", "unsafe")(difference) && /\/\/[^/]*@/.test(difference.test.input),
  },
  {
    name: "queries without a path",
    explains: ({ test, differing }) =>
      differing.every((property) => property === "target") &&
      test.input.startsWith("?") &&
      /^[^:]*:\/\/[^/?#]*$/.test(test.base ?? ""),
  },
  {
    name: "opaque parts",
    explains: ({ test, actual, differing }) =>
      actual.url !== undefined &&
      !SCHEMES_WITH_HOST.has(actual.url.scheme) &&
      !(actual.url as { readonly host?: string }).host &&
      (test.failure === true || differing.includes("host")),
  },
  {
    name: "quotes in queries",
    explains: ({ test, actual, differing }) =>
      differing.every((property) => property === "target") &&
      test.failure === undefined &&
      actual.url?.href.includes("'") === true &&
      test.search.includes("%27"),
  },
];

/** Returns the name of the reason that explains a difference, or `undefined`. */
export function findReason(difference: Difference): string | undefined {
  return REASONS.find(({ explains }) => explains(difference))?.name;
}

function refusedAs(...faults: readonly string[]): Reason["explains"] {
  return ({ actual }) => actual.fault !== undefined && faults.includes(actual.fault);
}

function findHierarchy(scheme: string = ""): string | undefined {
  return ALL_SYNTAXES.find(({ schemes }) => schemes.includes(scheme))?.hierarchy;
}
