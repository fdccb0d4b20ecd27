import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { encodeWaisMessage } from "../../src/wais/apdu/wais-message.ts";
import { readCapturedExchanges } from "./read-captures.ts";
import {
  dereferenceWaisPath,
  startScriptedWaisServer,
  readBodyTextAndCompleteness,
  encodeDiagnostic,
  matchErrorWithCode,
  readWaisRequestBytes,
  encodeSearchResponse,
  encodeTextRecord,
} from "./wais-server.ts";

const documentPathText = "d/TEXT/%03%01x";
const headerOfEmptyMessage = "0000000000z2wais        0";
const createHeaderWithLength = (digits: string): string => `${digits}z2wais        0`;

describe("the client rejects invalid responses of a WAIS server", () => {
  it.each([
    ["an empty body", headerOfEmptyMessage, "unsupported", /sent an empty response/],
    ["the bytes of another protocol", "SSH-2.0-OpenSSH_9.2\r\nand much more", "protocol", /no WAIS message/],
    [
      "a length field of 100 MB",
      createHeaderWithLength("0100000000"),
      "limit",
      /100000000 bytes.*maxWaisApduBytes is 4194304/,
    ],
    ["a length field of 10 GB", createHeaderWithLength("9999999999"), "limit", /maxWaisApduBytes/],
    ["a length of letters", createHeaderWithLength("00000000ff"), "protocol", /no WAIS message/],
    [
      "a head whose length exceeds the APDU",
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
    ["a tag whose last byte is missing", encodeSearchResponse(Uint8Array.of(0x81)), "protocol", /malformed/],
    [
      "nested elements whose lengths exceed the APDU",
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
  ])("the client rejects a WAIS response with %s", async (_name, message, code, words) => {
    for (const path of ["d?w", documentPathText]) {
      await using server = await startScriptedWaisServer([message]);
      await expect(dereferenceWaisPath(server, path, { chunkBytes: 10_000 })).rejects.toEqual(
        matchErrorWithCode(code, words),
      );
    }
  });

  it.each([
    ["an empty response", "", "unavailable"],
    ["half a header", "00000001", "incomplete"],
    ["a whole header", createHeaderWithLength("0000000010"), "incomplete"],
    ["half a body", `${createHeaderWithLength("0000000010")}abc`, "incomplete"],
  ])(
    "the client rejects %s (%j), after which the server closes the connection: the error code is %s",
    async (_name, bytes, code) => {
      await using server = await startScriptedWaisServer([bytes], "close");
      await expect(dereferenceWaisPath(server, documentPathText)).rejects.toEqual(matchErrorWithCode(code));
    },
  );

  it("the client rejects a response that is interrupted by a reset as incomplete", async () => {
    await using server = await startScriptedWaisServer([createHeaderWithLength("0000000010")], "reset");
    await expect(dereferenceWaisPath(server, documentPathText)).rejects.toEqual(
      matchErrorWithCode("incomplete"),
    );
  });

  it.each([
    ["no bytes", "", "firstByteTimeoutMs"],
    ["half a response", createHeaderWithLength("0000000010"), "idleTimeoutMs"],
  ])("the client times out if the server falls silent after %s", async (_name, bytes, limit) => {
    await using server = await startScriptedWaisServer([bytes]);
    // Only one of the two timeouts is short, so that the other timeout cannot expire first on a slow machine.
    await expect(
      dereferenceWaisPath(server, documentPathText, { limits: { [limit]: 40 } }),
    ).rejects.toMatchObject({
      code: "timeout",
      limit,
    });
  });

  it("the client reads a response that arrives one byte at a time", async () => {
    const [exchange] = readCapturedExchanges("31-lynx-document");
    await using server = await startScriptedServer(async (peer) => {
      await readWaisRequestBytes(peer);
      for (const byte of exchange?.response ?? []) {
        peer.send(Uint8Array.of(byte));
        await new Promise(setImmediate);
      }
      await peer.closed;
    });
    expect(
      (await readBodyTextAndCompleteness(await dereferenceWaisPath(server, "fruit/TEXT/%03%01x")))[0],
    ).toMatch(/^Apples and Orchards\n/);
  });
});

describe("the client reports faults in WAIS documents", () => {
  const chunkBytes = 4;
  it.each([
    [
      "a document with more bytes than requested",
      [encodeTextRecord("abcde")],
      "protocol",
      /5 bytes instead of 4/,
    ],
    [
      "a document that arrives in two text records",
      [encodeTextRecord("ab"), encodeTextRecord("cd")],
      "protocol",
      /several texts/,
    ],
    [
      "a document that the server refuses",
      [encodeDiagnostic("T2", "not for you")],
      "permission-denied",
      /not for you \[T2\]/,
    ],
    [
      "a document that exceeds the server's record size",
      [encodeDiagnostic("SJ", "")],
      "unsupported",
      /exceeds the maximum record size \[SJ\]/,
    ],
    [
      "a document that the server refuses with two diagnostics",
      [encodeDiagnostic("SF", "Request out of range"), encodeDiagnostic("S2", "busy")],
      "unavailable",
      /busy/,
    ],
  ])("the client rejects %s", async (_name, records, code, words) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(...records)]);
    await expect(dereferenceWaisPath(server, documentPathText, { chunkBytes })).rejects.toEqual(
      matchErrorWithCode(code, words),
    );
  });

  const told = (length: number): string => `d/TEXT/${length}/3=x;`;
  it.each([
    [
      "a document whose length equals the length in its URL, with a diagnostic,",
      2,
      [encodeTextRecord("ab"), encodeDiagnostic("SF", "Request out of range")],
      "verified",
    ],
    [
      "a document whose length equals the length in its URL, without a diagnostic,",
      2,
      [encodeTextRecord("ab")],
      "verified",
    ],
    [
      "an empty document with the length 0 in its URL",
      0,
      [encodeDiagnostic("SF", "Request out of range")],
      "verified",
    ],
  ])("the client reports %s as verified", async (_name, length, records, completeness) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(...records)]);
    expect(
      (await readBodyTextAndCompleteness(await dereferenceWaisPath(server, told(length), { chunkBytes })))[1],
    ).toBe(completeness);
  });

  it.each([
    [
      "a document one byte longer than the length in its URL",
      2,
      [encodeTextRecord("abc")],
      /longer than the 2 bytes in its URL/,
    ],
    [
      "a document one byte shorter than the length in its URL",
      3,
      [encodeTextRecord("ab")],
      /ended after 2 of 3/,
    ],
    [
      "a document that is shorter than the length in its URL and ends with a full chunk",
      9,
      [encodeTextRecord("abcd"), encodeDiagnostic("SF", "Request out of range")],
      /ended after 4 of 9/,
    ],
    [
      "a document with no bytes and a length of 9 in its URL",
      9,
      [encodeDiagnostic("SF", "Request out of range")],
      /ended after 0 of 9/,
    ],
  ])("the client rejects %s as incomplete", async (_name, length, records, words) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(...records)]);
    const work = dereferenceWaisPath(server, told(length), { chunkBytes }).then(readBodyTextAndCompleteness);
    await expect(work).rejects.toEqual(matchErrorWithCode("incomplete", words));
  });

  it("the client returns the text of a response that also has a diagnostic", async () => {
    await using server = await startScriptedWaisServer([
      encodeSearchResponse(encodeTextRecord("ab"), encodeDiagnostic("S2", "later more")),
    ]);
    expect(
      await readBodyTextAndCompleteness(await dereferenceWaisPath(server, documentPathText, { chunkBytes })),
    ).toEqual(["ab", "unverified"]);
  });

  it.each([
    ["a response without records", [], "unverified"],
    ["a response with an empty text", [encodeTextRecord("")], "unverified"],
    [
      "a diagnostic that the requested range is outside the document",
      [encodeDiagnostic("SF", "Request out of range")],
      "verified",
    ],
  ])("the client returns an empty document for %s", async (_name, records, completeness) => {
    await using server = await startScriptedWaisServer([encodeSearchResponse(...records)]);
    expect(await readBodyTextAndCompleteness(await dereferenceWaisPath(server, documentPathText))).toEqual([
      "",
      completeness,
    ]);
  });

  it.each([
    ["a closed connection", [], matchErrorWithCode("incomplete", /before the end of the document/)],
    ["an empty body", [headerOfEmptyMessage], matchErrorWithCode("unsupported")],
    [
      "a diagnostic",
      [encodeSearchResponse(encodeDiagnostic("SG", "bad disk"))],
      matchErrorWithCode("unavailable", /bad disk \[SG\]/),
    ],
    ["a response of another protocol", ["x".repeat(40)], matchErrorWithCode("protocol")],
  ])("the client rejects a document whose second chunk is %s", async (_name, messages, error) => {
    await using server = await startScriptedWaisServer(
      [encodeSearchResponse(encodeTextRecord("abcd")), ...messages],
      "close",
    );
    const resource = await dereferenceWaisPath(server, documentPathText, { chunkBytes });
    await expect(readBodyTextAndCompleteness(resource)).rejects.toEqual(error);
  });

  it("the client limits an endless document by maxBodyBytes", async () => {
    await using server = await startScriptedServer(async (peer) => {
      while (await readWaisRequestBytes(peer))
        peer.send(encodeSearchResponse(encodeTextRecord("x".repeat(1000))));
    });
    const resource = await dereferenceWaisPath(server, documentPathText, {
      chunkBytes: 1000,
      limits: { maxBodyBytes: 50_000 },
    });
    await expect(readBodyTextAndCompleteness(resource)).rejects.toMatchObject({
      code: "limit",
      limit: "maxBodyBytes",
    });
  });
});
