import { describe, expect, it } from "vitest";
import { mergeHeaders } from "../../../src/client/requests/merge-headers.ts";

describe("mergeHeaders", () => {
  it.each([
    ["undefined and null give no headers", [undefined, null], []],
    ["an object gives its headers", [{ a: "1" }], [["a", "1"]]],
    ["a Headers object gives its headers", [new Headers({ A: "1" })], [["a", "1"]]],
    [
      "an array of pairs keeps repeated names",
      [
        [
          ["a", "1"],
          ["A", "2"],
        ],
      ],
      [
        ["a", "1"],
        ["A", "2"],
      ],
    ],
    [
      "a later source replaces a name without regard to case",
      [{ A: "1", b: "2" }, { a: "3" }],
      [
        ["b", "2"],
        ["a", "3"],
      ],
    ],
    ["the value undefined removes a header", [{ A: "1", b: "2" }, { a: undefined }], [["b", "2"]]],
  ])("mergeHeaders: %s", (_, sources, expected) => {
    expect(mergeHeaders(...sources)).toEqual(expected);
  });
});
