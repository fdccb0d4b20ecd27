import { describe, expect, it } from "vitest";
import { Acceptor } from "./acceptor.ts";
import { readGrammar } from "./bnf.ts";
import { smallest } from "./compare.ts";
import { Sentences } from "./generate.ts";
import { KNOWN } from "./known-urls.ts";
import { nearMiss } from "./mutations.ts";
import { Random } from "./random.ts";
import { INTERPRETATIONS, withReadings } from "./interpretations.ts";
import { SECTION_5 } from "./rfc1738-grammar.ts";
import { shortestText } from "./shortest-text.ts";

const grammar = withReadings(SECTION_5);

describe.each(Object.entries(KNOWN))("the acceptor of %s", (production, { sentences, others }) => {
  const acceptor = new Acceptor(grammar, production);
  it.each(sentences)("accepts %j", (text) => expect(acceptor.accepts(text)).toBe(true));
  it.each(others)("does not accept %j", (text) => expect(acceptor.accepts(text)).toBe(false));
});

describe("the acceptor", () => {
  it("has rows for the ten schemes", () => {
    const urls = [...grammar.keys()].filter((name) => /^(?!other|url).*url$/.test(name));
    expect(Object.keys(KNOWN).toSorted()).toEqual(urls.toSorted());
  });

  it.each([...grammar.keys()])("accepts what the grammar makes of %s, by every alternative", (production) => {
    const sentences = new Sentences(grammar, new Random(1738));
    const acceptor = new Acceptor(grammar, production);
    for (let count = 0; count < 3000; count++) {
      const text = sentences.of(production);
      if (!acceptor.accepts(text)) expect.unreachable(JSON.stringify(text));
    }
    expect(sentences.untried(production)).toEqual([]);
  });

  it("refuses a grammar that is no regular one as it stands", () => {
    expect(() => new Acceptor(readGrammar('a = "x" [ b ]\nb = a'), "a")).toThrow("a is recursive");
    expect(() => new Acceptor(grammar, "nothing")).toThrow("there is no production nothing");
  });
});

describe("what follows from the grammar", () => {
  const acceptor = (production: string): Acceptor => new Acceptor(grammar, production);
  const both = (one: boolean, other: boolean): boolean => one && other;
  const either = (one: boolean, other: boolean): boolean => one !== other;

  it("every URL is a generic URL, and every generic URL a URL", () => {
    expect(shortestText(acceptor("url"), acceptor("genericurl"), either)).toBeUndefined();
  });

  it("no text is a WAIS URL of two forms", () => {
    const [database, index, doc] = ["waisdatabase", "waisindex", "waisdoc"].map(acceptor);
    if (!database || !index || !doc) throw new Error("there are three forms");
    expect(shortestText(database, index, both)).toBeUndefined();
    expect(shortestText(database, doc, both)).toBeUndefined();
    expect(shortestText(index, doc, both)).toBeUndefined();
  });

  it("no news URL is of two forms", () => {
    expect(shortestText(acceptor("group"), acceptor("article"), both)).toBeUndefined();
  });
});

describe("the readings", () => {
  it.each(INTERPRETATIONS)("$description", ({ production, shortestDifference: differs, apply }) => {
    const read = apply(SECTION_5);
    expect(read).not.toEqual(SECTION_5);
    if (differs === undefined) expect(SECTION_5.has(production)).toBe(false);
    else {
      const one = new Acceptor(SECTION_5, production);
      expect(shortestText(one, new Acceptor(read, production), (a, b) => a !== b)).toBe(differs);
    }
  });
});

describe("what the texts are made by", () => {
  it("gives the same texts for the same seed", () => {
    const made = (seed: number): string[] => {
      const random = new Random(seed);
      const sentences = new Sentences(grammar, random);
      return Array.from({ length: 50 }, () => nearMiss(sentences.of("ftpurl"), random, "ftp://h"));
    };
    expect(made(7)).toEqual(made(7));
    expect(made(7)).not.toEqual(made(8));
  });

  it("shortens what it reports", () => {
    expect(smallest("ftp://host:21/a%zzb", (text) => text.includes("%z"))).toBe("%z");
  });
});
