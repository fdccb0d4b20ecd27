import { describe, expect, it } from "vitest";
import { mergeHeaders } from "../../../src/client/requests/merge-headers.ts";

describe("mergeHeaders", () => {
  it.each([
    ["nothing gives no headers", [undefined, null], []],
    ["an object", [{ a: "1" }], [["a", "1"]]],
    ["a Headers object", [new Headers({ A: "1" })], [["a", "1"]]],
    [
      "pairs keep repeated names",
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
  ])("%s", (_, sources, expected) => {
    expect(mergeHeaders(...sources)).toEqual(expected);
  });
});
