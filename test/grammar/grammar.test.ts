import { performance } from "node:perf_hooks";
import type { ParseOptions } from "@anyscheme/core/syntax";
import { afterAll, describe, expect, it } from "vitest";
import { Acceptor } from "./acceptor.ts";
import { Comparison } from "./compare.ts";
import { Sentences } from "./generate.ts";
import { nearMiss } from "./mutations.ts";
import { Random } from "./random.ts";
import { INTERPRETATIONS, withReadings } from "./interpretations.ts";
import { SECTION_5 } from "./rfc1738-grammar.ts";
import { type ComparedScheme, SCHEMES } from "./schemes.ts";
import { everyStep } from "./shortest-text.ts";

const { GRAMMAR_SEED, GRAMMAR_TEXTS } = process.env;
/** GRAMMAR_SEED is the seed of a report and reproduces its texts. GRAMMAR_TEXTS is the number of compared texts. */
const seed = GRAMMAR_SEED === undefined ? Date.now() % 0x1_0000_0000 : Number(GRAMMAR_SEED);
const texts = Number(GRAMMAR_TEXTS ?? 280_000);
/** One text in this many is a sentence of the grammar. The others are near misses. */
const ONE_IN = 3;
const REPORTED = 5;

const grammar = withReadings(SECTION_5);
const lines: string[] = [];

/** Compares texts until some disagreements are found. */
function disagreements(comparison: Comparison, all: Iterable<string>, most: number = REPORTED): string[] {
  const found: string[] = [];
  for (const text of all) {
    const fault = comparison.fault(text);
    if (fault !== undefined && found.push(`seed ${seed}, ${fault}`) === most) break;
  }
  return found;
}

/** Compares texts, and records their number and the speed. */
function reported(comparison: Comparison, kind: string, all: Iterable<string>): string[] {
  const start = performance.now();
  const found = disagreements(comparison, all);
  const { compared, sentences, scheme } = comparison;
  const rate = Math.round((compared / (performance.now() - start)) * 1000);
  lines.push(`${scheme.production}, ${kind}: ${compared} texts, ${sentences} sentences, ${rate} a second`);
  return found;
}

function* generated(production: string, sentences: Sentences, random: Random): Generator<string> {
  let other = sentences.of(production);
  for (let count = 0; count < texts / SCHEMES.length; count++) {
    const sentence = sentences.of(production);
    yield count % ONE_IN === 0 ? sentence : nearMiss(sentence, random, other);
    other = sentence;
  }
}

function steps(production: string): Iterable<string> {
  return everyStep(new Acceptor(grammar, production));
}

describe(`strict mode accepts exactly the grammar (seed ${seed})`, () => {
  afterAll(() => {
    process.stdout.write(`grammar, GRAMMAR_SEED=${seed}\n${lines.map((line) => `  ${line}\n`).join("")}`);
  });

  it.each(SCHEMES)("$production: sentences and near misses", (scheme) => {
    const random = new Random(seed);
    const sentences = new Sentences(grammar, random);
    const comparison = new Comparison(scheme, grammar);
    const all = generated(scheme.production, sentences, random);
    expect(reported(comparison, "random", all)).toEqual([]);
    expect(sentences.untried(scheme.production)).toEqual([]);
    // Texts that are all sentences, or all rejected, would test little.
    expect(comparison.sentences).toBeGreaterThan(comparison.compared * 0.3);
    expect(comparison.sentences).toBeLessThan(comparison.compared * 0.9);
  });

  it.each(SCHEMES)("$production: every step of its automaton", (scheme) => {
    const comparison = new Comparison(scheme, grammar);
    expect(reported(comparison, "every step", steps(scheme.production))).toEqual([]);
  });
});

describe("the comparison", () => {
  const needed = INTERPRETATIONS.filter(({ shortestDifference: differs }) => differs !== undefined);

  it.each(needed)("fails without this interpretation: $description", (reading) => {
    const without = withReadings(SECTION_5, reading);
    const found = SCHEMES.flatMap((scheme) =>
      disagreements(new Comparison(scheme, without), steps(scheme.production), 1),
    );
    expect(found).not.toEqual([]);
  });

  // Changes that URL parsers make to a text before parsing it.
  const liberties: [name: string, change: (text: string) => string, options?: ParseOptions][] = [
    ["reads tolerantly", (text) => text, { mode: "tolerant" }],
    ["trims", (text) => text.trim()],
    ["leaves tabs and line ends out", (text) => text.replace(/[\t\r\n]/g, "")],
    ["stops at NUL", (text) => text.replace(/\0.*/s, "")],
    ["takes a backslash for a slash", (text) => text.replaceAll("\\", "/")],
    ["folds compatible characters", (text) => text.normalize("NFKC")],
    ["cuts characters to a byte", (text) => text.replace(/[^\0-\xff]/g, low)],
    ["repairs bad escapes", (text) => text.replace(/%(?![0-9A-Fa-f]{2})/g, "%25")],
    ["takes any case for lower case", (text) => text.toLowerCase()],
    ["lets a port be empty", (text) => text.replace(/:(?=$|\/(?!\/))/, "")],
    ["forgives one character less", (text) => text.slice(0, -1)],
  ];

  it.each(liberties)("sees a parser that %s", (_, change, options = { mode: "strict" }) => {
    const liberal = (scheme: ComparedScheme): ComparedScheme => ({
      ...scheme,
      syntax: {
        ...scheme.syntax,
        tryParse: (text) => scheme.syntax.tryParse(change(text), options),
        canParse: (text) => scheme.syntax.canParse(change(text), options),
      },
    });
    for (const scheme of SCHEMES.filter(({ production }) => production === "ftpurl")) {
      const comparison = new Comparison(liberal(scheme), grammar);
      expect(disagreements(comparison, steps(scheme.production), 1)).toHaveLength(1);
    }
  });
});

function low(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) & 0xff);
}
