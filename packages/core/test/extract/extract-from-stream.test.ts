import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUrlScanner } from "../../src/extract/url-scanner.ts";
import { StreamedUtf16TextWindow, type CodeUnitSet } from "../../src/extract/streamed-text-window.ts";
import {
  type UrlMatch,
  type ExtractUrlsOptions,
  extractUrls,
  MAX_EXTRACTED_URL_LENGTH,
  type InvalidUrlMatch,
} from "../../src/extract/extract.ts";
import { urlParsersForExtractTests } from "./url-parsers-for-extract-tests.ts";

const randomSeed = 1738;
const utf8 = new TextEncoder();

type Chunk = string | Uint8Array;

async function* splitAtOffsets<T extends Chunk>(source: T, cuts: readonly number[]): AsyncGenerator<T> {
  let start = 0;
  for (const cut of [...cuts, source.length]) {
    yield source.slice(start, cut) as T;
    start = cut;
  }
}

type PlainUrlMatch = Omit<UrlMatch, "url"> & { readonly href: string };

function toPlainUrlMatch({ url, ...rest }: UrlMatch): PlainUrlMatch {
  return { href: url.href, ...rest };
}

async function collectMatches(found: AsyncIterable<UrlMatch>): Promise<PlainUrlMatch[]> {
  const list: PlainUrlMatch[] = [];
  for await (const extracted of found) list.push(toPlainUrlMatch(extracted));
  return list;
}

/** Returns the found URLs and the invalid texts, in order. */
async function extractEverything(
  source: string | Uint8Array | AsyncIterable<string | Uint8Array>,
  more: Partial<ExtractUrlsOptions>,
): Promise<(PlainUrlMatch | InvalidUrlMatch)[]> {
  const list: (PlainUrlMatch | InvalidUrlMatch)[] = [];
  const settings = {
    syntaxes: urlParsersForExtractTests,
    ...more,
    onInvalid: (refused: InvalidUrlMatch) => list.push(refused),
  };
  const found =
    typeof source === "string" || source instanceof Uint8Array
      ? extractUrls(source, settings)
      : extractUrls(source, settings);
  for await (const extracted of found) list.push(toPlainUrlMatch(extracted));
  return list;
}

/** The parts of random texts, which combine to unusual URLs. */
const randomTextPiece = fc.constantFrom(
  ..."<URL:|<url: |>|> |>> |\n|\r\n|-\n|-\r\n> |http://a/|ftp://in-|b|news:x|x-note:|//|a.b|%41|%zz|#|é|中|，|😀|\u00a0|(|)|[|]|'|\"|.|,|; |:| |\t|\\|z39.50s:|+|-".split(
    "|",
  ),
  "|",
  "\ufffd",
  "\ufeff",
);
const randomText = fc.array(randomTextPiece, { maxLength: 60 }).map((pieces) => pieces.join(""));
const randomBytes = fc
  .array(
    fc.oneof(
      randomTextPiece.map((each) => utf8.encode(each)),
      fc.uint8Array({ maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => Uint8Array.from(pieces.flatMap((each) => [...each])));
const randomOffsets = fc.array(fc.nat(), { maxLength: 20 });
const randomExtractOptions = fc.record({
  maxLength: fc.constantFrom(1, 5, 12, 30, 4096),
  bareUrls: fc.boolean(),
  mode: fc.constantFrom("rfc1738" as const, "modern" as const),
});

function getChunkOffsets(length: number, at: readonly number[]): number[] {
  return at.map((each) => each % (length + 1)).toSorted((a, b) => a - b);
}

describe("extractUrls returns the same URLs for every split into chunks", () => {
  it("extractUrls finds the same URLs in text that is split at random", async () => {
    await fc.assert(
      fc.asyncProperty(randomText, randomOffsets, randomExtractOptions, async (whole, at, more) => {
        const found = await extractEverything(splitAtOffsets(whole, getChunkOffsets(whole.length, at)), more);
        expect(found).toEqual(await extractEverything(whole, more));
      }),
      { seed: randomSeed, numRuns: 1500 },
    );
  });

  it("extractUrls finds the same URLs in bytes that are split at random", async () => {
    await fc.assert(
      fc.asyncProperty(randomBytes, randomOffsets, randomExtractOptions, async (whole, at, more) => {
        const found = await extractEverything(splitAtOffsets(whole, getChunkOffsets(whole.length, at)), more);
        expect(found).toEqual(await extractEverything(whole, more));
      }),
      { seed: randomSeed, numRuns: 1500 },
    );
  });

  const files = ["rfc1738-appendix.txt", "rfc1738-references.txt"];
  const mail =
    "> see <URL:ftp://a/b-\r\n> c;type=d#é>, “http://é.a/中，”, <http://a/b.> or <URL: x-y:\n z> 'news:comp.x'.";
  const bodies: [string, string][] = [
    ["a mail", mail],
    ...files.map((file): [string, string] => [
      file,
      readFileSync(new URL(`../fixtures/${file}`, import.meta.url), "utf8"),
    ]),
  ];
  it.each(bodies)("extractUrls finds the same URLs in %s, split once at every position", async (_, body) => {
    for (const whole of [body, utf8.encode(body)]) {
      const expected = [...extractUrls(whole, { syntaxes: urlParsersForExtractTests })].map(toPlainUrlMatch);
      expect(expected.length).toBeGreaterThan(2);
      for (let cut = 0; cut <= whole.length; cut++) {
        expect(
          await collectMatches(
            extractUrls(splitAtOffsets(whole, [cut]), { syntaxes: urlParsersForExtractTests }),
          ),
        ).toEqual(expected);
      }
    }
  });

  it("extractUrls returns the same URLs after a text above maxLength for every split into two chunks", async () => {
    const whole = `${"ftp://a/".repeat(11)}b <URL:ftp://c/> ftp://d/`;
    for (let cut = 0; cut <= whole.length; cut++) {
      const found = await collectMatches(
        extractUrls(splitAtOffsets(whole, [cut]), { syntaxes: urlParsersForExtractTests, maxLength: 11 }),
      );
      expect(found.map(({ text }) => text)).toEqual(["ftp://c/", "ftp://d/"]);
    }
  });

  it.each(bodies)(
    "extractUrls finds the same URLs in %s, split after every byte or UTF-16 code unit",
    async (_, body) => {
      for (const whole of [body, utf8.encode(body)]) {
        const expected = [...extractUrls(whole, { syntaxes: urlParsersForExtractTests })].map(
          toPlainUrlMatch,
        );
        const cuts = Array.from({ length: whole.length }, (_, index) => index);
        expect(
          await collectMatches(
            extractUrls(splitAtOffsets(whole, cuts), { syntaxes: urlParsersForExtractTests }),
          ),
        ).toEqual(expected);
      }
    },
  );
});

describe("extractUrls reads bytes", () => {
  it("extractUrls finds the same URLs in bytes as in the decoded text", () => {
    fc.assert(
      fc.property(randomBytes, fc.boolean(), (whole, bare) => {
        const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole);
        const inBytes = [...extractUrls(whole, { syntaxes: urlParsersForExtractTests, bareUrls: bare })];
        const inText = [...extractUrls(decoded, { syntaxes: urlParsersForExtractTests, bareUrls: bare })];
        expect(inBytes.map(({ text }) => text)).toEqual(inText.map(({ text }) => text));
      }),
      { seed: randomSeed, numRuns: 3000 },
    );
  });

  it("bytes that are no UTF-8 end a bare URL and invalidate a wrapped URL", () => {
    const latin1 = Uint8Array.from(
      Buffer.from("é http://a/b\xe9c <URL:ftp://d/\xe9> ftp://e/ \xc3", "latin1"),
    );
    expect(
      [...extractUrls(latin1, { syntaxes: urlParsersForExtractTests })].map(({ text, index }) => [
        text,
        index,
      ]),
    ).toEqual([
      ["http://a/b", 2],
      ["ftp://e/", 31],
    ]);
  });
});

describe("extractUrls reads streams", () => {
  it("extractUrls reads a web stream, and cancels it when the caller stops", async () => {
    let cancelled = false;
    const stream = new ReadableStream<string>({
      pull: (controller) => controller.enqueue("ftp://a/ "),
      cancel: () => void (cancelled = true),
    });
    for await (const { index } of extractUrls(stream, { syntaxes: urlParsersForExtractTests }))
      if (index >= 45) break;
    expect(cancelled).toBe(true);
  });

  it("extractUrls returns the complete URLs before an error of the stream, and then throws the error", async () => {
    const found: string[] = [];
    async function* failing(): AsyncGenerator<string> {
      yield "ftp://a/ ftp://b/";
      throw new Error("torn");
    }
    const read = async (): Promise<void> => {
      for await (const { text } of extractUrls(failing(), { syntaxes: urlParsersForExtractTests }))
        found.push(text);
    };
    await expect(read()).rejects.toThrow("torn");
    expect(found).toEqual(["ftp://a/"]);
  });

  it("extractUrls returns a URL as soon as the end of the URL has arrived", async () => {
    let sent = 0;
    async function* slow(): AsyncGenerator<string> {
      for (const chunk of ["a <URL:ftp://", "a/> b", " c", " d"]) {
        sent++;
        yield chunk;
      }
    }
    await extractUrls(slow(), { syntaxes: urlParsersForExtractTests })[Symbol.asyncIterator]().next();
    expect(sent).toBe(2);
  });

  // The five chunks after the first have 20 UTF-16 code units each. The maximum length of a URL is 30 code units.
  it.each([
    ["a bare URL", "ftp://a/b", "ftp://c/", 7],
    ["letters beyond US-ASCII", "ftp://é", "ftp://c/", 7],
    ["a wrapper", "<URL:ftp://a/ b ", "ftp://a/", 2],
  ])("extractUrls waits for the end of %s only up to maxLength", async (_, begun, first, chunksRead) => {
    let sent = 0;
    async function* slow(): AsyncGenerator<string> {
      for (const chunk of [begun, ...Array<string>(5).fill("é".repeat(20)), " ftp://c/ ", "", ""]) {
        sent++;
        yield chunk;
      }
    }
    const urls = extractUrls(slow(), { syntaxes: urlParsersForExtractTests, maxLength: 30 });
    const found = await urls[Symbol.asyncIterator]().next();
    expect(found.value?.text).toBe(first);
    expect(sent).toBe(chunksRead);
  });

  it("extractUrls throws for a stream that mixes text and bytes", async () => {
    async function* mixed(): AsyncGenerator<Chunk> {
      yield "text";
      yield utf8.encode("bytes");
    }
    await expect(
      collectMatches(extractUrls(mixed(), { syntaxes: urlParsersForExtractTests })),
    ).rejects.toThrow(TypeError);
  });

  it("extractUrls finds no URL in an empty stream", async () => {
    expect(
      await collectMatches(extractUrls(splitAtOffsets("", []), { syntaxes: urlParsersForExtractTests })),
    ).toEqual([]);
    expect(
      await collectMatches(
        extractUrls(new Response("").body ?? splitAtOffsets("", []), { syntaxes: urlParsersForExtractTests }),
      ),
    ).toEqual([]);
  });

  it("extractUrls counts positions from the start of a long stream", async () => {
    async function* long(): AsyncGenerator<Uint8Array> {
      const filler = utf8.encode("x".repeat(65_536));
      for (let count = 0; count < 100; count++) yield filler;
      yield utf8.encode(" ftp://a/");
    }
    expect(await collectMatches(extractUrls(long(), { syntaxes: urlParsersForExtractTests }))).toMatchObject([
      { index: 6_553_601, length: 8 },
    ]);
  });
});

describe("the running time of extractUrls", () => {
  // The texts that the test repeats to a large length. A scanner with quadratic time would need minutes for these
  // texts.
  const hostile: Record<string, string> = {
    "wrappers inside wrappers": "<URL:",
    "wrappers without a closing bracket": "<URL:a ",
    schemes: "http:",
    "URLs without a blank between them": "http://a/",
    "invalid URLs": "ftp://a/%zz",
    "URLs between letters beyond US-ASCII": "http://a/，",
    "opening brackets": "http://a/((((((((((((((((((((((((((((",
    brackets: "http://a/((((((((((((((((((((((((((()()()()()()()()) ",
    "quotation marks": `http://a/${"'".repeat(4000)} `,
    punctuation: `http://a/${".".repeat(4000)} `,
    "hyphens at line ends": `<URL:http://a/${"-\n".repeat(2000)}> `,
    "the > of quoted mail": `>\n>>> <URL:http://a/${"\n>>".repeat(1000)}> `,
    "letters beyond US-ASCII": `http://a/${"é".repeat(2000)} `,
    dashes: "-",
    "dashes before a scheme": "----------------------http://",
    colons: ":",
    "angle brackets": "<",
  };
  /** The scanner must read each unit of a text fewer times than this on average. */
  const MOST_LOOKS = 8;

  it.each(Object.entries(hostile))(
    "extractUrls reads each unit of the text fewer than 8 times on average for %s",
    (_, unit) => {
      const source = unit.repeat(Math.ceil(400_000 / unit.length));
      for (const bare of [true, false]) {
        for (const given of [source, utf8.encode(source)]) {
          let count = 0;
          for (const { length } of extractUrls(given, {
            syntaxes: urlParsersForExtractTests,
            bareUrls: bare,
          }))
            count += length;
          expect(count).toBeLessThanOrEqual(given.length * 8);
        }
        expect(countUnitReads(source, bare) / source.length).toBeLessThan(MOST_LOOKS);
      }
    },
  );
});

/** A text that counts the reads of its units. */
class CountingUnits extends StreamedUtf16TextWindow {
  readCount = 0;

  override codeUnitAt(index: number): number {
    this.readCount++;
    return super.codeUnitAt(index);
  }

  override indexOfColonOrLessThan(mark: ":" | "<", from: number): number {
    const found = super.indexOfColonOrLessThan(mark, from);
    this.readCount += (found < 0 ? this.length : found) - from;
    return found;
  }

  override skipCharactersOf(some: CodeUnitSet, from: number): number {
    const end = super.skipCharactersOf(some, from);
    this.readCount += end - from;
    return end;
  }

  override textBetween(start: number, end: number): string {
    this.readCount += end - start;
    return super.textBetween(start, end);
  }
}

/** Returns the number of reads of a scanner, repeated reads included. */
function countUnitReads(source: string, bare: boolean): number {
  const names = bare ? urlParsersForExtractTests.flatMap(({ schemes }) => schemes) : [];
  const scanner = createUrlScanner(names, MAX_EXTRACTED_URL_LENGTH);
  const units = new CountingUnits(source);
  for (let place = scanner.nextCandidate(units, true); place; place = scanner.nextCandidate(units, true))
    units.textBetween(place.start, place.end);
  return units.readCount;
}
