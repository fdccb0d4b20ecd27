import { AccessError, DEFAULT_CORE_LIMITS, type CoreLimits } from "@anyscheme/core";
import { mergeLimits, type ByteSource } from "@anyscheme/core/plugin";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ProsperoContentsDecoder,
  decodeProsperoContents,
} from "../../../src/prospero/object/prospero-contents-decoder.ts";
import { quoteToken } from "../../../src/prospero/protocol/logical-lines.ts";
import { readCapturedReplyDatagrams, readCapturedReplyText } from "../read-capture.ts";

const CONTENTS_ATTRIBUTE_START = "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA ";

function decodeContents(pieces: readonly Uint8Array[], limits: Partial<CoreLimits> = {}): string {
  const decoder = new ProsperoContentsDecoder(mergeLimits(limits, DEFAULT_CORE_LIMITS));
  const bytes = pieces.flatMap((piece) => [...decoder.push(piece)]);
  decoder.end();
  return Buffer.concat(bytes).toString("latin1");
}

const toOneChunk = (text: string): Uint8Array[] => [Buffer.from(text, "latin1")];
const toOneByteChunks = (text: string): Uint8Array[] =>
  [...Buffer.from(text, "latin1")].map((byte) => Uint8Array.of(byte));

describe("the client decodes CONTENTS attributes of a Prospero reply", () => {
  it.each([
    ["13-goi-contents", "Hello Prospero\n"],
    ["14-goi-contents-binary", "line one\nit's quoted\n\0binary\r\nend"],
    ["48-contents-empty-file", ""],
  ])("the client decodes the contents of the capture %s, split at every byte", (name, contents) => {
    const text = readCapturedReplyText(name);
    for (let at = 0; at <= text.length; at++) {
      expect(decodeContents([...toOneChunk(text.slice(0, at)), ...toOneChunk(text.slice(at))])).toBe(
        contents,
      );
    }
    expect(decodeContents(toOneByteChunks(text))).toBe(contents);
  });

  it("the client decodes contents of 81 000 bytes from captured packets", () => {
    const contents = decodeContents(
      readCapturedReplyDatagrams("44-contents-81000").map((bytes) => bytes.subarray(bytes[0])),
    );
    expect(contents).toHaveLength(81_000);
    expect(contents.split("\n")[2961]).toMatch(/^row 02961 of a larger file$/);
  });

  it.each([
    [
      "several lines with contents",
      `${CONTENTS_ATTRIBUTE_START}one\n${CONTENTS_ATTRIBUTE_START}' two'\n`,
      "one two",
    ],
    [
      "lines with a tag",
      "ATTRIBUTE OBJECT INTRINSIC CONTENTS TAGGED a' b' one\nATTRIBUTE OBJECT INTRINSIC CONTENTS TAGGED 'c''d' two\n",
      "onetwo",
    ],
    [
      "remarks before and after the contents",
      `WARNING MESSAGE x\n${CONTENTS_ATTRIBUTE_START}one\nWARNING MESSAGE y\n`,
      "one",
    ],
    ["contents whose last line has no line end", `${CONTENTS_ATTRIBUTE_START}one' more'`, "one more"],
    ["an unquoted value without a line end", `${CONTENTS_ATTRIBUTE_START}one`, "one"],
    [
      "many blanks between the tokens",
      `ATTRIBUTE  OBJECT\tINTRINSIC CONTENTS  SEQUENCE DATA   'one' \n`,
      "one",
    ],
    [
      "words before the contents",
      "ATTRIBUTE CONTENTS SEQUENCE DATA x\n ATTRIBUTE OBJECT INTRINSIC CONTENTS DATA one",
      "one",
    ],
    [
      "a quoted remark with the words that precede contents",
      `WARNING 'ATTRIBUTE OBJECT INTRINSIC CONTENTS DATA x'\n${CONTENTS_ATTRIBUTE_START}one\n`,
      "one",
    ],
    ["blanks after the value", `${CONTENTS_ATTRIBUTE_START}one \t\r\n`, "one"],
    [
      "a quoted line end in a remark before the contents",
      `WARNING MESSAGE 'a\nFAILURE NOT-FOUND\n'\n${CONTENTS_ATTRIBUTE_START}one\n`,
      "one",
    ],
    [
      "a remark with an apostrophe after the contents",
      `${CONTENTS_ATTRIBUTE_START}one\nWARNING MESSAGE don't\n`,
      "one",
    ],
    ["an attribute CONTENTS whose DATA is empty", `${CONTENTS_ATTRIBUTE_START}\n`, ""],
    ["a value of quoted and unquoted parts", `${CONTENTS_ATTRIBUTE_START}'a'b'c'\n`, "abc"],
  ])("the client decodes a contents reply: %s", (_, text, contents) => {
    expect(decodeContents(toOneChunk(text))).toBe(contents);
    expect(decodeContents(toOneByteChunks(text))).toBe(contents);
  });

  it.each([
    ["a failure", "FAILURE NOT-FOUND\n", "not-found"],
    ["a FAILURE line without a line end", "VERSION-NOT-SUPPORTED TRY 1-5", "unsupported"],
    [
      "a FAILURE line after the contents",
      `${CONTENTS_ATTRIBUTE_START}one\nFAILURE SERVER-FAILED\n`,
      "unavailable",
    ],
    ["a reply without the attribute CONTENTS", "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 12\n", "protocol"],
    ["an empty reply", "", "protocol"],
    ["a reply that ends within the quoted value", `${CONTENTS_ATTRIBUTE_START}'one`, "incomplete"],
    [
      "a reply with an unclosed quotation before the contents",
      `WARNING MESSAGE don't\n${CONTENTS_ATTRIBUTE_START}one\n`,
      "protocol",
    ],
    [
      "a reply with an unclosed quotation after the contents",
      `${CONTENTS_ATTRIBUTE_START}one\nWARNING MESSAGE don't\n${CONTENTS_ATTRIBUTE_START}two\n`,
      "protocol",
    ],
    ["a CONTENTS attribute with a second value", `${CONTENTS_ATTRIBUTE_START}one two\n`, "protocol"],
    ["a CONTENTS attribute with a second quoted value", `${CONTENTS_ATTRIBUTE_START}'one' 'two'`, "protocol"],
    [
      "contents in an unknown form",
      `${CONTENTS_ATTRIBUTE_START}one\nATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE ZIPPED two\n`,
      "protocol",
    ],
    ["contents without a form", "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE\n", "protocol"],
  ])("the client rejects a contents reply: %s", (_, text, code) => {
    for (const pieces of [toOneChunk(text), toOneByteChunks(text)]) {
      expect(() => decodeContents(pieces)).toThrow(expect.objectContaining({ code }) as AccessError);
    }
  });

  it("the client limits the length of a line before the contents", () => {
    const text = `WARNING ${"x".repeat(100)}\n${CONTENTS_ATTRIBUTE_START}one\n`;
    expect(decodeContents(toOneChunk(text), { maxListingLineBytes: 108 })).toBe("one");
    expect(() => decodeContents(toOneChunk(text), { maxListingLineBytes: 107 })).toThrow(
      expect.objectContaining({ limit: "maxListingLineBytes" }) as AccessError,
    );
  });

  it.each([
    ["lines without contents", "WARNING MESSAGE x\n".repeat(20), 360],
    ["empty lines", "\n".repeat(400), 400],
    ["a line with contents", `${CONTENTS_ATTRIBUTE_START}one\n`, CONTENTS_ATTRIBUTE_START.length],
    ["blanks before a value", `${CONTENTS_ATTRIBUTE_START}${" ".repeat(400)}`, 450],
    ["blanks after a value", `${CONTENTS_ATTRIBUTE_START}''${" ".repeat(400)}`, 450],
  ])("the client limits the bytes outside the values with maxListingBytes: %s", (_, text, count) => {
    const decode = (maxListingBytes: number): string =>
      decodeContents(toOneChunk(`${text}\n${CONTENTS_ATTRIBUTE_START}'${"x".repeat(1_000)}'\n`), {
        maxListingBytes,
      });
    const total = count + CONTENTS_ATTRIBUTE_START.length + (text.endsWith("\n") ? 1 : 0);
    expect(decode(total)).toContain("x".repeat(1_000));
    expect(() => decode(total - 1)).toThrow(
      expect.objectContaining({ code: "limit", limit: "maxListingBytes" }) as AccessError,
    );
  });

  it("the client decodes any quoted contents in chunks of any size", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .array(fc.constantFrom(0x27, 0x0a, 0x20, 0x61), { maxLength: 60 })
        .map((each) => Uint8Array.from(each)),
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(400), { maxLength: 6 }), (contents, places) => {
        const latin1 = Buffer.from(contents).toString("latin1");
        const text = Buffer.from(`${CONTENTS_ATTRIBUTE_START}${quoteToken(latin1)}\n`, "latin1");
        const cuts = [0, ...places.filter((at) => at < text.length).toSorted((a, b) => a - b), text.length];
        const pieces = cuts.slice(1).map((end, index) => text.subarray(cuts[index], end));
        expect(decodeContents(pieces)).toBe(latin1);
      }),
    );
  });

  it("the client rejects contents replies of arbitrary bytes only with an AccessError", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom("'", "\n", " ", "x", "DATA", "FAILURE ", CONTENTS_ATTRIBUTE_START),
        }),
        (text) => {
          try {
            expect(decodeContents(toOneChunk(text)).length).toBeLessThanOrEqual(text.length);
          } catch (error) {
            expect(error).toBeInstanceOf(AccessError);
          }
        },
      ),
    );
  });
});

describe("a byte source reads Prospero contents", () => {
  function reply(pieces: readonly string[]): ByteSource & { cancelled: boolean } {
    const left = pieces.map((piece) => Buffer.from(piece, "latin1"));
    return {
      cancelled: false,
      readChunks(take) {
        for (let piece = left.shift(); piece; piece = left.shift())
          if (!take(piece)) return Promise.resolve("more");
        return Promise.resolve("end");
      },
      cancel() {
        this.cancelled = true;
      },
    };
  }

  async function read(source: ByteSource): Promise<string> {
    const pieces: Uint8Array[] = [];
    // Reads one chunk at a time, like a slow caller.
    while ((await source.readChunks((bytes) => pieces.push(new Uint8Array(bytes)) === 0)) === "more");
    return Buffer.concat(pieces).toString("latin1");
  }

  it("the client reads the decoded contents of the reply", async () => {
    const pieces = [CONTENTS_ATTRIBUTE_START, "on", "e'", " ''two", "'' ", "'\n"];
    expect(await read(await decodeProsperoContents(reply(pieces), DEFAULT_CORE_LIMITS))).toBe("one 'two' ");
  });

  it("decodeProsperoContents() throws if the reply is a failure or empty", async () => {
    await expect(
      decodeProsperoContents(reply(["FAIL", "URE NOT-FOUND\n"]), DEFAULT_CORE_LIMITS),
    ).rejects.toMatchObject({
      code: "not-found",
    });
    await expect(decodeProsperoContents(reply([]), DEFAULT_CORE_LIMITS)).rejects.toMatchObject({
      code: "protocol",
    });
  });

  it("the client cancels the reply when the caller cancels the contents", async () => {
    const origin = reply([CONTENTS_ATTRIBUTE_START, "one", "two\n"]);
    (await decodeProsperoContents(origin, DEFAULT_CORE_LIMITS)).cancel();
    expect(origin.cancelled).toBe(true);
  });
});
