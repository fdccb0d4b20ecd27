import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { uchar, extendUchar, xchar } from "../../../src/syntax/characters/characters.ts";
import {
  escapeDisallowed,
  percentDecode,
  percentDecodeText,
  percentEncode,
  normalizeEscapes,
} from "../../../src/syntax/characters/percent-encoding.ts";

const seed = 1738;
const allByteValues = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe("percentEncode and percentDecode", () => {
  it.each([
    ["uchar", uchar],
    ["xchar", xchar],
    ["the characters of a login", extendUchar(";&=")],
  ])(
    "percentDecode restores every byte that percentEncode has encoded with the class %s",
    (_name, allowed) => {
      for (const byte of allByteValues) {
        const written = percentEncode(Uint8Array.of(byte), allowed);
        expect(percentDecode(written)).toEqual(Uint8Array.of(byte));
        const character = String.fromCharCode(byte);
        const literal = byte < 0x80 && allowed.characters.includes(character);
        expect(written).toBe(literal ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`);
      }
      expect(percentDecode(percentEncode(allByteValues, allowed))).toEqual(allByteValues);
    },
  );

  it("percentDecode restores any bytes and any text that percentEncode has encoded", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(percentDecode(percentEncode(bytes))).toEqual(bytes);
      }),
      { seed },
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(percentDecodeText(percentEncode(text))).toBe(text);
      }),
      { seed },
    );
  });

  it.each([
    ["", ""],
    ["a b", "a%20b"],
    ["%", "%25"],
    ["/;?:@&=", "%2F%3B%3F%3A%40%26%3D"],
    ["$-_.+!*'(),", "$-_.+!*'(),"],
    ["~", "%7E"],
    ["é", "%C3%A9"],
    ["😀", "%F0%9F%98%80"],
    ["\uFEFFa", "%EF%BB%BFa"],
  ])("percentEncode encodes the text %j as %j", (text, written) => {
    expect(percentEncode(text)).toBe(written);
    expect(percentDecodeText(written)).toBe(text);
  });

  it.each([
    ["%41%6a", "Aj"],
    ["%", "%"],
    ["%4", "%4"],
    ["%4g%41", "%4gA"],
    ["%%41", "%A"],
    ["%2541", "%41"],
    ["é%C3%A9", "éé"],
    ["%FF", "\uFFFD"],
  ])("percentDecodeText decodes %j to %j", (component, text) =>
    expect(percentDecodeText(component)).toBe(text),
  );
});

describe("escapeDisallowed", () => {
  it.each([
    ["a~b", "a%7Eb"],
    ["a%7eb", "a%7eb"],
    ["50%", "50%25"],
    ["%4x", "%254x"],
    ["ü/😀", "%C3%BC/%F0%9F%98%80"],
    ["a b", "a%20b"],
  ])("escapeDisallowed changes %j to %j", (component, written) =>
    expect(escapeDisallowed(component, xchar)).toBe(written),
  );

  it("escapeDisallowed keeps a conforming component unchanged, and makes every other component conform", () => {
    const conforming = fc
      .array(fc.constantFrom(...Array.from(xchar.characters), "%00", "%fF", "%2f"))
      .map((all) => all.join(""));
    fc.assert(
      fc.property(conforming, (component) => {
        expect(escapeDisallowed(component, xchar)).toBe(component);
      }),
      { seed },
    );
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (component) => {
        const written = escapeDisallowed(component, uchar);
        expect(written).toMatch(/^(?:[A-Za-z0-9$\-_.+!*'(),]|%[0-9A-Fa-f]{2})*$/);
        expect(escapeDisallowed(written, uchar)).toBe(written);
        expect(percentDecode(written)).toEqual(percentDecode(component));
      }),
      { seed },
    );
  });
});

describe("normalizeEscapes", () => {
  it.each([
    ["%61%7a", "az", "an unreserved character needs no escape"],
    ["%2d%5F", "-_", "a safe character needs no escape"],
    ["%2f%3b", "%2F%3B", "an escape of a reserved character may change the meaning"],
    ["%7e%20%0a", "%7E%20%0A", "the escapes of unsafe and control bytes stay"],
    ["%2561", "%2561", "no escape is decoded twice"],
    ["%c3%a9", "%C3%A9", "the escapes of bytes beyond US-ASCII stay"],
    ["plain", "plain", "a component without escapes is unchanged"],
  ])("normalizeEscapes changes %j to %j: %s", (component, written) => {
    expect(normalizeEscapes(component)).toBe(written);
    expect(percentDecode(written)).toEqual(percentDecode(component));
    expect(normalizeEscapes(written)).toBe(written);
  });
});
