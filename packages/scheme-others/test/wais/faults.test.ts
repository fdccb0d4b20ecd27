import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { encodeElements } from "../../src/wais/apdu/elements.ts";
import { encodeWaisMessage } from "../../src/wais/apdu/message.ts";
import { readExchanges } from "./read-captures.ts";
import {
  access,
  startServer,
  body,
  diagnostic,
  directory,
  accessError,
  readRequest,
  searchResponse,
  textRecord,
} from "./wais-server.ts";

const document = "d/TEXT/%03%01x";
const empty = "0000000000z2wais        0";
const announcing = (digits: string): string => `${digits}z2wais        0`;

/** Encodes a found document with these fields. */
function header(...fields: readonly Uint8Array[]): Uint8Array {
  return encodeElements([
    [150, Buffer.concat([encodeElements([[116, Buffer.from([3, 1, 0x78])]]), ...fields])],
  ]);
}

describe("the client rejects invalid responses of a WAIS server", () => {
  it.each([
    ["an empty body", empty, "unsupported", /sent an empty response/],
    ["the bytes of another protocol", "SSH-2.0-OpenSSH_9.2\r\nand much more", "protocol", /no WAIS message/],
    [
      "an announced length of 100 MB",
      announcing("0100000000"),
      "limit",
      /100000000 bytes.*maxWaisApduBytes is 4194304/,
    ],
    ["an announced length of 10 GB", announcing("9999999999"), "limit", /maxWaisApduBytes/],
    ["a length of letters", announcing("00000000ff"), "protocol", /no WAIS message/],
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
    ["a tag beyond the end", searchResponse(Uint8Array.of(0x81)), "protocol", /malformed/],
    [
      "nested lengths beyond the end",
      searchResponse(Uint8Array.of(0x81, 0x16, 0x03, 0x74, 0x7f, 0x00)),
      "protocol",
      /malformed/,
    ],
    ["two messages", Buffer.concat([searchResponse(), searchResponse()]), "protocol", /sent further bytes/],
  ])("rejects a WAIS response with %s", async (_name, message, code, words) => {
    for (const path of ["d?w", document]) {
      await using server = await startServer([message]);
      await expect(access(server, path, { chunkBytes: 10_000 })).rejects.toEqual(accessError(code, words));
    }
  });

  it.each([
    ["an empty response", "", "unavailable"],
    ["half a header", "00000001", "incomplete"],
    ["a whole header", announcing("0000000010"), "incomplete"],
    ["half a body", `${announcing("0000000010")}abc`, "incomplete"],
  ])(
    "rejects %s (%j) before the server closes the connection: the error code is %s",
    async (_name, bytes, code) => {
      await using server = await startServer([bytes], "close");
      await expect(access(server, document)).rejects.toEqual(accessError(code));
    },
  );

  it("rejects a response that is interrupted by a reset as incomplete", async () => {
    await using server = await startServer([announcing("0000000010")], "reset");
    await expect(access(server, document)).rejects.toEqual(accessError("incomplete"));
  });

  it.each([
    ["no bytes", "", "firstByteTimeoutMs"],
    ["half a response", announcing("0000000010"), "idleTimeoutMs"],
  ])("times out if the server falls silent after %s", async (_name, bytes, limit) => {
    await using server = await startServer([bytes]);
    // Only one of the two timeouts is short, so that the other timeout cannot expire first on a slow machine.
    await expect(access(server, document, { limits: { [limit]: 40 } })).rejects.toMatchObject({
      code: "timeout",
      limit,
    });
  });

  it("reads a response that arrives in single bytes", async () => {
    const [exchange] = readExchanges("31-lynx-document");
    await using server = await startScriptedServer(async (peer) => {
      await readRequest(peer);
      for (const byte of exchange?.answer ?? []) {
        peer.send(Uint8Array.of(byte));
        await new Promise(setImmediate);
      }
      await peer.closed;
    });
    expect((await body(await access(server, "fruit/TEXT/%03%01x")))[0]).toMatch(/^Apples and Orchards\n/);
  });
});

describe("the client reports faults in WAIS documents", () => {
  const chunkBytes = 4;
  it.each([
    ["with more bytes than requested", [textRecord("abcde")], "protocol", /5 bytes instead of 4/],
    ["in two text records", [textRecord("ab"), textRecord("cd")], "protocol", /several texts/],
    ["that the server refuses", [diagnostic("T2", "not for you")], "permission-denied", /not for you \[T2\]/],
    [
      "that the server cannot send",
      [diagnostic("SJ", "")],
      "unsupported",
      /exceeds the maximum record size \[SJ\]/,
    ],
    [
      "that the server refuses with two diagnostics",
      [diagnostic("SF", "Request out of range"), diagnostic("S2", "busy")],
      "unavailable",
      /busy/,
    ],
  ])("rejects a document %s", async (_name, records, code, words) => {
    await using server = await startServer([searchResponse(...records)]);
    await expect(access(server, document, { chunkBytes })).rejects.toEqual(accessError(code, words));
  });

  const told = (length: number): string => `d/TEXT/${length}/3=x;`;
  it.each([
    [
      "as long as its URL states",
      2,
      [textRecord("ab"), diagnostic("SF", "Request out of range")],
      "verified",
    ],
    ["as long as its URL states, without a diagnostic", 2, [textRecord("ab")], "verified"],
    ["empty and its URL states the length 0", 0, [diagnostic("SF", "Request out of range")], "verified"],
  ])("reports a document as verified if it is %s", async (_name, length, records, completeness) => {
    await using server = await startServer([searchResponse(...records)]);
    expect((await body(await access(server, told(length), { chunkBytes })))[1]).toBe(completeness);
  });

  it.each([
    ["one byte longer than its URL states", 2, [textRecord("abc")], /longer than the 2 bytes in its URL/],
    ["one byte shorter than its URL states", 3, [textRecord("ab")], /ended after 2 of 3/],
    [
      "shorter than its URL states, with a full last chunk",
      9,
      [textRecord("abcd"), diagnostic("SF", "Request out of range")],
      /ended after 4 of 9/,
    ],
    ["missing", 9, [diagnostic("SF", "Request out of range")], /ended after 0 of 9/],
  ])("rejects a document as incomplete if it is %s", async (_name, length, records, words) => {
    await using server = await startServer([searchResponse(...records)]);
    const work = access(server, told(length), { chunkBytes }).then(body);
    await expect(work).rejects.toEqual(accessError("incomplete", words));
  });

  it("returns the text of a response that also has a diagnostic", async () => {
    await using server = await startServer([
      searchResponse(textRecord("ab"), diagnostic("S2", "later more")),
    ]);
    expect(await body(await access(server, document, { chunkBytes }))).toEqual(["ab", "unverified"]);
  });

  it.each([
    ["a response without records", [], "unverified"],
    ["a response with an empty text", [textRecord("")], "unverified"],
    ["a diagnostic of the range", [diagnostic("SF", "Request out of range")], "verified"],
  ])("returns an empty document for %s", async (_name, records, completeness) => {
    await using server = await startServer([searchResponse(...records)]);
    expect(await body(await access(server, document))).toEqual(["", completeness]);
  });

  it.each([
    ["a closed connection", [], accessError("unavailable")],
    ["an empty body", [empty], accessError("unsupported")],
    [
      "a diagnostic",
      [searchResponse(diagnostic("SG", "bad disk"))],
      accessError("unavailable", /bad disk \[SG\]/),
    ],
    ["a response of another protocol", ["x".repeat(40)], accessError("protocol")],
  ])("rejects a document whose second chunk is %s", async (_name, messages, error) => {
    await using server = await startServer([searchResponse(textRecord("abcd")), ...messages], "close");
    const resource = await access(server, document, { chunkBytes });
    await expect(body(resource)).rejects.toEqual(error);
  });

  it("limits an endless document by maxBodyBytes", async () => {
    await using server = await startScriptedServer(async (peer) => {
      while (await readRequest(peer)) peer.send(searchResponse(textRecord("x".repeat(1000))));
    });
    const resource = await access(server, document, { chunkBytes: 1000, limits: { maxBodyBytes: 50_000 } });
    await expect(body(resource)).rejects.toMatchObject({ code: "limit", limit: "maxBodyBytes" });
  });
});

describe("the client decodes the fields of WAIS search responses", () => {
  const entryFor = async (...records: readonly Uint8Array[]) => {
    await using server = await startServer([searchResponse(...records)]);
    return (await directory(server, "d?w")).list[0];
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
    expect(await entryFor(header(...fields))).toMatchObject(entry);
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
    ["does not state the number of results", counted(0, 0, 0, header()), "verified"],
    ["states the same number of results", counted(1, 1, 0, header()), "verified"],
    ["states more results", counted(5, 1, 0, header()), "truncated"],
    ["states more records", counted(0, 2, 0, header()), "truncated"],
    ["counts a diagnostic as a record", counted(0, 2, 0, header(), diagnostic("S1", "x")), "verified"],
    ["states more results than 16 bits can count", counted(70_000, 1, 0, header()), "truncated"],
    ["reports a partial result", counted(0, 1, 2, header()), "truncated"],
    ["reports the status failure", counted(0, 1, 5, header()), "verified"],
    ["reports too many records", counted(0, 0, 0, header(), diagnostic("SD", "")), "truncated"],
    ["reports exhausted resources", counted(0, 0, 0, header(), diagnostic("T1", "")), "truncated"],
    ["reports an omitted record", counted(0, 0, 0, header(), diagnostic("SH", "")), "truncated"],
    ["sends maxDocuments documents", counted(0, 0, 0, header(), header()), "unverified"],
  ])("reports the completeness of a search whose server %s", async (_name, message, completeness) => {
    await using server = await startServer([message]);
    expect(await (await directory(server, "d?w", { maxDocuments: 2 })).completeness).toBe(completeness);
  });

  it("uses the headline of a link as its URL if the URL is valid", async () => {
    const link = (headline: string) =>
      header(encodeElements([[132, encodeElements([[133, "URL"]])]]), encodeElements([[123, headline]]));
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
      await using server = await startServer([
        searchResponse(...Array.from({ length: count }, () => header())),
      ]);
      const work = directory(server, "d?w", { limits: { maxListingEntries } });
      if (limit) await expect(work).rejects.toMatchObject({ code: "limit", limit });
      else expect((await work).list.length).toBe(count);
    },
  );
});

describe("the client fetches descriptions of WAIS databases", () => {
  const about = header(encodeElements([[132, encodeElements([[133, "WSRC"]])]]));

  it.each([
    ["sends a diagnostic for its description", searchResponse(diagnostic("SF", "Missing DocID in request"))],
    ["sends an empty response for its description", empty],
    ["sends another text for its description", searchResponse(textRecord("no source"))],
  ])("returns no description for a database that %s", async (_name, message) => {
    await using server = await startServer([searchResponse(about), message]);
    const { list, source } = await directory(server, "d");
    expect([list.length, source]).toEqual([1, undefined]);
  });

  it.each([
    ["another text", "no source", "the text is not a source description"],
    ["incomplete", '(:source :description "half', "a quotation mark is not closed"],
  ])("traces the fault of a database description that is %s", async (_name, text, fault) => {
    await using server = await startServer([searchResponse(about), searchResponse(textRecord(text))]);
    const events: string[] = [];
    await directory(server, "d", { trace: (event) => void events.push(event.text) });
    expect(events).toContain(`the description is incomplete: ${fault}`);
  });

  it("rejects a database whose server closes the connection instead of a description", async () => {
    await using server = await startServer([searchResponse(about)], "close");
    await expect(access(server, "d")).rejects.toEqual(accessError("unavailable"));
  });

  it("limits an endless database description by maxListingBytes", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequest(peer);
      peer.send(searchResponse(about));
      while (await readRequest(peer)) peer.send(searchResponse(textRecord("x".repeat(10_000))));
    });
    const work = access(server, "d", { limits: { maxListingBytes: 50_000 } });
    await expect(work).rejects.toMatchObject({ code: "limit", limit: "maxListingBytes" });
  });

  const missing = "The following database is not available: db/d";
  it.each([
    ["finds nothing", searchResponse(), "not-found", /no description.*or no such database/],
    [
      "reports that the database is not available",
      searchResponse(diagnostic("S1", missing)),
      "not-found",
      /not available: db\/d/,
    ],
    ["is refused", searchResponse(diagnostic("T2", "not for you")), "permission-denied", /not for you/],
  ])(
    "rejects a database without a description if the search for a probe word %s",
    async (_name, message, code, words) => {
      for (const path of ["d", "d?"]) {
        await using server = await startServer([searchResponse(), message]);
        await expect(access(server, path)).rejects.toEqual(accessError(code, words));
      }
    },
  );

  it("returns an empty directory if a search without words finds nothing and the probe finds a document", async () => {
    for (const path of ["d", "d?"]) {
      await using server = await startServer([searchResponse(), searchResponse(header())]);
      const found = await directory(server, path);
      expect(found).toMatchObject({ list: [], source: undefined });
      expect(await found.completeness).toBe("verified");
    }
  });
});
