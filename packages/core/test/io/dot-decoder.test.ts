import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeDotStuffedSource, DotDecoder } from "../../src/io/dot-decoder.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createPushbackSourceFromLatin1 } from "./create-pushback-source.ts";

/**
 * Decodes a data block that arrives in the given chunks. Returns the text of the block and the bytes after the block,
 * or `undefined` when the block has no end.
 */
function decodeDotStuffedChunks(pieces: readonly string[]): [text: string, rest: string] | undefined {
  const decoder = new DotDecoder();
  let text = "";
  for (const [index, piece] of pieces.entries()) {
    text += Buffer.from(decoder.push(Buffer.from(piece, "latin1"))).toString("latin1");
    if (decoder.blockEndOffset !== undefined)
      return [text, piece.slice(decoder.blockEndOffset) + pieces.slice(index + 1).join("")];
  }
  return undefined;
}

/** Returns the text in one piece, split in two at every index, and byte by byte. */
function createChunkings(text: string): string[][] {
  const halves = Array.from(text, (_, at) => [text.slice(0, at), text.slice(at)]);
  return [[text], ...halves, text.split("")];
}

// RFC 3977 §3.1.1
describe("DotDecoder decodes a dot-stuffed data block", () => {
  it.each([
    ["nothing", ".\r\n", ""],
    ["one line", "a\r\n.\r\n", "a\r\n"],
    ["an empty line", "\r\n.\r\n", "\r\n"],
    ["a line of one dot", "..\r\n.\r\n", ".\r\n"],
    ["lines that begin with dots", "..a\r\n...b\r\nc.d\r\n.\r\n", ".a\r\n..b\r\nc.d\r\n"],
    ["a line whose first dot is not doubled", ".a\r\n.\r\n", "a\r\n"],
    ["a dot and a lone CR", ".\ra\r\n.\r\n", "\ra\r\n"],
    ["dots behind a lone CR or LF, which end no line", "a\r.\r\nb\n.\r\nc\r\n.\r\n", "a\r.\r\nb\n.\r\nc\r\n"],
    ["a line that ends with CR CR LF", "a\r\r\n.\r\n", "a\r\r\n"],
    ["a dot with a bare LF", "a\r\n.\nb\r\n.\r\n", "a\r\n\nb\r\n"],
    ["a dot and CR CR LF", ".\r\r\n.\r\n", "\r\r\n"],
    ["bytes beyond US-ASCII", "\xff\0\r\n.\r\n", "\xff\0\r\n"],
  ])("DotDecoder decodes a block of %s", (_, bytes, text) => {
    for (const pieces of createChunkings(`${bytes}200 next\r\n`))
      expect(decodeDotStuffedChunks(pieces)).toEqual([text, "200 next\r\n"]);
  });

  it.each([
    "",
    "a",
    "a\r\n",
    "a\r\n.",
    "a\r\n.\r",
    "a\n.\n",
    "a\n.\r\n",
    "a\r\n.\n",
    "a\r\n..\r\n",
    "a\r.\r\n",
  ])("DotDecoder does not end the block at %j", (bytes) => {
    for (const pieces of createChunkings(bytes)) expect(decodeDotStuffedChunks(pieces)).toBeUndefined();
  });

  it("DotDecoder restores any encoded text, for every split into chunks", () => {
    const line = fc.stringMatching(/^[.\rab]{0,5}$/);
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(9), { minLength: 1 }), (lines, lengths) => {
        const text = lines.map((each) => `${each}\r\n`).join("");
        const bytes = `${lines.map((each) => `${each.startsWith(".") ? "." : ""}${each}\r\n`).join("")}.\r\n`;
        const pieces: string[] = [];
        for (let at = 0, next = 0; at < bytes.length; next++) {
          const length = (lengths[next % lengths.length] ?? 0) + 1;
          pieces.push(bytes.slice(at, at + length));
          at += length;
        }
        expect(decodeDotStuffedChunks(pieces)).toEqual([text, ""]);
      }),
    );
  });
});

describe("decodeDotStuffedSource reads the body of a data block", () => {
  it("decodeDotStuffedSource ends at the line with a single dot, and leaves the later bytes unread", async () => {
    const source = createPushbackSourceFromLatin1(["a\r\n.", ".b\r\n.\r\n205 bye\r\n"]);
    const body = decodeDotStuffedSource(source);
    let text = "";
    const take = (bytes: Uint8Array): boolean => (text += Buffer.from(bytes).toString("latin1")) !== "";
    expect(await body.readChunks(take)).toBe("end");
    expect(await body.readChunks(take)).toBe("end");
    expect(text).toBe("a\r\n.b\r\n");
    expect(source.getUnreadText()).toBe("205 bye\r\n");
  });

  it("decodeDotStuffedSource stops reading the block when the reader wants no more bytes", async () => {
    const body = decodeDotStuffedSource(createPushbackSourceFromLatin1(["a\r\n", "b\r\n.\r\n"]));
    const pieces: string[] = [];
    const one = (bytes: Uint8Array): boolean => pieces.push(Buffer.from(bytes).toString("latin1")) < 0;
    expect([await body.readChunks(one), pieces]).toEqual(["more", ["a\r\n"]]);
    expect([await body.readChunks(one), pieces]).toEqual(["more", ["a\r\n", "b\r\n"]]);
    expect([await body.readChunks(one), pieces]).toEqual(["end", ["a\r\n", "b\r\n"]]);
  });

  it("decodeDotStuffedSource fails when the connection ends before the final dot", async () => {
    const body = decodeDotStuffedSource(createPushbackSourceFromLatin1(["a\r\n."]));
    expect(await catchAccessError(body.readChunks(() => true))).toMatchObject({ code: "incomplete" });
  });
});
