import { AccessError, DEFAULT_LIMITS } from "@anyscheme/core";
import { mergeLimits, type ByteSource } from "@anyscheme/core/plugin";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContentsDecoder, openContents } from "../../../src/prospero/object/contents.ts";
import { quote } from "../../../src/prospero/protocol/logical-lines.ts";
import { replyDatagrams, replyText } from "../capture.ts";

const HEAD = "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA ";

function decode(pieces: readonly Uint8Array[], limit = 8192): string {
  const decoder = new ContentsDecoder(mergeLimits({ maxListingLineBytes: limit }, DEFAULT_LIMITS));
  const bytes = pieces.flatMap((piece) => [...decoder.push(piece)]);
  decoder.end();
  return Buffer.concat(bytes).toString("latin1");
}

const whole = (text: string): Uint8Array[] => [Buffer.from(text, "latin1")];
const single = (text: string): Uint8Array[] =>
  [...Buffer.from(text, "latin1")].map((byte) => Uint8Array.of(byte));

describe("contents on the Prospero server", () => {
  it.each([
    ["13-goi-contents", "Hello Prospero\n"],
    ["14-goi-contents-binary", "line one\nit's quoted\n\0binary\r\nend"],
    ["48-contents-empty-file", ""],
  ])("%s, split at every byte", (name, contents) => {
    const text = replyText(name);
    for (let at = 0; at <= text.length; at++) {
      expect(decode([...whole(text.slice(0, at)), ...whole(text.slice(at))])).toBe(contents);
    }
    expect(decode(single(text))).toBe(contents);
  });

  it("44-contents-81000, in its packets", () => {
    const contents = decode(replyDatagrams("44-contents-81000").map((bytes) => bytes.subarray(bytes[0])));
    expect(contents).toHaveLength(81_000);
    expect(contents.split("\n")[2961]).toMatch(/^row 02961 of a larger file$/);
  });

  it.each([
    ["several lines are one object", `${HEAD}one\n${HEAD}' two'\n`, "one two"],
    [
      "pieces with a tag",
      "ATTRIBUTE OBJECT INTRINSIC CONTENTS TAGGED a' b' one\nATTRIBUTE OBJECT INTRINSIC CONTENTS TAGGED 'c''d' two\n",
      "onetwo",
    ],
    ["remarks before and behind", `WARNING MESSAGE x\n${HEAD}one\nWARNING MESSAGE y\n`, "one"],
    ["without the last line end", `${HEAD}one' more'`, "one more"],
    ["without a line end, unquoted", `${HEAD}one`, "one"],
    ["many blanks", `ATTRIBUTE  OBJECT\tINTRINSIC CONTENTS  SEQUENCE DATA   'one' \n`, "one"],
    ["blanks behind the value", `${HEAD}one \t\r\n`, "one"],
    ["a quoted line end in a remark before", `WARNING MESSAGE 'a\nFAILURE NOT-FOUND\n'\n${HEAD}one\n`, "one"],
    ["words that have an apostrophe behind them", `${HEAD}one\nWARNING MESSAGE don't\n`, "one"],
    ["nothing at all behind DATA", `${HEAD}\n`, ""],
    ["a run that ends and goes on", `${HEAD}'a'b'c'\n`, "abc"],
  ])("%s", (_, text, contents) => {
    expect(decode(whole(text))).toBe(contents);
    expect(decode(single(text))).toBe(contents);
  });

  it.each([
    ["a failure", "FAILURE NOT-FOUND\n", "not-found"],
    ["a refusal without a line end", "VERSION-NOT-SUPPORTED TRY 1-5", "unsupported"],
    ["a refusal behind the contents", `${HEAD}one\nFAILURE SERVER-FAILED\n`, "unavailable"],
    ["other attributes", "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 12\n", "protocol"],
    ["nothing", "", "protocol"],
    ["an end within a run", `${HEAD}'one`, "incomplete"],
    ["an end within a quotation before", `WARNING MESSAGE don't\n${HEAD}one\n`, "protocol"],
    ["an end within a quotation behind", `${HEAD}one\nWARNING MESSAGE don't\n${HEAD}two\n`, "protocol"],
    ["a second value", `${HEAD}one two\n`, "protocol"],
    ["a second value in quotes", `${HEAD}'one' 'two'`, "protocol"],
    [
      "a piece in another form",
      `${HEAD}one\nATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE ZIPPED two\n`,
      "protocol",
    ],
    ["a piece without a form", "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE\n", "protocol"],
  ])("%s is a failure", (_, text, code) => {
    for (const pieces of [whole(text), single(text)]) {
      expect(() => decode(pieces)).toThrow(expect.objectContaining({ code }) as AccessError);
    }
  });

  it("have lines before them that are not long", () => {
    const text = `WARNING ${"x".repeat(100)}\n${HEAD}one\n`;
    expect(decode(whole(text), 108)).toBe("one");
    expect(() => decode(whole(text), 107)).toThrow(
      expect.objectContaining({ limit: "maxListingLineBytes" }) as AccessError,
    );
  });

  it("are whatever was quoted, in whatever pieces", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .array(fc.constantFrom(0x27, 0x0a, 0x20, 0x61), { maxLength: 60 })
        .map((each) => Uint8Array.from(each)),
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(400), { maxLength: 6 }), (contents, places) => {
        const latin1 = Buffer.from(contents).toString("latin1");
        const text = Buffer.from(`${HEAD}${quote(latin1)}\n`, "latin1");
        const cuts = [0, ...places.filter((at) => at < text.length).toSorted((a, b) => a - b), text.length];
        const pieces = cuts.slice(1).map((end, index) => text.subarray(cuts[index], end));
        expect(decode(pieces)).toBe(latin1);
      }),
    );
  });

  it("of any other bytes fail only with an AccessError", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("'", "\n", " ", "x", "DATA", "FAILURE ", HEAD) }),
        (text) => {
          try {
            expect(decode(whole(text)).length).toBeLessThanOrEqual(text.length);
          } catch (error) {
            expect(error).toBeInstanceOf(AccessError);
          }
        },
      ),
    );
  });
});

describe("the source of the contents", () => {
  function reply(pieces: readonly string[]): ByteSource & { cancelled: boolean } {
    const left = pieces.map((piece) => Buffer.from(piece, "latin1"));
    return {
      cancelled: false,
      read(take) {
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
    // Reads one chunk at a time, like a slow reader.
    while ((await source.read((bytes) => pieces.push(new Uint8Array(bytes)) === 0)) === "more");
    return Buffer.concat(pieces).toString("latin1");
  }

  it("gives the bytes", async () => {
    const pieces = [HEAD, "on", "e'", " ''two", "'' ", "'\n"];
    expect(await read(await openContents(reply(pieces), DEFAULT_LIMITS))).toBe("one 'two' ");
  });

  it("comes after the refusal would", async () => {
    await expect(openContents(reply(["FAIL", "URE NOT-FOUND\n"]), DEFAULT_LIMITS)).rejects.toMatchObject({
      code: "not-found",
    });
    await expect(openContents(reply([]), DEFAULT_LIMITS)).rejects.toMatchObject({ code: "protocol" });
  });

  it("ends its reply on cancel", async () => {
    const origin = reply([HEAD, "one", "two\n"]);
    (await openContents(origin, DEFAULT_LIMITS)).cancel();
    expect(origin.cancelled).toBe(true);
  });
});
