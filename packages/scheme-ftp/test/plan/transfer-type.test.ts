import { describe, expect, it } from "vitest";
import { guessTransferType } from "../../src/plan/retrieve.ts";

describe("the transfer type by suffix", () => {
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
  ])("%s is %s", (name, code) => {
    expect(guessTransferType(new TextEncoder().encode(name)).code).toBe(code);
  });
});
