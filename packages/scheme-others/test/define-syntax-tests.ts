import {
  type UrlSyntaxDeviation,
  type UrlFaultCode,
  type Syntax,
  type Url,
  UrlSyntaxError,
} from "@anyscheme/core/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

type UrlComponents = Readonly<Record<string, unknown>>;

/**
 * A test row for a text that only modern mode accepts. The row contains the codes of the deviations, the result of
 * `format`, and the components.
 */
export type NonconformingUrlTestRow = readonly [
  text: string,
  codes: readonly UrlFaultCode[],
  written: string,
  components: UrlComponents,
];

/** A text that both modes reject, with the code and the position of the fault. */
export type RejectedUrlTestRow = readonly [
  text: string,
  code: UrlFaultCode,
  index: number,
  length: number,
  strictly?: UrlFaultCode,
];

/**
 * The test rows for the syntax of a scheme. The components in a row are those that are not `undefined`, without the
 * name of the scheme.
 */
export interface SyntaxTestRows<U extends Url & Parts, Parts> {
  readonly syntax: Syntax<U, Parts>;
  readonly conforming: readonly (readonly [text: string, components: UrlComponents])[];
  /** Texts that both modes reject. The mode rfc1738 may report an earlier deviation that modern mode accepts. */
  readonly rejected: readonly RejectedUrlTestRow[];
  readonly acceptedWithDeviations: readonly NonconformingUrlTestRow[];
  /** Tolerated texts without an equivalent in RFC 1738. The result of `format` for these texts still has deviations. */
  readonly acceptedWithoutConformingForm: readonly NonconformingUrlTestRow[];
  readonly builtFromParts: readonly (readonly [parts: Parts, text: string])[];
  readonly invalidParts: readonly (readonly [parts: Parts, code: UrlFaultCode])[];
  /** Matches conforming texts that modern mode may reject, because parsers of later standards read them differently. */
  readonly ambiguousTextPattern?: RegExp;
  /** Generates conforming texts. */
  readonly generatedTexts: fc.Arbitrary<string>;
}

/** The codes of deviations that `format` cannot correct: invalid hosts, invalid groups, and missing groups. */
const UNCORRECTABLE_CODES: readonly UrlFaultCode[] = ["host-form", "group-form", "trailing-slash"];
/**
 * Texts to insert into conforming URLs: reserved, unsafe and non-ASCII characters, incomplete escapes, and parts of
 * URLs.
 */
const INSERTED_TEXTS: readonly string[] = [
  ...Array.from(' ;/?:@=&<>"#%{}|\\^~[]`.,!*-_0aZé\0\n\ud800'),
  ..."// %09 %3C %3E %2B %2F :1".split(" "),
];

/** Defines the tests of a syntax: its rows, and the properties of every syntax. */
export function defineSyntaxTests<U extends Url & Parts, Parts>(rows: SyntaxTestRows<U, Parts>): void {
  const { syntax } = rows;
  const [scheme = ""] = syntax.schemes;

  describe(`the syntax of ${scheme} URLs`, () => {
    it.each(rows.conforming)("the syntax parses the conforming URL %s", (text, components) => {
      for (const mode of ["rfc1738", "modern"] as const) {
        const url = syntax.parse(text, { mode });
        expect(url.components()).toEqual({ scheme, ...components });
        expect(url.deviations).toEqual([]);
        expect(syntax.format(url)).toBe(text);
      }
    });

    for (const [text, code, index, length, strictly = code] of rows.rejected) {
      it(`the syntax rejects the URL ${JSON.stringify(text)} with the fault ${code} at the index ${index}`, () => {
        expect(syntax.tryParse(text).fault).toMatchObject({ code, index, length });
        expect(syntax.tryParse(text, { mode: "rfc1738" }).fault?.code).toBe(strictly);
        for (const mode of ["rfc1738", "modern"] as const) {
          const { fault } = syntax.tryParse(text, { mode });
          expectMessageStyle(fault);
          expect(syntax.canParse(text, { mode })).toBe(false);
          expect(() => syntax.parse(text, { mode })).toThrow(UrlSyntaxError);
        }
      });
    }

    it.each(rows.acceptedWithDeviations)(
      "the syntax parses %j with the deviations %j in modern mode, and writes a conforming URL",
      (...row) => {
        const written = expectTolerated(row);
        expect(syntax.parse(written, { mode: "rfc1738" }).deviations).toEqual([]);
      },
    );

    it.each(rows.acceptedWithoutConformingForm)(
      "the syntax parses %j with the deviations %j, although RFC 1738 cannot express the URL",
      (...row) => {
        const written = expectTolerated(row);
        expect(syntax.canParse(written, { mode: "rfc1738" })).toBe(false);
        expect(syntax.format(syntax.parse(written))).toBe(written);
      },
    );

    it.each(rows.builtFromParts)("the syntax builds a URL from the parts %j", (parts, text) => {
      expect(syntax.build(parts).href).toBe(text);
    });

    it.each(rows.invalidParts)("the syntax rejects the invalid parts %j with the fault %s", (parts, code) => {
      expect(() => syntax.build(parts)).toThrow(expect.objectContaining({ code }));
    });

    it("the syntax parses each URL that the grammar of the scheme generates, and format returns the same text", () => {
      fc.assert(
        fc.property(rows.generatedTexts, (text) => {
          const url = syntax.parse(text, { mode: "rfc1738" });
          expect(url.href).toBe(text);
          if (url.parserDifferences.length === 0) expect(syntax.format(url)).toBe(text);
        }),
      );
    });

    it("format corrects every deviation of a URL that modern mode accepts, except those of hosts and groups", () => {
      fc.assert(
        fc.property(generateSimilarTexts(rows.generatedTexts), (text) => {
          const { url, fault } = syntax.tryParse(text);
          if (fault) {
            expect(fault.index + fault.length).toBeLessThanOrEqual(text.length);
            // Modern mode rejects a conforming URL in which later parsers find another host.
            if (fault.code !== "login-question-mark" && !rows.ambiguousTextPattern?.test(text))
              expect(syntax.tryParse(text, { mode: "rfc1738" }).fault).toBeDefined();
            return;
          }
          const written = syntax.format(url);
          const again = syntax.parse(written);
          expect(syntax.format(again)).toBe(written);
          expect(UNCORRECTABLE_CODES).toEqual(expect.arrayContaining(getDeviationCodes(again)));
        }),
        { numRuns: 2000 },
      );
    });
  });

  function expectTolerated([text, codes, written, components]: NonconformingUrlTestRow): string {
    const url = syntax.parse(text);
    expect(getDeviationCodes(url)).toEqual(codes);
    for (const deviation of url.deviations) {
      expectMessageStyle(deviation);
      expect(deviation.index + deviation.length).toBeLessThanOrEqual(text.length);
    }
    expect(url.components()).toEqual({ scheme, ...components });
    expect(syntax.format(url)).toBe(written);
    expect(syntax.tryParse(text, { mode: "rfc1738" }).fault).toEqual(url.deviations[0]);
    return written;
  }
}

function expectMessageStyle(deviation: UrlSyntaxDeviation | undefined): void {
  expect(deviation?.section).toMatch(/^(?:\d+(?:\.\d+)*|Appendix)$/);
  expect(deviation?.message).toMatch(/^[^A-Z].*[^.]$/);
  expect(deviation?.suggestion).toMatch(/^[^A-Z].*[^.]$|^RFC /);
}

function getDeviationCodes(url: Url): UrlFaultCode[] {
  return url.deviations.map(({ code }) => code);
}

/** Generates texts that differ from the given texts in one or two places. */
function generateSimilarTexts(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const change = fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.constantFrom("", ...INSERTED_TEXTS));
  return fc.tuple(texts, fc.array(change, { minLength: 1, maxLength: 2 })).map(([text, changes]) =>
    changes.reduce((so, [where, width, piece]) => {
      const colon = so.indexOf(":");
      const at = colon + 1 + (where % (so.length - colon));
      return so.slice(0, at) + piece + so.slice(at + width);
    }, text),
  );
}
