import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { encodeElements } from "../../src/wais/apdu/elements.ts";
import { encodeMessage } from "../../src/wais/apdu/message.ts";
import { exchanges } from "./captures.ts";
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

describe("an invalid response", () => {
  it.each([
    ["an empty body", empty, "unsupported", /sent an empty response/],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\nand much more", "protocol", /no WAIS message/],
    ["100 MB announced", announcing("0100000000"), "limit", /100000000 bytes.*maxWaisApduBytes is 4194304/],
    ["10 GB announced", announcing("9999999999"), "limit", /maxWaisApduBytes/],
    ["a length of letters", announcing("00000000ff"), "protocol", /no WAIS message/],
    ["a head behind its APDU", encodeMessage(Uint8Array.of(0xff, 0xff, 23)), "protocol", /malformed/],
    ["an init response", encodeMessage(Buffer.from("00021501", "hex")), "protocol", /type 21 instead of 23/],
    ["a tag past the end", searchResponse(Uint8Array.of(0x81)), "protocol", /malformed/],
    [
      "nested lengths past the end",
      searchResponse(Uint8Array.of(0x81, 0x16, 0x03, 0x74, 0x7f, 0x00)),
      "protocol",
      /malformed/,
    ],
    ["two answers at once", Buffer.concat([searchResponse(), searchResponse()]), "protocol", /bytes follow/],
  ])("%s", async (_name, message, code, words) => {
    for (const path of ["d?w", document]) {
      await using server = await startServer([message]);
      await expect(access(server, path, { chunkBytes: 10_000 })).rejects.toEqual(accessError(code, words));
    }
  });

  it.each([
    ["nothing", "", "unavailable"],
    ["half a header", "00000001", "incomplete"],
    ["a header", announcing("0000000010"), "incomplete"],
    ["half a body", `${announcing("0000000010")}abc`, "incomplete"],
  ])("%s and a close is %s: %s", async (_name, bytes, code) => {
    await using server = await startServer([bytes], "close");
    await expect(access(server, document)).rejects.toEqual(accessError(code));
  });

  it("a reset is incomplete", async () => {
    await using server = await startServer([announcing("0000000010")], "reset");
    await expect(access(server, document)).rejects.toEqual(accessError("incomplete"));
  });

  it.each([
    ["nothing", "", "firstByteTimeoutMs"],
    ["half an answer", announcing("0000000010"), "idleTimeoutMs"],
  ])("%s and silence is a timeout", async (_name, bytes, limit) => {
    await using server = await startServer([bytes]);
    // Only a single limit is short, so that the other limit cannot expire first on a slow machine.
    await expect(access(server, document, { limits: { [limit]: 40 } })).rejects.toMatchObject({
      code: "timeout",
      limit,
    });
  });

  it("a response may arrive in pieces of one byte", async () => {
    const [exchange] = exchanges("31-lynx-document");
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

describe("a document", () => {
  const chunkBytes = 4;
  it.each([
    ["with more bytes than were asked for", [textRecord("abcde")], "protocol", /5 bytes instead of 4/],
    ["in two texts", [textRecord("ab"), textRecord("cd")], "protocol", /several texts/],
    ["refused", [diagnostic("T2", "not for you")], "permission-denied", /not for you \[T2\]/],
    [
      "that the server cannot send",
      [diagnostic("SJ", "")],
      "unsupported",
      /exceeds the maximum record size \[SJ\]/,
    ],
    [
      "refused in two ways",
      [diagnostic("SF", "Request out of range"), diagnostic("S2", "busy")],
      "unavailable",
      /busy/,
    ],
  ])("%s", async (_name, records, code, words) => {
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
    ["as long, by a server that adds nothing", 2, [textRecord("ab")], "verified"],
    ["empty by a URL that states no length", 0, [diagnostic("SF", "Request out of range")], "verified"],
  ])("that is %s is verified", async (_name, length, records, completeness) => {
    await using server = await startServer([searchResponse(...records)]);
    expect((await body(await access(server, told(length), { chunkBytes })))[1]).toBe(completeness);
  });

  it.each([
    ["one byte longer", 2, [textRecord("abc")], /longer than the 2 bytes in its URL/],
    ["one byte shorter", 3, [textRecord("ab")], /ended after 2 of 3/],
    [
      "shorter, where a chunk is full",
      9,
      [textRecord("abcd"), diagnostic("SF", "Request out of range")],
      /ended after 4 of 9/,
    ],
    ["not there", 9, [diagnostic("SF", "Request out of range")], /ended after 0 of 9/],
  ])("that is %s than its URL states is incomplete", async (_name, length, records, words) => {
    await using server = await startServer([searchResponse(...records)]);
    const work = access(server, told(length), { chunkBytes }).then(body);
    await expect(work).rejects.toEqual(accessError("incomplete", words));
  });

  it("with text and a word beside it is given", async () => {
    await using server = await startServer([
      searchResponse(textRecord("ab"), diagnostic("S2", "later more")),
    ]);
    expect(await body(await access(server, document, { chunkBytes }))).toEqual(["ab", "unverified"]);
  });

  it.each([
    ["neither text nor a word", [], "unverified"],
    ["an empty text", [textRecord("")], "unverified"],
    ["a range that is too far", [diagnostic("SF", "Request out of range")], "verified"],
  ])("is empty by %s", async (_name, records, completeness) => {
    await using server = await startServer([searchResponse(...records)]);
    expect(await body(await access(server, document))).toEqual(["", completeness]);
  });

  it.each([
    ["a close", [], accessError("unavailable")],
    ["an empty body", [empty], accessError("unsupported")],
    [
      "a fault",
      [searchResponse(diagnostic("SG", "bad disk"))],
      accessError("unavailable", /bad disk \[SG\]/),
    ],
    ["another protocol", ["x".repeat(40)], accessError("protocol")],
  ])("that ends at its second chunk with %s fails", async (_name, messages, error) => {
    await using server = await startServer([searchResponse(textRecord("abcd")), ...messages], "close");
    const resource = await access(server, document, { chunkBytes });
    await expect(body(resource)).rejects.toEqual(error);
  });

  it("without an end is limited by its reader", async () => {
    await using server = await startScriptedServer(async (peer) => {
      while (await readRequest(peer)) peer.send(searchResponse(textRecord("x".repeat(1000))));
    });
    const resource = await access(server, document, { chunkBytes: 1000, limits: { maxBodyBytes: 50_000 } });
    await expect(body(resource)).rejects.toMatchObject({ code: "limit", limit: "maxBodyBytes" });
  });
});

describe("a search", () => {
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
    ["a day that its month has not", [encodeElements([[122, "940431"]])], { modified: undefined }],
    ["a day that there is not", [encodeElements([[122, "949999"]])], { modified: undefined }],
    ["month and day 0", [encodeElements([[122, "940000"]])], { modified: undefined }],
    ["a headline in Latin-1", [encodeElements([[123, Buffer.from("caf\xe9", "latin1")]])], { name: "café" }],
    ["a headline in UTF-8", [encodeElements([[123, Buffer.from("café")]])], { name: "café" }],
    [
      "an unknown type",
      [encodeElements([[132, encodeElements([[133, "__proto__"]])]])],
      { kind: "document" },
    ],
  ])("of a document with %s", async (_name, fields, entry) => {
    expect(await entryFor(header(...fields))).toMatchObject(entry);
  });

  /** Encodes a message with these numbers in the head of its SearchResponse. */
  const counted = (
    found: number,
    returned: number,
    presentStatus: number,
    ...records: Uint8Array[]
  ): Buffer => {
    const head = Buffer.from(`000e1700${hex(found)}${hex(returned)}0000001b010${presentStatus}`, "hex");
    return Buffer.from(encodeMessage(Buffer.concat([head, encodeElements([[99, Buffer.concat(records)]])])));
  };
  const hex = (number: number): string => number.toString(16).padStart(6, "0");

  it.each([
    ["says nothing of its number", counted(0, 0, 0, header()), "verified"],
    ["has found as many", counted(1, 1, 0, header()), "verified"],
    ["has found more", counted(5, 1, 0, header()), "truncated"],
    ["has sent more", counted(0, 2, 0, header()), "truncated"],
    ["counts a diagnostic", counted(0, 2, 0, header(), diagnostic("S1", "x")), "verified"],
    ["has found more than 16 bits can count", counted(70_000, 1, 0, header()), "truncated"],
    ["sends part of the results", counted(0, 1, 2, header()), "truncated"],
    ["calls it a failure", counted(0, 1, 5, header()), "verified"],
    ["has too many", counted(0, 0, 0, header(), diagnostic("SD", "")), "truncated"],
    ["has exhausted its resources", counted(0, 0, 0, header(), diagnostic("T1", "")), "truncated"],
    ["may not send a record", counted(0, 0, 0, header(), diagnostic("SH", "")), "truncated"],
    ["gives as many as were asked for", counted(0, 0, 0, header(), header()), "unverified"],
  ])("whose server %s has this completeness", async (_name, message, completeness) => {
    await using server = await startServer([message]);
    expect(await (await directory(server, "d?w", { maxDocuments: 2 })).completeness).toBe(completeness);
  });

  it("of a link has the URL in its headline, if it is valid", async () => {
    const link = (headline: string) =>
      header(encodeElements([[132, encodeElements([[133, "URL"]])]]), encodeElements([[123, headline]]));
    expect(await entryFor(link("gopher://h.example/0a "))).toMatchObject({
      kind: "link",
      url: { scheme: "gopher" },
    });
    expect((await entryFor(link("no URL at all")))?.url).toBeUndefined();
  });

  it("of a document without an id, or with a very long one, has no URL", async () => {
    expect((await entryFor(encodeElements([[150, encodeElements([[123, "x"]])]])))?.url).toBeUndefined();
    expect(
      (await entryFor(encodeElements([[150, encodeElements([[116, new Uint8Array(20_000)]])]])))?.url,
    ).toBeUndefined();
  });

  it("escapes any type or id of a server in the URL", async () => {
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
  ])("of %s documents", async (_name, count, maxListingEntries, limit) => {
    await using server = await startServer([
      searchResponse(...Array.from({ length: count }, () => header())),
    ]);
    const work = directory(server, "d?w", { limits: { maxListingEntries } });
    if (limit) await expect(work).rejects.toMatchObject({ code: "limit", limit });
    else expect((await work).list.length).toBe(count);
  });
});

describe("a database", () => {
  const about = header(encodeElements([[132, encodeElements([[133, "WSRC"]])]]));

  it.each([
    ["refuses its description", searchResponse(diagnostic("SF", "Missing DocID in request"))],
    ["cannot give it", empty],
    ["gives something else", searchResponse(textRecord("no source"))],
  ])("that %s has none", async (_name, message) => {
    await using server = await startServer([searchResponse(about), message]);
    const { list, source } = await directory(server, "d");
    expect([list.length, source]).toEqual([1, undefined]);
  });

  it.each([
    ["something else", "no source", "it is no source description"],
    ["half of one", '(:source :description "half', "a quotation mark is not closed"],
  ])("that sends %s for its description is in the trace", async (_name, text, fault) => {
    await using server = await startServer([searchResponse(about), searchResponse(textRecord(text))]);
    const events: string[] = [];
    await directory(server, "d", { trace: (event) => void events.push(event.text) });
    expect(events).toContain(`the description is incomplete: ${fault}`);
  });

  it("that closes the connection at its description fails", async () => {
    await using server = await startServer([searchResponse(about)], "close");
    await expect(access(server, "d")).rejects.toEqual(accessError("unavailable"));
  });

  it("with a description without an end is limited", async () => {
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
    ["finds nothing again", searchResponse(), "not-found", /no description.*or no such database/],
    [
      "is told that it is missing",
      searchResponse(diagnostic("S1", missing)),
      "not-found",
      /not available: db\/d/,
    ],
    ["is refused", searchResponse(diagnostic("T2", "not for you")), "permission-denied", /not for you/],
  ])(
    "that answers nothing is searched for a word, and where that %s it fails",
    async (_name, message, code, words) => {
      for (const path of ["d", "d?"]) {
        await using server = await startServer([searchResponse(), message]);
        await expect(access(server, path)).rejects.toEqual(accessError(code, words));
      }
    },
  );

  it("that sends nothing, and has a document, is an empty directory", async () => {
    for (const path of ["d", "d?"]) {
      await using server = await startServer([searchResponse(), searchResponse(header())]);
      const found = await directory(server, path);
      expect(found).toMatchObject({ list: [], source: undefined });
      expect(await found.completeness).toBe("verified");
    }
  });
});
