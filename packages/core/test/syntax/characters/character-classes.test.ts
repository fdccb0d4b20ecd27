import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CharacterClass,
  createCharacterClass,
  skipAllowedCharacters,
  nationalCharacters,
  uchar,
  extendUchar,
  xchar,
} from "../../../src/syntax/characters/characters.ts";

const asciiCharacters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

/** Returns the US-ASCII characters that the class contains, each tested separately. */
function getClassMembers(one: CharacterClass): string {
  return asciiCharacters
    .filter((character) => character !== "%" && skipAllowedCharacters(character, 0, 1, one) === 1)
    .join("");
}

/** Sorts characters by their codes. */
function sortCharacters(characters: string): string {
  return Array.from(characters).toSorted().join("");
}

describe("character classes of RFC 1738 §5", () => {
  const unreserved = /[A-Za-z0-9$\-_.+!*'(),]/;
  const rows: readonly (readonly [name: string, one: CharacterClass, oracle: RegExp])[] = [
    ["uchar", uchar, unreserved],
    ["xchar", xchar, /[A-Za-z0-9$\-_.+!*'(),;/?:@&=]/],
    ["the characters of a login", extendUchar(";?&="), /[A-Za-z0-9$\-_.+!*'(),;?&=]/],
    ["national", createCharacterClass(nationalCharacters), /[{}|\\^~[\]`]/],
    [
      "a class of characters that have a meaning in a regular expression",
      createCharacterClass("]\\^-"),
      /[\]\\^-]/,
    ],
    ["an empty class", createCharacterClass(""), /[^\s\S]/],
  ];
  it.each(rows)("the class contains exactly the expected characters: %s", (_name, one, oracle) => {
    const expected = asciiCharacters.filter((character) => oracle.test(character)).join("");
    expect(getClassMembers(one)).toBe(expected);
    expect(sortCharacters(one.characters)).toBe(sortCharacters(expected));
  });
});

describe("the production escape = % hex hex", () => {
  const rows = [
    ["%00", true],
    ["%fF", true],
    ["%9A", true],
    ["%", false],
    ["%4", false],
    ["%4g", false],
    ["%G4", false],
    ["% 4", false],
    ["%%4", false],
    ["4%4", false],
    ["%\u01304", false],
  ] as const;
  it.each(rows)("the text %j is an escape: %j", (text, expected) => {
    expect(skipAllowedCharacters(text, 0, text.length, uchar) === 3).toBe(expected);
  });

  it("an escape that crosses the end of the component is no escape", () => {
    expect(skipAllowedCharacters("ab%41", 0, 4, uchar)).toBe(2);
    expect(skipAllowedCharacters("ab%41", 0, 5, uchar)).toBe(5);
  });
});

describe("skipAllowedCharacters", () => {
  it("skipAllowedCharacters returns the same index as reading one character at a time", () => {
    const alphabet = fc.constantFrom("a", "%", "4", "1", "G", "/", "~", "é", "%41");
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 12 }), fc.nat(12), fc.nat(12), (pieces, one, other) => {
        const text = pieces.join("");
        const end = Math.min(Math.max(one, other), text.length);
        const start = Math.min(one, other, end);
        let index = start;
        while (index < end) {
          if (/[a14G]/.test(text.charAt(index))) index++;
          else if (index + 3 <= end && /^%[0-9A-Fa-f]{2}/.test(text.slice(index, end))) index += 3;
          else break;
        }
        expect(skipAllowedCharacters(text, start, end, uchar)).toBe(index);
      }),
      { seed: 1738 },
    );
  });
});
