import { describe, expect, it } from "vitest";
import { decodeWaisInitResponse } from "../../../src/wais/apdu/init-apdus.ts";
import {
  readCapturedResponseApdus,
  extractApdu,
  decodeSearchResponseApdu,
  readCapturedExchanges,
} from "../read-captures.ts";

/** Decodes a response in a capture. */
function decodeCapturedResponse(name: string, index: number): ReturnType<typeof decodeSearchResponseApdu> {
  return decodeSearchResponseApdu(
    extractApdu(readCapturedExchanges(name)[index]?.response ?? Buffer.alloc(0)),
  );
}

const matchProtocolError = (what: RegExp): Error =>
  expect.objectContaining({ code: "protocol", message: expect.stringMatching(what) as string }) as Error;

describe("InitResponse APDUs", () => {
  it.each([
    ["01-waissearch-hits-and-retrieve", true, 100_000],
    ["42-init-present-bit", false, 2048],
    ["65-init-all-fields", true, 32_768],
  ])("the client decodes the captured InitResponse %s", (name, isAccepted, maxRecordBytes) => {
    expect(
      decodeWaisInitResponse(extractApdu(readCapturedExchanges(name)[0]?.response ?? Buffer.alloc(0))),
    ).toEqual({
      isAccepted,
      maxRecordBytes,
      implementationName: "University of Dortmund Informatik VI",
    });
  });

  it("the client decodes an InitResponse that contains only the acceptance", () => {
    expect(decodeWaisInitResponse(Buffer.from("00021501", "hex"))).toEqual({
      isAccepted: true,
      maxRecordBytes: undefined,
      implementationName: undefined,
    });
  });

  it.each(["000115", "000016", "000217010000", "00031501060406"])(
    "the client rejects the malformed InitResponse %s",
    (hex) => {
      expect(() => decodeWaisInitResponse(Buffer.from(hex, "hex"))).toThrow(matchProtocolError(/malformed/));
    },
  );
});

describe("SearchResponse APDUs", () => {
  it("the client decodes a SearchResponse with one document", () => {
    const { headers, texts, diagnostics } = decodeCapturedResponse("01-waissearch-hits-and-retrieve", 1);
    expect([headers.length, texts, diagnostics]).toEqual([1, [], []]);
    expect(headers[0]).toMatchObject({
      score: 534,
      length: 107,
      lines: 3,
      types: ["TEXT"],
      source: "db/fruit",
      date: "0",
      headline: "apple.txt   /srv/library/wais/docs/",
    });
    expect(headers[0]?.documentId?.length).toBe(123);
  });

  it.each([
    ["02-waissearch-no-hits", 1, 1, 0, []],
    ["03-waissearch-unknown-database", 1, 0, 0, ["S1 The following database is not available: db/nosuchdb"]],
    ["05-waissearch-no-hits-no-catalog", 1, 0, 0, []],
    ["11-help-query-and-wsrc", 0, 2, 0, ["S1 query syntax error: ?"]],
    ["13-search-two-hits", 0, 3, 0, []],
    ["19-beyond-end", 1, 0, 107, ["SF Request out of range"]],
    ["19-beyond-end", 2, 0, 0, ["SF Request out of range"]],
    ["20-bad-docid", 0, 0, 0, ["SF Missing DocID in request"]],
    ["23-retrieve-minimal", 1, 0, 50, []],
    ["36-lynx-gif-document", 0, 0, 2749, []],
    ["56-thirty-hits", 0, 30, 0, []],
    ["57-next-and-previous", 2, 0, 91, []],
    ["70-query-syntax-errors", 0, 1, 0, ["S1 query syntax error: apple and"]],
  ])(
    "the client decodes the SearchResponse of the capture %s, response %i: %i documents and %i bytes",
    (name, index, documents, bytes, byteCount) => {
      const { headers, texts, diagnostics } = decodeCapturedResponse(name, index);
      expect([
        headers.length,
        texts.reduce((sum, { length }) => sum + length, 0),
        diagnostics.map(({ code, text }) => `${code} ${text}`),
      ]).toEqual([documents, bytes, byteCount]);
    },
  );

  it("the client decodes documents with two types, and documents without types in version 1", () => {
    expect(decodeCapturedResponse("59-multi-type-document", 0).headers[0]?.types).toEqual(["TEXT", "GIF"]);
    expect(decodeCapturedResponse("66-header-version-1", 0).headers[0]?.types).toEqual([]);
  });

  it("the client decodes a SearchResponse with the bytes of a picture", () => {
    expect(
      Buffer.from(
        decodeCapturedResponse("36-lynx-gif-document", 0).texts[0]?.subarray(0, 6) ?? [],
      ).toString(),
    ).toBe("GIF89a");
  });

  it("the client skips unknown elements and groups of a SearchResponse", () => {
    const apdu = Buffer.from("000b170000000000000000000063078f0001ff810000", "hex");
    expect(decodeSearchResponseApdu(apdu)).toEqual({
      hasMore: false,
      headers: [],
      texts: [],
      diagnostics: [],
    });
  });

  it("the client decodes a SearchResponse without user information", () => {
    const apdu = Buffer.from("000b1700000000000000000000", "hex");
    expect(decodeSearchResponseApdu(apdu)).toEqual({
      hasMore: false,
      headers: [],
      texts: [],
      diagnostics: [],
    });
  });

  it("the client rejects an empty SearchResponse as unsupported", () => {
    for (const [name, index] of [
      ["24-unknown-pdu", 0],
      ["40-huge-chunk", 2],
      ["43-two-apdus", 0],
      ["63-present-refused", 1],
    ] as const) {
      expect(() => decodeCapturedResponse(name, index)).toThrow(
        expect.objectContaining({ code: "unsupported" }),
      );
    }
  });

  const head = "000b1700000000000000000000";
  it.each([
    ["an APDU of one byte", "00", /longer than its APDU/],
    ["a head whose length exceeds the APDU", "ffff17", /longer than its APDU/],
    ["another PDU", "000b1500000000000000000000", /type 21 instead of 23/],
    ["a head with the length 0", "000017", /too short/],
    ["a head that is too short for its fixed fields", "000417000000", /too short/],
    [
      "an element whose length exceeds the head",
      "000d17000000000000000000001b0500",
      /beyond the end of its container/,
    ],
    ["an unknown element after the head", `${head}7f0100`, /an unexpected element 127 follows the head/],
    ["user information whose length exceeds the APDU", `${head}6304`, /beyond the end of its container/],
    ["a group whose length exceeds the APDU", `${head}6303811605`, /beyond the end of its container/],
    [
      "a document-id whose length exceeds its group",
      `${head}6306811603740501`,
      /beyond the end of its container/,
    ],
    ["a score with five bytes", `${head}630a81160776050102030405`, /a number has 5 bytes/],
    ["a type whose length exceeds its block", `${head}63088116058104028105`, /a tag or length is incomplete/],
    ["a text whose length exceeds its group", `${head}63068119037fff7f`, /beyond the end of its container/],
    ["a diagnostic whose length exceeds the APDU", `${head}63061c00ff53311d`, /diagnostic record/],
    ["a diagnostic without a code", `${head}63051c0001531d`, /has no code/],
    ["a byte after the user information", `${head}630000`, /a tag or length is incomplete/],
    ["an element after the user information", `${head}63000000`, /an unexpected element 0 follows the head/],
  ])("the client rejects a SearchResponse with %s", (_name, hex, what) => {
    expect(() => decodeSearchResponseApdu(Buffer.from(hex, "hex"))).toThrow(matchProtocolError(what));
  });

  it("the client decodes a truncated response, or rejects it with the code protocol or unsupported", () => {
    for (const [, apdu] of readCapturedResponseApdus()) {
      if (apdu.length > 1000) continue;
      for (let end = 0; end < apdu.length; end++) {
        try {
          (apdu[2] === 21 ? decodeWaisInitResponse : decodeSearchResponseApdu)(apdu.subarray(0, end));
        } catch (error) {
          expect(error).toMatchObject({ code: end === 0 ? "unsupported" : "protocol" });
        }
      }
    }
  });
});
