import { describe, expect, it } from "vitest";
import { GrammarAcceptor } from "./acceptor.ts";
import { parseBnfGrammar } from "./bnf-parser.ts";
import { minimizeFailingText } from "./parser-comparison.ts";
import { SentenceGenerator } from "./generated-urls/sentence-generator.ts";
import { VALID_AND_INVALID_URLS } from "./valid-and-invalid-urls.ts";
import { mutateUrlText } from "./generated-urls/url-mutations.ts";
import { SeededRandom } from "./generated-urls/seeded-random.ts";
import { RFC1738_GRAMMAR_CHANGES, applyGrammarChanges } from "./rfc1738-grammar-changes.ts";
import { RFC1738_GRAMMAR } from "./rfc1738-grammar.ts";
import { findShortestTextForTwoAcceptors } from "./generated-urls/texts-from-acceptors.ts";

const rfc1738Grammar = applyGrammarChanges(RFC1738_GRAMMAR);

describe.each(Object.entries(VALID_AND_INVALID_URLS))(
  "the acceptor of the production %s",
  (production, { validTexts: sentences, invalidTexts: others }) => {
    const acceptor = new GrammarAcceptor(rfc1738Grammar, production);
    it.each(sentences)("the acceptor accepts the URL %j", (text) =>
      expect(acceptor.accepts(text)).toBe(true),
    );
    it.each(others)("the acceptor rejects the text %j", (text) => expect(acceptor.accepts(text)).toBe(false));
  },
);

describe("the acceptor of any production", () => {
  it("the test cases include the URL productions of all schemes", () => {
    const urls = [...rfc1738Grammar.keys()].filter((name) => /^(?!other|url).*url$/.test(name));
    expect(Object.keys(VALID_AND_INVALID_URLS).toSorted()).toEqual(urls.toSorted());
  });

  it.each([...rfc1738Grammar.keys()])(
    "the acceptor accepts 3,000 generated sentences of %s, which use every branch of the grammar",
    (production) => {
      const sentences = new SentenceGenerator(rfc1738Grammar, new SeededRandom(1738));
      const acceptor = new GrammarAcceptor(rfc1738Grammar, production);
      for (let count = 0; count < 3000; count++) {
        const text = sentences.generateSentence(production);
        if (!acceptor.accepts(text)) expect.unreachable(JSON.stringify(text));
      }
      expect(sentences.listUnusedBranches(production)).toEqual([]);
    },
  );

  it("the acceptor rejects a recursive grammar and an undefined production", () => {
    expect(() => new GrammarAcceptor(parseBnfGrammar('a = "x" [ b ]\nb = a'), "a")).toThrow("a is recursive");
    expect(() => new GrammarAcceptor(rfc1738Grammar, "nothing")).toThrow(
      "the grammar has no production nothing",
    );
  });
});

describe("the properties of the grammar of RFC 1738", () => {
  const acceptor = (production: string): GrammarAcceptor => new GrammarAcceptor(rfc1738Grammar, production);
  const bothAccept = (one: boolean, other: boolean): boolean => one && other;
  const verdictsDiffer = (one: boolean, other: boolean): boolean => one !== other;

  it("the productions url and genericurl accept the same texts", () => {
    expect(
      findShortestTextForTwoAcceptors(acceptor("url"), acceptor("genericurl"), verdictsDiffer),
    ).toBeUndefined();
  });

  it("no text matches two of the three productions of WAIS URLs", () => {
    const [database, index, doc] = ["waisdatabase", "waisindex", "waisdoc"].map(acceptor);
    if (!database || !index || !doc) throw new Error("WAIS URLs have three productions");
    expect(findShortestTextForTwoAcceptors(database, index, bothAccept)).toBeUndefined();
    expect(findShortestTextForTwoAcceptors(database, doc, bothAccept)).toBeUndefined();
    expect(findShortestTextForTwoAcceptors(index, doc, bothAccept)).toBeUndefined();
  });

  it("no text is both a newsgroup name and a message id", () => {
    expect(
      findShortestTextForTwoAcceptors(acceptor("group"), acceptor("article"), bothAccept),
    ).toBeUndefined();
  });
});

describe("the deliberate changes of the RFC grammar", () => {
  it.each(RFC1738_GRAMMAR_CHANGES)(
    "each change affects which texts the grammar accepts: $description",
    ({ production, shortestDifferingText: shortestDifference, applyToGrammar: apply }) => {
      const changed = apply(RFC1738_GRAMMAR);
      expect(changed).not.toEqual(RFC1738_GRAMMAR);
      if (shortestDifference === undefined) expect(RFC1738_GRAMMAR.has(production)).toBe(false);
      else {
        const original = new GrammarAcceptor(RFC1738_GRAMMAR, production);
        expect(
          findShortestTextForTwoAcceptors(
            original,
            new GrammarAcceptor(changed, production),
            (a, b) => a !== b,
          ),
        ).toBe(shortestDifference);
      }
    },
  );
});

describe("random texts are reproducible, and failing texts are shrunk", () => {
  it("the sentence generator generates the same texts for the same seed", () => {
    const generateTexts = (seed: number): string[] => {
      const random = new SeededRandom(seed);
      const sentences = new SentenceGenerator(rfc1738Grammar, random);
      return Array.from({ length: 50 }, () =>
        mutateUrlText(sentences.generateSentence("ftpurl"), random, "ftp://h"),
      );
    };
    expect(generateTexts(7)).toEqual(generateTexts(7));
    expect(generateTexts(7)).not.toEqual(generateTexts(8));
  });

  it("minimizeFailingText shrinks a failing text to the shortest part that fails", () => {
    expect(minimizeFailingText("ftp://host:21/a%zzb", (text) => text.includes("%z"))).toBe("%z");
  });
});
