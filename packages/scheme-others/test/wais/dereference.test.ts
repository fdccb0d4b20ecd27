import { type TestServer, startWaisTestServer } from "@anyscheme/servers";
import { startScriptedServer, startRecordingProxy } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { encodeWpath, type WaisUrl } from "../../src/wais/index.ts";
import { encodeApduElements } from "../../src/wais/apdu/elements.ts";
import { encodeWaisMessage } from "../../src/wais/apdu/wais-message.ts";
import { encodeRetrievalRequest } from "../../src/wais/apdu/search-request.ts";
import {
  dereferenceWaisPath,
  readBodyTextAndCompleteness,
  createWaisClient,
  dereferenceAndListWaisEntries,
  encodeTestDocumentId,
  matchErrorWithCode,
  formatWaisTestDocumentPath,
  readWaisRequestBytes,
  encodeSearchResponse,
  startWaisServerWithTexts,
  encodeTextRecord,
} from "./wais-server.ts";

const longText = Array.from({ length: 2000 }, (_, index) => `line ${index}\n`).join("");

describe("the client fetches documents from the WAIS test server", () => {
  it.each([
    ["a text shorter than the chunk size", "x".repeat(999)],
    ["a text whose length equals the chunk size", "x".repeat(1000)],
    ["a text one byte longer than the chunk size", "x".repeat(1001)],
    ["a text of several whole chunks", "x".repeat(3000)],
    ["a text of many chunks", longText],
    [
      "a text with every byte value",
      String.fromCharCode(...Array.from({ length: 256 }, (_, index) => index)).repeat(9),
    ],
  ])("the client fetches a whole document with a verified end: %s", async (_name, text) => {
    await using server = await startWaisServerWithTexts({ a: Buffer.from(text, "latin1") });
    const resource = await dereferenceWaisPath(server, formatWaisTestDocumentPath("a"), { chunkBytes: 1000 });
    expect(resource).toMatchObject({ kind: "content", size: undefined, mediaType: "text/plain" });
    expect(await readBodyTextAndCompleteness(resource)).toEqual([text, "verified"]);
    // The client requests chunks until a chunk is shorter than requested.
    expect(server.receivedLines.length).toBe(Math.floor(text.length / 1000) + 1);
  });

  it("the client fetches an empty document with a verified end", async () => {
    await using server = await startWaisServerWithTexts({ a: "" });
    expect(
      await readBodyTextAndCompleteness(await dereferenceWaisPath(server, formatWaisTestDocumentPath("a"))),
    ).toEqual(["", "verified"]);
  });

  it("the client fetches a document of known length in chunks with the bytes of the plan", async () => {
    await using server = await startWaisServerWithTexts({ a: longText });
    await using tap = await startRecordingProxy(server.port);
    const id = encodeTestDocumentId("here:210", "d", "a");
    const wpath = encodeWpath({ id, length: longText.length }) ?? "";
    const resource = await dereferenceWaisPath(tap, `d/TEXT/${wpath}`, { chunkBytes: 8000 });
    expect(resource.kind === "content" && resource.size).toBe(longText.length);
    expect(await readBodyTextAndCompleteness(resource)).toEqual([longText, "verified"]);
    const type = Buffer.from("TEXT");
    // The last chunk extends one byte further, to detect a longer document.
    const chunks = [0, 8000, 16_000].map((start) => ({
      start,
      endExclusive: Math.min(start + 8000, longText.length + 1),
    }));
    const requests = chunks.map((chunk) =>
      encodeWaisMessage(encodeRetrievalRequest({ database: Buffer.from("d"), documentId: id, type }, chunk)),
    );
    expect(tap.connections[0]?.received).toEqual(Buffer.concat(requests));
    expect(resource.plan.steps.find(({ action }) => action === "send")?.bytes).toEqual(requests[0]);
  });

  it.each([
    ["longer", 900, matchErrorWithCode("incomplete", /ended after 800 of 900 bytes/)],
    ["much longer", 9_000_000_000, matchErrorWithCode("incomplete", /ended after 800 of 9000000000 bytes/)],
    ["shorter", 700, matchErrorWithCode("incomplete", /longer than the 700 bytes/)],
    ["one byte shorter", 799, matchErrorWithCode("incomplete", /longer than the 799 bytes/)],
    ["one byte longer", 801, matchErrorWithCode("incomplete", /ended after 800 of 801 bytes/)],
  ])(
    "the client rejects a document as incomplete if the length in the URL is %s",
    async (_name, length, error) => {
      await using server = await startWaisServerWithTexts({ a: "x".repeat(800) });
      const wpath = encodeWpath({ id: encodeTestDocumentId("here:210", "d", "a"), length }) ?? "";
      await expect(dereferenceWaisPath(server, `d/TEXT/${wpath}`, { chunkBytes: 10_000 })).rejects.toEqual(
        error,
      );
      for (const chunkBytes of [500, 700, 799, 800]) {
        const inChunks = dereferenceWaisPath(server, `d/TEXT/${wpath}`, { chunkBytes }).then(
          readBodyTextAndCompleteness,
        );
        await expect(inChunks).rejects.toEqual(error);
      }
    },
  );

  it.each([1, 399, 400, 799, 800, 801, undefined])(
    "the client fetches a whole document with the option chunkBytes = %s",
    async (chunkBytes) => {
      await using server = await startWaisServerWithTexts({ a: "x".repeat(800) });
      const id = encodeTestDocumentId("here:210", "d", "a");
      for (const length of [800, undefined]) {
        const wpath = encodeWpath({ id, length }) ?? "";
        const resource = await dereferenceWaisPath(server, `d/TEXT/${wpath}`, { chunkBytes });
        expect(resource).toMatchObject({ size: length });
        expect(await readBodyTextAndCompleteness(resource)).toEqual(["x".repeat(800), "verified"]);
      }
    },
  );

  it("the client fetches a document of 420 000 bytes in six chunks of the default size", async () => {
    const text = longText.repeat(24).slice(0, 420_000);
    await using server = await startWaisServerWithTexts({ a: text });
    const id = encodeTestDocumentId("here:210", "d", "a");
    for (const length of [420_000, undefined]) {
      const asked = server.receivedLines.length;
      const wpath = encodeWpath({ id, length }) ?? "";
      expect(await readBodyTextAndCompleteness(await dereferenceWaisPath(server, `d/TEXT/${wpath}`))).toEqual(
        [text, "verified"],
      );
      expect(server.receivedLines.length - asked).toBe(6);
    }
  });

  it("the client fetches chunks of 10 000 bytes from a server that cannot send larger chunks", async () => {
    const received: Buffer[] = [];
    const parts = ["x".repeat(10_000), "x".repeat(10_000), "end"];
    await using server = await startScriptedServer(async (peer) => {
      received.push((await readWaisRequestBytes(peer)) ?? Buffer.alloc(0));
      peer.send("0000000000z2wais        0");
      for (const part of parts) {
        received.push((await readWaisRequestBytes(peer)) ?? Buffer.alloc(0));
        peer.send(encodeSearchResponse(encodeTextRecord(part)));
      }
      await peer.closed;
    });
    const resource = await dereferenceWaisPath(server, "d/TEXT/%03%01x");
    expect((await readBodyTextAndCompleteness(resource))[0]).toBe(parts.join(""));
    const document = {
      database: Buffer.from("d"),
      documentId: Buffer.from([3, 1, 0x78]),
      type: Buffer.from("TEXT"),
    };
    const ranges = [
      [0, 80_000],
      [0, 10_000],
      [10_000, 20_000],
      [20_000, 30_000],
    ];
    expect(received).toEqual(
      ranges.map(([start = 0, end = 0]) =>
        Buffer.from(encodeWaisMessage(encodeRetrievalRequest(document, { start, endExclusive: end }))),
      ),
    );
  });

  it("the client fetches chunks that fit into maxWaisApduBytes and the server's record size", async () => {
    await using server = await startWaisServerWithTexts({ a: longText });
    expect(
      await readBodyTextAndCompleteness(
        await dereferenceWaisPath(server, formatWaisTestDocumentPath("a"), {
          limits: { maxWaisApduBytes: 5_000 },
        }),
      ),
    ).toEqual([longText, "verified"]);
    expect(server.receivedLines.length).toBe(4);
    const most = encodeApduElements([[6, 32_768]]);
    const agreed = encodeWaisMessage(
      Buffer.concat([
        Buffer.of(0, 2 + most.length, 21, 1),
        most,
        encodeApduElements([[99, new Uint8Array(0)]]),
      ]),
    );
    const received: Buffer[] = [];
    await using small = await startScriptedServer(async (peer) => {
      for (const response of [agreed, encodeSearchResponse(encodeTextRecord("ab"))]) {
        received.push((await readWaisRequestBytes(peer)) ?? Buffer.alloc(0));
        peer.send(response);
      }
      await peer.closed;
    });
    expect(
      (
        await readBodyTextAndCompleteness(
          await dereferenceWaisPath(small, "d/TEXT/%03%01x", { sendInitRequest: true }),
        )
      )[0],
    ).toBe("ab");
    expect(received[1]?.toString("latin1")).toContain("32615");
  });

  it("the client fetches the next chunk of a document only when the caller reads it", async () => {
    await using server = await startWaisServerWithTexts({ a: longText });
    const resource = await dereferenceWaisPath(server, formatWaisTestDocumentPath("a"), { chunkBytes: 100 });
    if (resource.kind !== "content") throw new Error("no content");
    const reader = resource.body.getReader({ mode: "byob" });
    await reader.read(new Uint8Array(100));
    await reader.read(new Uint8Array(100));
    expect(server.receivedLines.length).toBe(2);
    await reader.cancel();
  });

  it("the client fetches a directory entry as each of its document types", async () => {
    const contents = { TEXT: "a description", GIF: Buffer.from("GIF89a\0\xff", "latin1") };
    const documents = [{ headline: "A plate", localId: "0 0 /plate", contents }];
    await using server = await startWaisTestServer({ databases: [{ name: "plates", documents }] });
    const { list } = await dereferenceAndListWaisEntries(server, "plates?description");
    const client = createWaisClient(server.port);
    const found = await Promise.all(
      (list[0]?.types ?? []).map(async (type) => {
        const resource = await client.dereference(list[0]?.urlForType(type) as WaisUrl);
        return resource.kind === "content" ? [resource.mediaType, await resource.text()] : [];
      }),
    );
    expect(found).toEqual([
      ["text/plain", "a description"],
      ["image/gif", "GIF89a\0\ufffd"],
    ]);
  });
});

describe("the client searches databases of the WAIS test server", () => {
  async function library(): Promise<TestServer> {
    const document = (name: string, text: string) => ({
      headline: name,
      localId: `0 0 /${name}`,
      contents: { TEXT: text },
    });
    const documents = [
      document("one", "an apple"),
      document("two", "an apple and an apple"),
      document("three", "a pear"),
    ];
    return startWaisTestServer({
      databases: [
        { name: "fruit", documents },
        { name: "bare", documents: [], catalogue: null },
      ],
    });
  }

  it("the client lists the documents of a search by descending score", async () => {
    await using server = await library();
    const { list } = await dereferenceAndListWaisEntries(server, "fruit?apple");
    expect(list.map(({ name, score, size }) => [name, score, size])).toEqual([
      ["two", 200, 21],
      ["one", 100, 8],
    ]);
    expect(server.receivedLines).toEqual(["search fruit for apple"]);
  });

  it("the client lists at most maxDocuments documents", async () => {
    await using server = await library();
    expect(
      (await dereferenceAndListWaisEntries(server, "fruit?apple", { maxDocuments: 1 })).list.length,
    ).toBe(1);
  });

  it.each([
    [200, 300, 200, "unverified"],
    [201, 300, 200, "unverified"],
    [199, 300, 199, "verified"],
    // The server truncates a list that is too long for its response, and does not report the truncation.
    [1000, 2000, undefined, "unverified"],
  ])(
    "the client lists a search with %i hits (maxDocuments is %i for 1000 hits, and otherwise 200): %s entries, %s",
    async (count, maxDocuments, given, completeness) => {
      const documents = Array.from({ length: count }, (_, index) => ({
        headline: `apple ${index}`,
        localId: `0 0 /${index}`,
        contents: { TEXT: "an apple" },
      }));
      await using server = await startWaisTestServer({ databases: [{ name: "d", documents }] });
      const options = count === 1000 ? { maxDocuments } : {};
      const found = await dereferenceAndListWaisEntries(server, "d?apple", options);
      if (given === undefined) expect(found.list.length).toBeLessThan(count);
      else expect(found.list.length).toBe(given);
      expect(await found.completeness).toBe(completeness);
    },
  );

  it("the client reports a search without hits as verified, even if maxDocuments is 1", async () => {
    await using server = await library();
    const found = await dereferenceAndListWaisEntries(server, "fruit?banana", { maxDocuments: 1 });
    expect([found.list, await found.completeness]).toEqual([[], "verified"]);
  });

  it("the client follows URLs from a database to a search and to a document", async () => {
    await using server = await library();
    const client = createWaisClient(server.port);
    const database = await dereferenceAndListWaisEntries(server, "fruit");
    expect(database.source?.description).toBe("3 documents");
    const found = await client.dereference(database.buildSearchUrl("pear"));
    if (found.kind !== "directory") throw new Error("no directory");
    for await (const entry of found) {
      const document = await client.dereference(entry.url as WaisUrl);
      expect(document.kind === "content" && (await document.text())).toBe("a pear");
    }
  });

  it.each([
    ["plus", "a+b c", "a+b%20c"],
    ["blank", "a+b c", "a%2Bb%20c"],
  ] as const)(
    "the client writes the same search words into a URL when a plus means a %s",
    async (plus, words, written) => {
      await using server = await library();
      const { buildSearchUrl: search } = await dereferenceAndListWaisEntries(server, "fruit", {
        plusMeaning: plus,
      });
      const url = search(words);
      expect(url.search).toBe(written);
      await dereferenceAndListWaisEntries(server, `fruit?${url.search}`, { plusMeaning: plus });
      expect(server.receivedLines.at(-1)).toBe(`search fruit for ${words}`);
      expect(search(Uint8Array.of(0xe9, 0x0a)).search).toBe("%E9%0A");
    },
  );

  it("the client rejects a missing database with not-found, with and without search words", async () => {
    await using server = await library();
    for (const path of ["none", "none?", "none?apple"]) {
      await expect(dereferenceWaisPath(server, path)).rejects.toEqual(
        matchErrorWithCode("not-found", /not available: db\/none/),
      );
    }
    const probed = ["search none for ", "search none for wais"];
    expect(server.receivedLines).toEqual([...probed, ...probed, "search none for apple"]);
  });

  it("the client lists the documents about a database for an empty search, without fetching them", async () => {
    await using server = await library();
    const { list, source } = await dereferenceAndListWaisEntries(server, "fruit?");
    expect([list.map(({ kind }) => kind), source]).toEqual([["source", "text"], undefined]);
    expect(server.receivedLines).toEqual(["search fruit for "]);
  });

  it("the client returns an empty directory for a search without hits", async () => {
    await using server = await library();
    expect(await dereferenceAndListWaisEntries(server, "bare?apple")).toMatchObject({
      list: [],
      catalogue: undefined,
      diagnostics: [],
    });
  });

  it("the client closes the connection after a search, even if the entries are not read", async () => {
    await using server = await library();
    await using tap = await startRecordingProxy(server.port);
    await dereferenceWaisPath(tap, "fruit?apple");
    await tap.connections[0]?.closed;
  });
});
