import { describe, expect, it } from "vitest";
import { encodeWaisInitRequest } from "../../../src/wais/apdu/init-apdus.ts";
import { encodeWaisMessage } from "../../../src/wais/apdu/wais-message.ts";
import {
  encodeRetrievalRequest,
  encodeWaisWordSearchRequest,
} from "../../../src/wais/apdu/search-request.ts";
import { decodeWpath } from "../../../src/wais/document/wpath.ts";
import { readCapturedExchanges } from "../read-captures.ts";

/** Returns a request in a capture. */
function readCapturedRequest(name: string, index = 0): Buffer | undefined {
  return readCapturedExchanges(name)[index]?.request;
}

const toLatin1Bytes = (value: string): Buffer => Buffer.from(value, "latin1");

/** Returns the document-id that freeWAIS-sf assigns to the document with a local id in a database. */
function createDocumentId(database: string, localId: string): Uint8Array {
  return decodeWpath(
    `1/1=vm%3A21010;2=${database};3=${localId};4=vm%3A21010;5=${database};6=${localId};7=%00;`,
  ).id;
}

describe("encodeWaisInitRequest encodes the Init requests of real clients", () => {
  it("encodeWaisInitRequest encodes the same Init request as waissearch", () => {
    const init = encodeWaisInitRequest({
      maxRecordBytes: 100_000,
      identification: "waissearch freeWAIS-sf 2.2.8 string, from host: vm.unknown, user: root",
      implementation: { id: "LS6", name: "University of Dortmund Informatik VI", version: "2.2.8 string" },
    });
    expect(Buffer.from(encodeWaisMessage(init))).toEqual(
      readCapturedRequest("01-waissearch-hits-and-retrieve"),
    );
  });

  it("encodeWaisInitRequest encodes an Init request with every field", () => {
    const init = encodeWaisInitRequest({
      maxRecordBytes: 32_768,
      identification: "a test reader",
      implementation: { id: "TR", name: "test reader", version: "1" },
      referenceId: toLatin1Bytes("r1"),
    });
    expect(Buffer.from(encodeWaisMessage(init))).toEqual(readCapturedRequest("65-init-all-fields"));
  });
});

describe("encodeWaisWordSearchRequest encodes the word searches of real clients", () => {
  it.each([
    ["30-lynx-search", 0, "fruit", "apple", 200],
    ["35-lynx-unknown-database", 0, "nosuchdb", "apple", 200],
    ["01-waissearch-hits-and-retrieve", 1, "fruit", "apple", 40],
    ["12-empty-query", 0, "fruit", "", 40],
    ["14-search-no-database-name", 0, "", "apple", 40],
    ["57-next-and-previous", 0, "phones", "office", 2],
    ["70-query-syntax-errors", 1, "fruit", "(apple", 40],
  ])(
    "encodeWaisWordSearchRequest encodes the same word search as the capture %s, request %i",
    (name, index, database, words, maxDocuments) => {
      const search = encodeWaisWordSearchRequest({
        database: toLatin1Bytes(database),
        words: toLatin1Bytes(words),
        maxDocuments,
      });
      expect(Buffer.from(encodeWaisMessage(search))).toEqual(readCapturedRequest(name, index));
    },
  );
});

describe("encodeRetrievalRequest encodes the document requests of real clients", () => {
  const apple = createDocumentId("db/fruit", "0%20107%20/srv/library/wais/docs/apple.txt");
  const long = createDocumentId("db/fruit", "0%2016531%20/srv/library/wais/docs/long.txt");
  const words = createDocumentId("db/fruit", "0%2059%20/srv/library/wais/docs/two%20words.txt");
  const plate = createDocumentId("db/plates", "0%2037%20/srv/library/wais/docs/plate.TEXT");
  const phone = createDocumentId("db/phones", "40%2080%20/srv/library/wais/docs/phones.txt");
  const source = decodeWpath("606/2=fruit;3=0%200%20db/fruit.src;7=%00;").id;
  it.each([
    ["31-lynx-document", 0, "fruit", apple, "TEXT", 0, 107],
    ["19-beyond-end", 1, "fruit", apple, "TEXT", 0, 5000],
    ["32-lynx-document-two-slices", 0, "fruit", long, "TEXT", 0, 10_000],
    ["32-lynx-document-two-slices", 1, "fruit", long, "TEXT", 10_000, 16_531],
    ["34-lynx-wsrc", 0, "fruit", source, "WSRC", 0, 606],
    ["39-lynx-path-with-blank", 0, "fruit", words, "TEXT", 0, 59],
    ["57-next-and-previous", 1, "phones", phone, "WAIS_NEXT", 0, 1000],
    ["59-multi-type-document", 2, "plates", plate, "GIF", 0, 2749],
  ])(
    "encodeRetrievalRequest encodes the same document request as the capture %s, request %i",
    (name, index, database, documentId, type, start, end) => {
      const document = { database: toLatin1Bytes(database), documentId, type: toLatin1Bytes(type) };
      const retrieval = encodeRetrievalRequest(document, { start, endExclusive: end });
      expect(Buffer.from(encodeWaisMessage(retrieval))).toEqual(readCapturedRequest(name, index));
    },
  );
});

describe("the client limits the length of the database name in a WAIS request", () => {
  it.each([
    ["a database name of the maximum length", 65_515, false],
    ["a database name one byte above the maximum length", 65_516, true],
  ])("the client limits the database name of a request: %s", (_name, length, refused) => {
    const encode = (): Uint8Array =>
      encodeWaisWordSearchRequest({
        database: Buffer.alloc(length, "d"),
        words: toLatin1Bytes(""),
        maxDocuments: 1,
      });
    if (refused) expect(encode).toThrow(expect.objectContaining({ code: "refused-characters" }));
    else expect(Buffer.from(encode()).readUInt16BE(0)).toBeGreaterThan(65_000);
  });
});
