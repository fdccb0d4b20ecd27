import { describe, expect, it } from "vitest";
import { guessTransferType } from "../../src/plan/retrieve.ts";

describe("guessTransferType derives the transfer type from the suffix of a file name", () => {
  it.each([
    ["rfc959.txt", "A"],
    ["README", "A"],
    ["index.HTML", "A"],
    ["table.csv", "A"],
    ["http-spec.txt.Z", "I"],
    ["prospero-protocol.PS", "I"],
    ["feed.xml", "I"],
    ["data.json", "I"],
    ["photo.gif", "I"],
    ["motd", "I"],
    ["", "I"],
  ])('guessTransferType returns the transfer type of the file name "%s" as %s', (name, code) => {
    expect(guessTransferType(new TextEncoder().encode(name)).code).toBe(code);
  });
});
