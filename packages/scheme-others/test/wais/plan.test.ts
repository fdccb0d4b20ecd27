import { createClient } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { wais, type WaisOptions, waisSyntax } from "../../src/wais/index.ts";
import { encodeWaisMessage } from "../../src/wais/apdu/wais-message.ts";
import { encodeWaisWordSearchRequest } from "../../src/wais/apdu/search-request.ts";
import { planWais } from "../../src/wais/plan.ts";
import { readCapturedExchanges } from "./read-captures.ts";
import { matchErrorWithCode } from "./wais-server.ts";

const planWaisPath = (path: string, options?: WaisOptions): ReturnType<typeof planWais> =>
  planWais(waisSyntax.parse(`wais://h.example/${path}`), options);

const formatPlannedSteps = (path: string, options?: WaisOptions): string[] =>
  planWaisPath(path, options).steps.map(
    ({ action, description: text, onReply: when }) =>
      `${action} ${text}${when === undefined ? "" : ` (when ${when})`}`,
  );

const appleDocumentId = "3=0%20107%20/srv/library/wais/docs/apple.txt;";

describe("planWais plans the steps for a wais URL", () => {
  it("planWais plans the description of a database", () => {
    expect(formatPlannedSteps("fruit")).toEqual([
      "resolve h.example",
      "connect h.example port 210",
      'send search without words in "fruit", which finds its description',
      "expect a search response",
      'send search for "wais" in "fruit", which shows whether there is such a database (when nothing is found)',
      "send fetch the description (when a document of type WSRC is found)",
      "transfer the description of the database",
      "close by the client",
    ]);
  });

  it("planWais plans the bytes that Lynx sent for the same search", () => {
    expect(formatPlannedSteps("fruit?apple").slice(2)).toEqual([
      'send search for "apple" in "fruit", at most 200 documents',
      "expect a search response",
      "transfer the documents found",
      "close by the client",
    ]);
    expect(Buffer.from(planWaisPath("fruit?apple").request.bytes ?? [])).toEqual(
      readCapturedExchanges("30-lynx-search")[0]?.request,
    );
  });

  it("planWais plans a search without words", () => {
    expect(formatPlannedSteps("?")[2]).toBe(
      "send search for nothing in the database that the server chooses, at most 200 documents",
    );
  });

  it("planWais plans a document of known length", () => {
    expect(formatPlannedSteps(`fruit/TEXT/107/${appleDocumentId}`).slice(2)).toEqual([
      'send fetch bytes 0 to 108 of a document of type TEXT in "fruit"',
      "expect a search response",
      "transfer the document of 107 bytes",
      "close by the client",
    ]);
  });

  it("planWais plans a document of several chunks", () => {
    expect(
      formatPlannedSteps(`fruit/TEXT/25000/${appleDocumentId}`, { chunkBytes: 12_000 }).slice(2),
    ).toEqual([
      'send fetch bytes 0 to 12000 of a document of type TEXT in "fruit"',
      "expect a search response",
      "send fetch the next 12000 bytes, and so on to 25000 (when 12000 bytes arrived)",
      "transfer the document of 25000 bytes",
      "close by the client",
    ]);
  });

  it("planWais plans a document of unknown length with the first of several types", () => {
    expect(formatPlannedSteps("/TEXT,GIF/id").slice(2)).toEqual([
      "send fetch bytes 0 to 80000 of a document of type TEXT in the database that the server chooses",
      "expect a search response",
      "send fetch the document in smaller chunks (when the server cannot send so large a chunk)",
      "send fetch the next 80000 bytes, and so on to the end (when 80000 bytes arrived)",
      "transfer the document, up to the first chunk that is shorter than requested",
      "close by the client",
    ]);
  });

  it("planWais plans an Init request first if the option sendInitRequest is set", () => {
    expect(
      formatPlannedSteps("fruit?apple", { sendInitRequest: true, identification: "me" }).slice(2, 4),
    ).toEqual([
      "send the Init request, for messages of up to 100000 bytes",
      "expect an Init response that accepts the request",
    ]);
    expect(formatPlannedSteps("fruit/TEXT/id", { sendInitRequest: true, chunkBytes: 200_000 })[2]).toBe(
      "send the Init request, for messages of up to 200152 bytes",
    );
    expect(
      planWaisPath("fruit?apple", { sendInitRequest: true, identification: "me" }).initRequest?.bytes?.length,
    ).toBe(25 + 19 + 4);
  });

  it("planWais shows control characters of the URL as blanks in step descriptions", () => {
    expect(formatPlannedSteps("d?a%1Bb", { allowControlCharacters: true } as WaisOptions)[2]).toBe(
      'send search for "a b" in "d", at most 200 documents',
    );
  });
});

describe("the option plusMeaning defines the meaning of a plus sign in a WAIS search", () => {
  const request = (words: string): Buffer => {
    const search = { database: Buffer.from("d"), words: Buffer.from(words), maxDocuments: 200 };
    return Buffer.from(encodeWaisMessage(encodeWaisWordSearchRequest(search)));
  };
  it.each([
    ["a+b", undefined, "a+b"],
    ["a%2Bb", undefined, "a+b"],
    ["a+b", "plus", "a+b"],
    ["a+b", "blank", "a b"],
    ["a%2Bb", "blank", "a+b"],
  ] as const)(
    "the plan searches for the URL text %j with the option plusMeaning = %s: the words are %j",
    (search, plus, words) => {
      expect(Buffer.from(planWaisPath(`d?${search}`, { plusMeaning: plus }).request.bytes ?? [])).toEqual(
        request(words),
      );
    },
  );
});

describe("planWais refuses invalid URLs and options", () => {
  it.each([
    ["a database of another server (database@host)", "d%40h%3A210"],
    ["a search in a database of another server", "d%40h?words"],
    ["several databases", "a%1Fb?words"],
    ["a line end in the database", "d%0A?words"],
    ["NUL in the search", "d?a%00"],
    ["CR in the search", "d?a%0Db"],
    ["an escape character in the search", "d?a%1B"],
    ["LF in the type", "d/TE%0AXT/id"],
    ["NUL in the document-id", "d/TEXT/id%00"],
  ])("planWais refuses to plan a URL with %s", (_name, path) => {
    expect(() => planWaisPath(path)).toThrow(matchErrorWithCode("refused-characters"));
  });

  it("planWais refuses to plan a document without a type or without a document-id", () => {
    expect(() => planWaisPath("d//id")).toThrow(matchErrorWithCode("unsupported", /has no document type/));
    expect(() => planWaisPath("d/,GIF/id")).toThrow(
      matchErrorWithCode("unsupported", /has no document type/),
    );
    expect(() => planWaisPath("d/TEXT/")).toThrow(matchErrorWithCode("unsupported", /names no document/));
  });

  it.each([0, -1, 1.5, NaN, 2 ** 32])(
    "wais() and client.plan reject %d as chunkBytes and as maxDocuments",
    async (value) => {
      await using client = createClient({ schemes: [wais()] });
      for (const options of [{ chunkBytes: value }, { maxDocuments: value }]) {
        expect(() => wais(options)).toThrow(TypeError);
        expect(() => client.plan("wais://h.example/d?w", options)).toThrow(TypeError);
      }
    },
  );

  it("the client refuses a WAIS port above 1023 that is not allowed", async () => {
    await using client = createClient({ schemes: [wais()] });
    await expect(client.dereference("wais://h.example:7000/d")).rejects.toEqual(
      matchErrorWithCode("refused-port"),
    );
  });
});
