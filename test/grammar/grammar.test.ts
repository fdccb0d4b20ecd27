import { performance } from "node:perf_hooks";
import type { UrlParseOptions } from "@anyscheme/core/syntax";
import { afterAll, describe, expect, it } from "vitest";
import { GrammarAcceptor } from "./acceptor.ts";
import { ParserGrammarComparer } from "./parser-comparison.ts";
import { SentenceGenerator } from "./generated-urls/sentence-generator.ts";
import { mutateUrlText } from "./generated-urls/url-mutations.ts";
import { SeededRandom } from "./generated-urls/seeded-random.ts";
import { RFC1738_GRAMMAR_CHANGES, applyGrammarChanges } from "./rfc1738-grammar-changes.ts";
import { RFC1738_GRAMMAR } from "./rfc1738-grammar.ts";
import {
  type SchemeComparedWithGrammar,
  SCHEMES_COMPARED_WITH_GRAMMAR,
} from "./schemes-compared-with-grammar.ts";
import { generateTransitionCoveringTexts } from "./generated-urls/texts-from-acceptors.ts";

const { GRAMMAR_SEED, GRAMMAR_TEXTS } = process.env;
/** The environment variable GRAMMAR_SEED repeats the texts of a failed test, whose report names the seed. */
const textSeed = GRAMMAR_SEED === undefined ? Date.now() % 0x1_0000_0000 : Number(GRAMMAR_SEED);
/** The environment variable GRAMMAR_TEXTS changes the number of compared texts. */
const comparedTextCount = Number(GRAMMAR_TEXTS ?? 280_000);
/**
 * Every third text is a sentence of the grammar. Two of three texts are sentences of the grammar with small changes.
 */
const TEXTS_PER_SENTENCE = 3;
const MAX_REPORTED_DISAGREEMENTS = 5;

const rfc1738Grammar = applyGrammarChanges(RFC1738_GRAMMAR);
const comparisonReportLines: string[] = [];

/** Compares texts until the given number of disagreements between parser and grammar is found. */
function findDisagreements(
  comparison: ParserGrammarComparer,
  all: Iterable<string>,
  maxFindings: number = MAX_REPORTED_DISAGREEMENTS,
): string[] {
  const found: string[] = [];
  for (const text of all) {
    const fault = comparison.reportDisagreement(text);
    if (fault !== undefined && found.push(`seed ${textSeed}, ${fault}`) === maxFindings) break;
  }
  return found;
}

/** Compares the parser with the grammar on each text, and adds the number of texts and the speed to the report. */
function compareTextsAndReport(
  comparison: ParserGrammarComparer,
  kind: string,
  all: Iterable<string>,
): string[] {
  const start = performance.now();
  const found = findDisagreements(comparison, all);
  const { textCount, sentenceCount, scheme } = comparison;
  const rate = Math.round((textCount / (performance.now() - start)) * 1000);
  comparisonReportLines.push(
    `${scheme.production}, ${kind}: ${textCount} texts, ${sentenceCount} sentences, ${rate} texts per second`,
  );
  return found;
}

function* generateTexts(
  production: string,
  sentences: SentenceGenerator,
  random: SeededRandom,
): Generator<string> {
  let other = sentences.generateSentence(production);
  for (let count = 0; count < comparedTextCount / SCHEMES_COMPARED_WITH_GRAMMAR.length; count++) {
    const sentence = sentences.generateSentence(production);
    yield count % TEXTS_PER_SENTENCE === 0 ? sentence : mutateUrlText(sentence, random, other);
    other = sentence;
  }
}

function generateTextsForProduction(production: string): Iterable<string> {
  return generateTransitionCoveringTexts(new GrammarAcceptor(rfc1738Grammar, production));
}

describe(`the mode rfc1738 accepts exactly the texts of the grammar (seed ${textSeed})`, () => {
  afterAll(() => {
    process.stdout.write(
      `grammar, GRAMMAR_SEED=${textSeed}\n${comparisonReportLines.map((line) => `  ${line}\n`).join("")}`,
    );
  });

  it.each(SCHEMES_COMPARED_WITH_GRAMMAR)(
    "$production: parser and grammar agree about random sentences and changed sentences",
    (scheme) => {
      const random = new SeededRandom(textSeed);
      const sentences = new SentenceGenerator(rfc1738Grammar, random);
      const comparison = new ParserGrammarComparer(scheme, rfc1738Grammar);
      const all = generateTexts(scheme.production, sentences, random);
      expect(compareTextsAndReport(comparison, "random texts", all)).toEqual([]);
      expect(sentences.listUnusedBranches(scheme.production)).toEqual([]);
      // The test is useful only when the grammar accepts some texts and rejects others.
      expect(comparison.sentenceCount).toBeGreaterThan(comparison.textCount * 0.3);
      expect(comparison.sentenceCount).toBeLessThan(comparison.textCount * 0.9);
    },
  );

  it.each(SCHEMES_COMPARED_WITH_GRAMMAR)(
    "$production: parser and grammar agree about texts that cover every transition of the automaton",
    (scheme) => {
      const comparison = new ParserGrammarComparer(scheme, rfc1738Grammar);
      expect(
        compareTextsAndReport(comparison, "covering texts", generateTextsForProduction(scheme.production)),
      ).toEqual([]);
    },
  );
});

describe("the comparison of parser and grammar detects mistakes", () => {
  const needed = RFC1738_GRAMMAR_CHANGES.filter(
    ({ shortestDifferingText: shortestDifference }) => shortestDifference !== undefined,
  );

  it.each(needed)(
    "the comparison finds a disagreement when the grammar lacks the change: $description",
    (interpretation) => {
      const without = applyGrammarChanges(RFC1738_GRAMMAR, interpretation);
      const found = SCHEMES_COMPARED_WITH_GRAMMAR.flatMap((scheme) =>
        findDisagreements(
          new ParserGrammarComparer(scheme, without),
          generateTextsForProduction(scheme.production),
          1,
        ),
      );
      expect(found).not.toEqual([]);
    },
  );

  // Changes that other URL parsers make to a text before they parse it.
  const parserMistakes: [name: string, change: (text: string) => string, options?: UrlParseOptions][] = [
    ["a parser that accepts the texts of modern mode", (text) => text, { mode: "modern" }],
    ["a parser that removes white space around the URL", (text) => text.trim()],
    ["a parser that removes tabs and line ends", (text) => text.replace(/[\t\r\n]/g, "")],
    ["a parser that ignores the text after a NUL", (text) => text.replace(/\0.*/s, "")],
    ["a parser that treats a backslash as a slash", (text) => text.replaceAll("\\", "/")],
    ["a parser that applies the Unicode normalization NFKC", (text) => text.normalize("NFKC")],
    ["a parser that truncates characters to a byte", (text) => text.replace(/[^\0-\xff]/g, keepLowByte)],
    ["a parser that repairs invalid percent-encoding", (text) => text.replace(/%(?![0-9A-Fa-f]{2})/g, "%25")],
    ["a parser that converts the URL to lower case", (text) => text.toLowerCase()],
    ["a parser that accepts an empty port", (text) => text.replace(/:(?=$|\/(?!\/))/, "")],
    ["a parser that ignores the last character", (text) => text.slice(0, -1)],
  ];

  it.each(parserMistakes)(
    "the comparison of parser and grammar detects %s",
    (_, change, options = { mode: "rfc1738" }) => {
      const applyMistake = (scheme: SchemeComparedWithGrammar): SchemeComparedWithGrammar => ({
        ...scheme,
        syntax: {
          ...scheme.syntax,
          tryParse: (text) => scheme.syntax.tryParse(change(text), options),
          canParse: (text) => scheme.syntax.canParse(change(text), options),
        },
      });
      for (const scheme of SCHEMES_COMPARED_WITH_GRAMMAR.filter(
        ({ production }) => production === "ftpurl",
      )) {
        const comparison = new ParserGrammarComparer(applyMistake(scheme), rfc1738Grammar);
        expect(findDisagreements(comparison, generateTextsForProduction(scheme.production), 1)).toHaveLength(
          1,
        );
      }
    },
  );
});

function keepLowByte(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) & 0xff);
}
