import { describe, expect, it } from "vitest";
import {
  encodeCompressed,
  encodeElement,
  ElementReader,
  encodeNumberElement,
  encodeTextElement,
} from "../../../src/wais/apdu/elements.ts";

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(" ", ""), "hex");
const hex = (value: Uint8Array | readonly number[]): string => Buffer.from(value).toString("hex");

describe("compressed integers", () => {
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
  ])("%i is %s", (value, written) => {
    expect(hex(encodeCompressed(value))).toBe(written);
    expect(new ElementReader(bytes(`${written}00`)).nextTag()).toBe(value);
  });

  it.each([-1, 2 ** 28, NaN])("%d cannot be written", (value) => {
    expect(() => encodeCompressed(value)).toThrow(RangeError);
  });

  it.each([
    ["padding in front", "80 80 80 80 80 7f", 127],
    ["the longest tag", "ff ff ff 7f", 2 ** 28 - 1],
  ])("%s is read", (_name, written, value) => {
    expect(new ElementReader(bytes(written)).nextTag()).toBe(value);
  });

  it.each([
    ["no last byte", "81 82", /without its end at byte 0/],
    ["a fifth byte that counts", "81 80 80 80 00", /more than 28 bits at byte 0/],
    ["five bytes of ones", "ff ff ff ff 7f", /more than 28 bits/],
  ])("%s is an error", (_name, written, message) => {
    expect(() => new ElementReader(bytes(written)).nextTag()).toThrow(
      expect.objectContaining({ code: "protocol", message: expect.stringMatching(message) as string }),
    );
  });
});

describe("elements", () => {
  it("are tag, length, content", () => {
    expect(hex(encodeTextElement(106, "apple"))).toBe("6a056170706c65");
    expect(hex(encodeElement(116, new Uint8Array(129)))).toBe(`748101${"00".repeat(129)}`);
    expect(hex(encodeTextElement(133, "TEXT"))).toBe("81050454455854");
  });

  it.each([
    [0, "00"],
    [40, "28"],
    [200, "c8"],
    [534, "0216"],
    [100_000, "0186a0"],
    [2 ** 31, "80000000"],
    [2 ** 32 - 1, "ffffffff"],
  ])("the number %i has the bytes %s", (value, content) => {
    const written = encodeNumberElement(118, value);
    expect(hex(written)).toBe(`76${hex([content.length / 2])}${content}`);
    const elements = new ElementReader(written);
    expect([elements.nextTag(), elements.number(), elements.nextTag()]).toEqual([118, value, -1]);
  });

  it("are read in place, and within each other", () => {
    const outer = new ElementReader(bytes("75 01 00 81 16 07 76 01 1a 7b 02 68 69 02 00"));
    expect(outer.nextTag()).toBe(117);
    outer.skip();
    expect(outer.nextTag()).toBe(150);
    const inner = outer.children();
    expect([inner.nextTag(), inner.number()]).toEqual([118, 26]);
    expect([inner.nextTag(), hex(inner.content()), inner.nextTag()]).toEqual([123, "6869", -1]);
    expect([outer.nextTag(), outer.content().length, outer.nextTag()]).toEqual([2, 0, -1]);
  });

  it.each([
    ["a length behind the end", "7b 05 68 69", /longer than what it is part of/],
    ["a length of 268435455", "7b ff ff ff 7f 00", /longer than what it is part of/],
    ["no length", "7b", /without its end/],
    ["a length without its end", "7b 81", /without its end/],
  ])("%s is an error", (_name, written, message) => {
    const elements = new ElementReader(bytes(written));
    elements.nextTag();
    expect(() => elements.content()).toThrow(
      expect.objectContaining({ code: "protocol", message: expect.stringMatching(message) as string }),
    );
  });

  it("inside of others, too, are an error when they are longer", () => {
    const outer = new ElementReader(bytes("81 16 03 7b 02 68 69"));
    outer.nextTag();
    const inner = outer.children();
    inner.nextTag();
    expect(() => inner.content()).toThrow(/longer than what it is part of at byte 5/);
  });

  it.each(["76 00", "76 05 01 02 03 04 05"])("the number %s is an error", (written) => {
    const elements = new ElementReader(bytes(written));
    elements.nextTag();
    expect(() => elements.number()).toThrow(expect.objectContaining({ code: "protocol" }));
  });
});

describe("diagnostic records", () => {
  it("have a length of two bytes, and an end that it leaves out", () => {
    const elements = new ElementReader(bytes("1c 00 04 53 46 21 01 1d 02 00"));
    expect([elements.nextTag(), hex(elements.diagnosticRecord()), elements.nextTag()]).toEqual([
      28,
      "53462101",
      2,
    ]);
  });

  it.each([
    ["half a length", "1c 00"],
    ["a length behind the end", "1c 00 09 53 46 01 1d"],
    ["the longest length", "1c ff ff 53 46 01 1d"],
    ["no end", "1c 00 03 53 46 01"],
    ["another end", "1c 00 03 53 46 01 1e"],
  ])("with %s are an error", (_name, written) => {
    const elements = new ElementReader(bytes(written));
    elements.nextTag();
    expect(() => elements.diagnosticRecord()).toThrow(expect.objectContaining({ code: "protocol" }));
  });
});
