import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { encodeElements } from "../../src/wais/apdu/elements.ts";
import { encodeWaisMessage } from "../../src/wais/apdu/message.ts";
import { readCapturedExchanges } from "./read-captures.ts";
import {
  dereferenceWaisPath,
  startScriptedWaisServer,
  readBodyText,
  encodeDiagnostic,
  readWaisDirectory,
  matchAccessError,
  readWaisRequest,
  encodeSearchResponse,
  encodeTextRecord,
} from "./wais-server.ts";

const documentPathText = "d/TEXT/%03%01x";
const headerOfEmptyMessage = "0000000000z2wais        0";
const createHeaderWithLength = (digits: string): string => `${digits}z2wais        0`;

/** Encodes a found document with these fields. */
function encodeDocumentHeader(...fields: readonly Uint8Array[]): Uint8Array {
  return encodeElements([
    [150, Buffer.concat([encodeElements([[116, Buffer.from([3, 1, 0x78])]]), ...fields])],
  ]);
}

describe("the client rejects invalid responses of a WAIS server", () => {
  it.each([
    ["an empty body", headerOfEmptyMessage, "unsupported", /sent an empty response/],
    ["the bytes of another protocol", "SSH-2.0-OpenSSH_9.2\r\nand much more", "protocol", /no WAIS message/],
    [
      "an announced length of 100 MB",
      createHeaderWithLength("0100000000"),
      "limit",
      /100000000 bytes.*maxWaisApduBytes is 4194304/,
    ],
    ["an announced length of 10 GB", createHeaderWithLength("9999999999"), "limit", /maxWaisApduBytes/],
    ["a length of letters", createHeaderWithLength("00000000ff"), "protocol", /no WAIS message/],
    [
      "a head longer than its APDU",
      encodeWaisMessage(Uint8Array.of(0xff, 0xff, 23)),
      "protocol",
      /malformed/,
    ],
    [
      "an init response",
      encodeWaisMessage(Buffer.from("00021501", "hex")),
      "protocol",
      /type 21 instead of 23/,
    ],
    ["a tag beyond the end", encodeSearchResponse(Uint8Array.of(0x81)), "protocol", /malformed/],
    [
      "nested lengths beyond the end",
      encodeSearchResponse(Uint8Array.of(0x81, 0x16, 0x03, 0x74, 0x7f, 0x00)),
      "protocol",
      /malformed/,
    ],
    [
      "two messages",
      Buffer.concat([encodeSearchResponse(), encodeSearchResponse()]),
      "protocol",
      /sent further bytes/,
    ],
  ])("rejects a WAIS response with %s", async (_name, message, code, words) => {
    for (const path of ["d?w", documentPathText]) {
      await using server = await startScriptedWaisServer([message]);
      await expect(dereferenceWaisPath(server, path, { chunkBytes: 10_000 })).rejects.toEqual(
        matchAccessError(code, words),
      );
    }
  });

  it.each([
    ["an empty response", "", "unavailable"],
    ["half a header", "00000001", "incomplete"],
    ["a whole header", createHeaderWithLength("0000000010"), "incomplete"],
    ["half a body", `${createHeaderWithLength("0000000010")}abc`, "incomplete"],
  ])(
    "rejects %s (%j) before the server closes the connection: the error code is %s",
    async (_name, bytes, code) => {
      await using server = await startScriptedWaisServer([bytes], "close");
      await expect(dereferenceWaisPath(server, documentPathText)).rejects.toEqual(matchAccessError(code));
    },
  );

  it("rejects a response that is interrupted by a reset as incomplete", async () => {
    await using server = await startScriptedWaisServer([createHeaderWithLength("0000000010")], "reset");
    await expect(dereferenceWaisPath(server, documentPathText)).rejects.toEqual(
      matchAccessError("incomplete"),
    );
  });

  it.each([
    ["no bytes", "", "firstByteTimeoutMs"],
    ["half a response", createHeaderWithLength("0000000010"), "idleTimeoutMs"],
  ])("times out if the server falls silent after %s", async (_name, bytes, limit) => {
    await using server = await startScriptedWaisServer([bytes]);
    // Only one of the two timeouts is short, so that the other timeout cannot expire first on a slow machine.
    await expect(
      dereferenceWaisPath(server, documentPathText, { limits: { [limit]: 40 } }),
    ).rejects.toMatchObject({
      code: "timeout",
      limit,
    });
  });

  it("reads a response that arrives in single bytes", async () => {
    const [exchange] = readCapturedExchanges("31-lynx-document");
    await using server = await startScriptedServer(async (peer) => {
      await readWaisRequest(peer);
      for (const byte of exchange?.response ?? []) {
        peer.send(Uint8Array.of(byte));
        await new Promise(setImmediate);
      }
      await peer.closed;
    });
    expect((await readBodyText(await dereferenceWaisPath(server, "fruit/TEXT/%03%01x")))[0]).toMatch(
      /^Apples and Orchards\n/,
    );
  });
});

describe("the client reports faults in WAIS documents", () => {
  const chunkBytes = 4;
  it.each([
    ["with more bytes than requested", [encodeTextRecord("abcde")], "protocol", /5 bytes instead of 4/],
    ["in two text records", [encodeTextRecord("ab"), encodeTextRecord("cd")], "protocol", /several texts/],
    [
      "that the server refuses",
      [encodeDiagnostic("T2", "not for you")],
      "permission-denied",
      /not for you \[T2\]/,
    ],
    [
      "that the server cannot send",
      [encodeDiagnostic("SJ", "")],
      "unsupported",
      /exceeds the maximum record size \[SJ\]/,
    ],
    [
      "that the server refuses with two diagnostics",
      [encodeDiagnostic("SF", "Request out of range"), encodeDiagnostic("S2", "busy")],
      "unavailable",
      /busy/,
    ],
  ])("rejects a document %s", async (_name, records, code, words) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(...records)]);
    await expect(dereferenceWaisPath(server, documentPathText, { chunkBytes })).rejects.toEqual(
      matchAccessError(code, words),
    );
  });

  const told = (length: number): string => `d/TEXT/${length}/3=x;`;
  it.each([
    [
      "as long as its URL states",
      2,
      [encodeTextRecord("ab"), encodeDiagnostic("SF", "Request out of range")],
      "verified",
    ],
    ["as long as its URL states, without a diagnostic", 2, [encodeTextRecord("ab")], "verified"],
    [
      "empty and its URL states the length 0",
      0,
      [encodeDiagnostic("SF", "Request out of range")],
      "verified",
    ],
  ])("reports a document as verified if it is %s", async (_name, length, records, completeness) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(...records)]);
    expect((await readBodyText(await dereferenceWaisPath(server, told(length), { chunkBytes })))[1]).toBe(
      completeness,
    );
  });

  it.each([
    [
      "one byte longer than its URL states",
      2,
      [encodeTextRecord("abc")],
      /longer than the 2 bytes in its URL/,
    ],
    ["one byte shorter than its URL states", 3, [encodeTextRecord("ab")], /ended after 2 of 3/],
    [
      "shorter than its URL states, with a full last chunk",
      9,
      [encodeTextRecord("abcd"), encodeDiagnostic("SF", "Request out of range")],
      /ended after 4 of 9/,
    ],
    ["missing", 9, [encodeDiagnostic("SF", "Request out of range")], /ended after 0 of 9/],
  ])("rejects a document as incomplete if it is %s", async (_name, length, records, words) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(...records)]);
    const work = dereferenceWaisPath(server, told(length), { chunkBytes }).then(readBodyText);
    await expect(work).rejects.toEqual(matchAccessError("incomplete", words));
  });

  it("returns the text of a response that also has a diagnostic", async () => {
    await using server = await startScriptedWaisServer([
      encodeSearchResponse(encodeTextRecord("ab"), encodeDiagnostic("S2", "later more")),
    ]);
    expect(await readBodyText(await dereferenceWaisPath(server, documentPathText, { chunkBytes }))).toEqual([
      "ab",
      "unverified",
    ]);
  });

  it.each([
    ["a response without records", [], "unverified"],
    ["a response with an empty text", [encodeTextRecord("")], "unverified"],
    ["a diagnostic of the range", [encodeDiagnostic("SF", "Request out of range")], "verified"],
  ])("returns an empty document for %s", async (_name, records, completeness) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(...records)]);
    expect(await readBodyText(await dereferenceWaisPath(server, documentPathText))).toEqual([
      "",
      completeness,
    ]);
  });

  it.each([
    ["a closed connection", [], matchAccessError("unavailable")],
    ["an empty body", [headerOfEmptyMessage], matchAccessError("unsupported")],
    [
      "a diagnostic",
      [encodeSearchResponse(encodeDiagnostic("SG", "bad disk"))],
      matchAccessError("unavailable", /bad disk \[SG\]/),
    ],
    ["a response of another protocol", ["x".repeat(40)], matchAccessError("protocol")],
  ])("rejects a document whose second chunk is %s", async (_name, messages, error) => {
    await using server = await startScriptedWaisServer(
      [encodeSearchResponse(encodeTextRecord("abcd")), ...messages],
      "close",
    );
    const resource = await dereferenceWaisPath(server, documentPathText, { chunkBytes });
    await expect(readBodyText(resource)).rejects.toEqual(error);
  });

  it("limits an endless document by maxBodyBytes", async () => {
    await using server = await startScriptedServer(async (peer) => {
      while (await readWaisRequest(peer)) peer.send(encodeSearchResponse(encodeTextRecord("x".repeat(1000))));
    });
    const resource = await dereferenceWaisPath(server, documentPathText, {
      chunkBytes: 1000,
      limits: { maxBodyBytes: 50_000 },
    });
    await expect(readBodyText(resource)).rejects.toMatchObject({ code: "limit", limit: "maxBodyBytes" });
  });
});

describe("the client decodes the fields of WAIS search responses", () => {
  const entryFor = async (...records: readonly Uint8Array[]) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(...records)]);
    return (await readWaisDirectory(server, "d?w")).list[0];
  };

  it.each([
    ["no field at all", [], { name: "", score: undefined, size: undefined, types: ["TEXT"] }],
    ["a length of four bytes", [encodeElements([[120, 2 ** 32 - 1]])], { size: 4_294_967_295 }],
    ["a score without a sign", [encodeElements([[118, 2 ** 31]])], { score: 2_147_483_648 }],
    ["a date", [encodeElements([[122, "940315"]])], { modified: new Date("1994-03-15") }],
    ["a date of this century", [encodeElements([[122, "230101"]])], { modified: new Date("2023-01-01") }],
    ["a leap day", [encodeElements([[122, "960229"]])], { modified: new Date("1996-02-29") }],
    ["a leap day of no leap year", [encodeElements([[122, "950229"]])], { modified: undefined }],
    ["a day that its month does not have", [encodeElements([[122, "940431"]])], { modified: undefined }],
    ["the impossible month 99", [encodeElements([[122, "949999"]])], { modified: undefined }],
    ["month and day 0", [encodeElements([[122, "940000"]])], { modified: undefined }],
    ["a headline in Latin-1", [encodeElements([[123, Buffer.from("caf\xe9", "latin1")]])], { name: "café" }],
    ["a headline in UTF-8", [encodeElements([[123, Buffer.from("café")]])], { name: "café" }],
    [
      "an unknown type",
      [encodeElements([[132, encodeElements([[133, "__proto__"]])]])],
      { kind: "document" },
    ],
  ])("creates an entry for a document with %s", async (_name, fields, entry) => {
    expect(await entryFor(encodeDocumentHeader(...fields))).toMatchObject(entry);
  });

  /** Encodes a WAIS message whose SearchResponse contains these numbers in its head. */
  const counted = (
    found: number,
    returned: number,
    presentStatus: number,
    ...records: Uint8Array[]
  ): Buffer => {
    const head = Buffer.from(`000e1700${hex(found)}${hex(returned)}0000001b010${presentStatus}`, "hex");
    return Buffer.from(
      encodeWaisMessage(Buffer.concat([head, encodeElements([[99, Buffer.concat(records)]])])),
    );
  };
  const hex = (number: number): string => number.toString(16).padStart(6, "0");

  it.each([
    ["does not state the number of results", counted(0, 0, 0, encodeDocumentHeader()), "verified"],
    ["states the same number of results", counted(1, 1, 0, encodeDocumentHeader()), "verified"],
    ["states more results", counted(5, 1, 0, encodeDocumentHeader()), "truncated"],
    ["states more records", counted(0, 2, 0, encodeDocumentHeader()), "truncated"],
    [
      "counts a diagnostic as a record",
      counted(0, 2, 0, encodeDocumentHeader(), encodeDiagnostic("S1", "x")),
      "verified",
    ],
    [
      "states more results than 16 bits can count",
      counted(70_000, 1, 0, encodeDocumentHeader()),
      "truncated",
    ],
    ["reports a partial result", counted(0, 1, 2, encodeDocumentHeader()), "truncated"],
    ["reports the status failure", counted(0, 1, 5, encodeDocumentHeader()), "verified"],
    [
      "reports too many records",
      counted(0, 0, 0, encodeDocumentHeader(), encodeDiagnostic("SD", "")),
      "truncated",
    ],
    [
      "reports exhausted resources",
      counted(0, 0, 0, encodeDocumentHeader(), encodeDiagnostic("T1", "")),
      "truncated",
    ],
    [
      "reports an omitted record",
      counted(0, 0, 0, encodeDocumentHeader(), encodeDiagnostic("SH", "")),
      "truncated",
    ],
    [
      "sends maxDocuments documents",
      counted(0, 0, 0, encodeDocumentHeader(), encodeDocumentHeader()),
      "unverified",
    ],
  ])("reports the completeness of a search whose server %s", async (_name, message, completeness) => {
    await using server = await startScriptedWaisServer([message]);
    expect(await (await readWaisDirectory(server, "d?w", { maxDocuments: 2 })).completeness).toBe(
      completeness,
    );
  });

  it("uses the headline of a link as its URL if the URL is valid", async () => {
    const link = (headline: string) =>
      encodeDocumentHeader(
        encodeElements([[132, encodeElements([[133, "URL"]])]]),
        encodeElements([[123, headline]]),
      );
    expect(await entryFor(link("gopher://h.example/0a "))).toMatchObject({
      kind: "link",
      url: { scheme: "gopher" },
    });
    expect((await entryFor(link("no URL at all")))?.url).toBeUndefined();
  });

  it("omits the URL of an entry without a document-id or with a very long one", async () => {
    expect((await entryFor(encodeElements([[150, encodeElements([[123, "x"]])]])))?.url).toBeUndefined();
    expect(
      (await entryFor(encodeElements([[150, encodeElements([[116, new Uint8Array(20_000)]])]])))?.url,
    ).toBeUndefined();
  });

  it("escapes the document type and the document-id in the URL of an entry", async () => {
    const entry = await entryFor(
      encodeElements([
        [
          150,
          Buffer.concat([
            encodeElements([[116, Buffer.from("a/b?\r\n")]]),
            encodeElements([[132, encodeElements([[133, "T/?\r\n"]])]]),
          ]),
        ],
      ]),
    );
    expect(entry?.url?.href).toMatch(/\/d\/T%2F%3F%0D%0A\/a%2Fb%3F%0D%0A$/);
  });

  it.each([
    ["n - 1", 2, 3, undefined],
    ["n", 3, 3, undefined],
    ["n + 1", 4, 3, "maxListingEntries"],
  ])(
    "limits a search response of %s documents by maxListingEntries (n)",
    async (_name, count, maxListingEntries, limit) => {
      await using server = await startScriptedWaisServer([
        encodeSearchResponse(...Array.from({ length: count }, () => encodeDocumentHeader())),
      ]);
      const work = readWaisDirectory(server, "d?w", { limits: { maxListingEntries } });
      if (limit) await expect(work).rejects.toMatchObject({ code: "limit", limit });
      else expect((await work).list.length).toBe(count);
    },
  );
});

describe("the client fetches descriptions of WAIS databases", () => {
  const about = encodeDocumentHeader(encodeElements([[132, encodeElements([[133, "WSRC"]])]]));

  it.each([
    [
      "sends a diagnostic for its description",
      encodeSearchResponse(encodeDiagnostic("SF", "Missing DocID in request")),
    ],
    ["sends an empty response for its description", headerOfEmptyMessage],
    ["sends another text for its description", encodeSearchResponse(encodeTextRecord("no source"))],
  ])("returns no description for a database that %s", async (_name, message) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(about), message]);
    const { list, source } = await readWaisDirectory(server, "d");
    expect([list.length, source]).toEqual([1, undefined]);
  });

  it.each([
    ["another text", "no source", "the text is not a source description"],
    ["incomplete", '(:source :description "half', "a quotation mark is not closed"],
  ])("traces the fault of a database description that is %s", async (_name, text, fault) => {
    await using server = await startScriptedWaisServer([
      encodeSearchResponse(about),
      encodeSearchResponse(encodeTextRecord(text)),
    ]);
    const events: string[] = [];
    await readWaisDirectory(server, "d", { trace: (event) => void events.push(event.text) });
    expect(events).toContain(`the description is incomplete: ${fault}`);
  });

  it("rejects a database whose server closes the connection instead of a description", async () => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(about)], "close");
    await expect(dereferenceWaisPath(server, "d")).rejects.toEqual(matchAccessError("unavailable"));
  });

  it("limits an endless database description by maxListingBytes", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readWaisRequest(peer);
      peer.send(encodeSearchResponse(about));
      while (await readWaisRequest(peer))
        peer.send(encodeSearchResponse(encodeTextRecord("x".repeat(10_000))));
    });
    const work = dereferenceWaisPath(server, "d", { limits: { maxListingBytes: 50_000 } });
    await expect(work).rejects.toMatchObject({ code: "limit", limit: "maxListingBytes" });
  });

  const missing = "The following database is not available: db/d";
  it.each([
    ["finds nothing", encodeSearchResponse(), "not-found", /no description.*or no such database/],
    [
      "reports that the database is not available",
      encodeSearchResponse(encodeDiagnostic("S1", missing)),
      "not-found",
      /not available: db\/d/,
    ],
    [
      "is refused",
      encodeSearchResponse(encodeDiagnostic("T2", "not for you")),
      "permission-denied",
      /not for you/,
    ],
  ])(
    "rejects a database without a description if the search for a probe word %s",
    async (_name, message, code, words) => {
      for (const path of ["d", "d?"]) {
        await using server = await startScriptedWaisServer([encodeSearchResponse(), message]);
        await expect(dereferenceWaisPath(server, path)).rejects.toEqual(matchAccessError(code, words));
      }
    },
  );

  it("returns an empty directory if a search without words finds nothing and the probe finds a document", async () => {
    for (const path of ["d", "d?"]) {
      await using server = await startScriptedWaisServer([
        encodeSearchResponse(),
        encodeSearchResponse(encodeDocumentHeader()),
      ]);
      const found = await readWaisDirectory(server, path);
      expect(found).toMatchObject({ list: [], source: undefined });
      expect(await found.completeness).toBe("verified");
    }
  });
});
