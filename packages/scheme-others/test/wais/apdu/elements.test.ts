import { describe, expect, it } from "vitest";
import {
  type ApduElement,
  encodeCompressedInteger,
  encodeApduElements,
  readApduElements,
} from "../../../src/wais/apdu/elements.ts";

const decodeHex = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(" ", ""), "hex");
const encodeHex = (bytes: Uint8Array | readonly number[]): string => Buffer.from(bytes).toString("hex");
const readElementsOfHex = (hex: string): ApduElement[] => [...readApduElements(decodeHex(hex))];

describe("the client encodes and decodes compressed integers of WAIS", () => {
  it.each([
    [0, "00"],
    [127, "7f"],
    [128, "8100"],
    [131, "8103"],
    [228, "8164"],
    [258, "8202"],
    [16_383, "ff7f"],
    [16_384, "818000"],
    [2 ** 28 - 1, "ffffff7f"],
  ])("the client encodes the compressed integer %i as the bytes %s, and decodes them", (value, encoded) => {
    expect(encodeHex(encodeCompressedInteger(value))).toBe(encoded);
    expect(readElementsOfHex(`${encoded}00`)[0]?.tag).toBe(value);
  });

  it.each([-1, 2 ** 28, NaN])(
    "the client rejects %d, which is out of the range of compressed integers",
    (value) => {
      expect(() => encodeCompressedInteger(value)).toThrow(RangeError);
    },
  );

  it.each([
    ["padding bytes", "80 80 80 80 80 7f", 127],
    ["the largest tag", "ff ff ff 7f", 2 ** 28 - 1],
  ])("the client decodes a compressed integer with %s", (_name, encoded, value) => {
    expect(readElementsOfHex(`${encoded}00`)[0]?.tag).toBe(value);
  });

  it.each([
    ["a compressed integer without its last byte", "81 82", /is incomplete at byte 0/],
    ["a compressed integer with a significant fifth byte", "81 80 80 80 00", /more than 28 bits at byte 0/],
    ["five bytes of ones", "ff ff ff ff 7f", /more than 28 bits/],
  ])("the client rejects a malformed compressed integer: %s", (_name, encoded, message) => {
    expect(() => readElementsOfHex(encoded)).toThrow(
      expect.objectContaining({ code: "protocol", message: expect.stringMatching(message) as string }),
    );
  });
});

describe("the client encodes and decodes elements of an APDU", () => {
  it("the client encodes an element as tag, length and content", () => {
    expect(encodeHex(encodeApduElements([[106, "apple"]]))).toBe("6a056170706c65");
    expect(encodeHex(encodeApduElements([[116, new Uint8Array(129)]]))).toBe(`748101${"00".repeat(129)}`);
    expect(encodeHex(encodeApduElements([[133, "TEXT"]]))).toBe("81050454455854");
  });

  it("the client encodes several elements in order, and omits elements whose content is undefined", () => {
    const encoded = encodeApduElements([
      [1, "a"],
      [2, undefined],
      [3, ""],
      [4, 0],
    ]);
    expect(encodeHex(encoded)).toBe("0101610300040100");
  });

  it.each([
    [0, "00"],
    [40, "28"],
    [200, "c8"],
    [534, "0216"],
    [100_000, "0186a0"],
    [2 ** 31, "80000000"],
    [2 ** 32 - 1, "ffffffff"],
  ])("the client encodes the number %i in the bytes %s, and decodes them", (value, content) => {
    const encoded = encodeHex(encodeApduElements([[118, value]]));
    expect(encoded).toBe(`76${encodeHex([content.length / 2])}${content}`);
    expect(readElementsOfHex(encoded).map(({ tag, number }) => [tag, number])).toEqual([[118, value]]);
  });

  it("the client decodes elements in order, and elements within an element", () => {
    const [first, group, last, ...others] = readElementsOfHex("75 01 00 81 16 07 76 01 1a 7b 02 68 69 02 00");
    expect([first?.tag, group?.tag, last?.tag, others.length]).toEqual([117, 150, 2, 0]);
    expect(last?.bytes.length).toBe(0);
    const [score, headline, ...otherChildren] = group?.children() ?? [];
    expect([score?.tag, score?.number]).toEqual([118, 26]);
    expect([headline?.tag, headline?.latin1, otherChildren.length]).toEqual([123, "hi", 0]);
  });

  it.each([
    ["a length that exceeds the remaining bytes", "7b 05 68 69", /beyond the end of its container/],
    ["a length of 268435455", "7b ff ff ff 7f 00", /beyond the end of its container/],
    ["no length", "7b", /a tag or length is incomplete/],
    ["an incomplete length", "7b 81", /a tag or length is incomplete/],
  ])("the client rejects an element with %s", (_name, encoded, message) => {
    expect(() => readElementsOfHex(encoded)).toThrow(
      expect.objectContaining({ code: "protocol", message: expect.stringMatching(message) as string }),
    );
  });

  it("the client rejects an element that is longer than the element around it", () => {
    const [outer] = readApduElements(decodeHex("81 16 03 7b 02 68 69"));
    expect(() => [...(outer?.children() ?? [])]).toThrow(/beyond the end of its container at byte 5/);
  });

  it.each(["76 00", "76 05 01 02 03 04 05"])(
    "the client throws protocol when it reads the element %s as a number",
    (encoded) => {
      const [element] = readElementsOfHex(encoded);
      expect(() => element?.number).toThrow(expect.objectContaining({ code: "protocol" }));
    },
  );
});

describe("the client decodes diagnostic records of an APDU", () => {
  it("the client decodes a diagnostic record, whose length has two bytes and excludes the terminator", () => {
    const [record, next, ...others] = readElementsOfHex("1c 00 04 53 46 21 01 1d 02 00");
    expect([record?.tag, encodeHex(record?.bytes ?? []), next?.tag, others.length]).toEqual([
      28,
      "53462101",
      2,
      0,
    ]);
  });

  it.each([
    ["half a length", "1c 00"],
    ["a length that exceeds the remaining bytes", "1c 00 09 53 46 01 1d"],
    ["the largest length", "1c ff ff 53 46 01 1d"],
    ["no terminator", "1c 00 03 53 46 01"],
    ["another terminator", "1c 00 03 53 46 01 1e"],
  ])("the client rejects a diagnostic record with %s", (_name, encoded) => {
    expect(() => readElementsOfHex(encoded)).toThrow(expect.objectContaining({ code: "protocol" }));
  });
});
