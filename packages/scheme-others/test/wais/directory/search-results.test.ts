import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { encodeApduElements } from "../../../src/wais/apdu/elements.ts";
import { encodeWaisMessage } from "../../../src/wais/apdu/wais-message.ts";
import {
  dereferenceWaisPath,
  startScriptedWaisServer,
  encodeDiagnostic,
  dereferenceAndListWaisEntries,
  matchErrorWithCode,
  readWaisRequestBytes,
  encodeSearchResponse,
  encodeTextRecord,
} from "../wais-server.ts";

const headerOfEmptyMessage = "0000000000z2wais        0";

/** Encodes a found document with the given fields. */
function encodeDocumentHeader(...fields: readonly Uint8Array[]): Uint8Array {
  return encodeApduElements([
    [150, Buffer.concat([encodeApduElements([[116, Buffer.from([3, 1, 0x78])]]), ...fields])],
  ]);
}

describe("the client decodes the fields of WAIS search responses", () => {
  const entryFor = async (...records: readonly Uint8Array[]) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(...records)]);
    return (await dereferenceAndListWaisEntries(server, "d?w")).list[0];
  };

  it.each([
    ["no field at all", [], { name: "", score: undefined, size: undefined, types: ["TEXT"] }],
    ["a document length of four bytes", [encodeApduElements([[120, 2 ** 32 - 1]])], { size: 4_294_967_295 }],
    ["a score above 2147483647", [encodeApduElements([[118, 2 ** 31]])], { score: 2_147_483_648 }],
    ["a date", [encodeApduElements([[122, "940315"]])], { modified: new Date("1994-03-15") }],
    [
      "a date in the 21st century",
      [encodeApduElements([[122, "230101"]])],
      { modified: new Date("2023-01-01") },
    ],
    ["a leap day", [encodeApduElements([[122, "960229"]])], { modified: new Date("1996-02-29") }],
    [
      "29 February in a year that is no leap year",
      [encodeApduElements([[122, "950229"]])],
      { modified: undefined },
    ],
    ["31 April, which does not exist", [encodeApduElements([[122, "940431"]])], { modified: undefined }],
    ["the impossible month 99", [encodeApduElements([[122, "949999"]])], { modified: undefined }],
    ["month and day 0", [encodeApduElements([[122, "940000"]])], { modified: undefined }],
    [
      "a headline in Latin-1",
      [encodeApduElements([[123, Buffer.from("caf\xe9", "latin1")]])],
      { name: "café" },
    ],
    ["a headline in UTF-8", [encodeApduElements([[123, Buffer.from("café")]])], { name: "café" }],
    [
      "an unknown type",
      [encodeApduElements([[132, encodeApduElements([[133, "__proto__"]])]])],
      { kind: "document" },
    ],
  ])("the client creates an entry for a document with %s", async (_name, fields, entry) => {
    expect(await entryFor(encodeDocumentHeader(...fields))).toMatchObject(entry);
  });

  /** Encodes a WAIS message whose SearchResponse contains the given numbers in its head. */
  const counted = (
    found: number,
    returned: number,
    presentStatus: number,
    ...records: Uint8Array[]
  ): Buffer => {
    const head = Buffer.from(`000e1700${hex(found)}${hex(returned)}0000001b010${presentStatus}`, "hex");
    return Buffer.from(
      encodeWaisMessage(Buffer.concat([head, encodeApduElements([[99, Buffer.concat(records)]])])),
    );
  };
  const hex = (number: number): string => number.toString(16).padStart(6, "0");

  it.each([
    ["the server does not state the number of results", counted(0, 0, 0, encodeDocumentHeader()), "verified"],
    [
      "the server states the number of results that it sends",
      counted(1, 1, 0, encodeDocumentHeader()),
      "verified",
    ],
    ["the server states more results than it sends", counted(5, 1, 0, encodeDocumentHeader()), "truncated"],
    ["the server states more records than it sends", counted(0, 2, 0, encodeDocumentHeader()), "truncated"],
    [
      "the server counts a diagnostic as a record",
      counted(0, 2, 0, encodeDocumentHeader(), encodeDiagnostic("S1", "x")),
      "verified",
    ],
    [
      "the server states more results than 16 bits can count",
      counted(70_000, 1, 0, encodeDocumentHeader()),
      "truncated",
    ],
    ["the server reports a partial result", counted(0, 1, 2, encodeDocumentHeader()), "truncated"],
    ["the server reports the status failure", counted(0, 1, 5, encodeDocumentHeader()), "verified"],
    [
      "the server reports too many records",
      counted(0, 0, 0, encodeDocumentHeader(), encodeDiagnostic("SD", "")),
      "truncated",
    ],
    [
      "the server reports exhausted resources",
      counted(0, 0, 0, encodeDocumentHeader(), encodeDiagnostic("T1", "")),
      "truncated",
    ],
    [
      "the server reports an omitted record",
      counted(0, 0, 0, encodeDocumentHeader(), encodeDiagnostic("SH", "")),
      "truncated",
    ],
    [
      "the server sends maxDocuments documents",
      counted(0, 0, 0, encodeDocumentHeader(), encodeDocumentHeader()),
      "unverified",
    ],
  ])("the client reports the completeness of a search when %s", async (_name, message, completeness) => {
    await using server = await startScriptedWaisServer([message]);
    expect(await (await dereferenceAndListWaisEntries(server, "d?w", { maxDocuments: 2 })).completeness).toBe(
      completeness,
    );
  });

  it("the client uses the headline of a link as its URL if the URL is valid", async () => {
    const link = (headline: string) =>
      encodeDocumentHeader(
        encodeApduElements([[132, encodeApduElements([[133, "URL"]])]]),
        encodeApduElements([[123, headline]]),
      );
    expect(await entryFor(link("gopher://h.example/0a "))).toMatchObject({
      kind: "link",
      url: { scheme: "gopher" },
    });
    expect((await entryFor(link("no URL at all")))?.url).toBeUndefined();
  });

  it("the client omits the URL of an entry without a document-id or with a very long one", async () => {
    expect(
      (await entryFor(encodeApduElements([[150, encodeApduElements([[123, "x"]])]])))?.url,
    ).toBeUndefined();
    expect(
      (await entryFor(encodeApduElements([[150, encodeApduElements([[116, new Uint8Array(20_000)]])]])))?.url,
    ).toBeUndefined();
  });

  it("the client escapes the document type and the document-id in the URL of an entry", async () => {
    const entry = await entryFor(
      encodeApduElements([
        [
          150,
          Buffer.concat([
            encodeApduElements([[116, Buffer.from("a/b?\r\n")]]),
            encodeApduElements([[132, encodeApduElements([[133, "T/?\r\n"]])]]),
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
    "the client limits a search response of %s documents by maxListingEntries (n)",
    async (_name, count, maxListingEntries, limit) => {
      await using server = await startScriptedWaisServer([
        encodeSearchResponse(...Array.from({ length: count }, () => encodeDocumentHeader())),
      ]);
      const work = dereferenceAndListWaisEntries(server, "d?w", { limits: { maxListingEntries } });
      if (limit) await expect(work).rejects.toMatchObject({ code: "limit", limit });
      else expect((await work).list.length).toBe(count);
    },
  );
});

describe("the client fetches descriptions of WAIS databases", () => {
  const about = encodeDocumentHeader(encodeApduElements([[132, encodeApduElements([[133, "WSRC"]])]]));

  it.each([
    [
      "the server sends a diagnostic instead of the description",
      encodeSearchResponse(encodeDiagnostic("SF", "Missing DocID in request")),
    ],
    ["the server sends an empty response instead of the description", headerOfEmptyMessage],
    ["the server sends a text that is no description", encodeSearchResponse(encodeTextRecord("no source"))],
  ])("the client returns no description for a database when %s", async (_name, message) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(about), message]);
    const { list, source } = await dereferenceAndListWaisEntries(server, "d");
    expect([list.length, source]).toEqual([1, undefined]);
  });

  it.each([
    ["a text that is no source description", "no source", "the text is not a source description"],
    [
      "a source description that is incomplete",
      '(:source :description "half',
      "a quotation mark is not closed",
    ],
  ])("the client traces the fault of a database description: %s", async (_name, text, fault) => {
    await using server = await startScriptedWaisServer([
      encodeSearchResponse(about),
      encodeSearchResponse(encodeTextRecord(text)),
    ]);
    const events: string[] = [];
    await dereferenceAndListWaisEntries(server, "d", { trace: (event) => void events.push(event.text) });
    expect(events).toContain(`the description is incomplete: ${fault}`);
  });

  it("the client rejects a database whose server closes the connection instead of sending the description", async () => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(about)], "close");
    await expect(dereferenceWaisPath(server, "d")).rejects.toEqual(matchErrorWithCode("unavailable"));
  });

  it("the client limits an endless database description by maxListingBytes", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readWaisRequestBytes(peer);
      peer.send(encodeSearchResponse(about));
      while (await readWaisRequestBytes(peer))
        peer.send(encodeSearchResponse(encodeTextRecord("x".repeat(10_000))));
    });
    const work = dereferenceWaisPath(server, "d", { limits: { maxListingBytes: 50_000 } });
    await expect(work).rejects.toMatchObject({ code: "limit", limit: "maxListingBytes" });
  });

  const missing = "The following database is not available: db/d";
  it.each([
    [
      "the search for a probe word finds nothing",
      encodeSearchResponse(),
      "not-found",
      /no description.*or no such database/,
    ],
    [
      "the search for a probe word reports that the database is not available",
      encodeSearchResponse(encodeDiagnostic("S1", missing)),
      "not-found",
      /not available: db\/d/,
    ],
    [
      "the search for a probe word is refused",
      encodeSearchResponse(encodeDiagnostic("T2", "not for you")),
      "permission-denied",
      /not for you/,
    ],
  ])("the client rejects a database without a description if %s", async (_name, message, code, words) => {
    for (const path of ["d", "d?"]) {
      await using server = await startScriptedWaisServer([encodeSearchResponse(), message]);
      await expect(dereferenceWaisPath(server, path)).rejects.toEqual(matchErrorWithCode(code, words));
    }
  });

  it("the client returns an empty directory if a search without words finds nothing and the probe finds a document", async () => {
    for (const path of ["d", "d?"]) {
      await using server = await startScriptedWaisServer([
        encodeSearchResponse(),
        encodeSearchResponse(encodeDocumentHeader()),
      ]);
      const found = await dereferenceAndListWaisEntries(server, path);
      expect(found).toMatchObject({ list: [], source: undefined });
      expect(await found.completeness).toBe("verified");
    }
  });
});
