import { describe, expect, it } from "vitest";
import { FUZZ_TARGETS } from "../fuzz-targets.ts";
import { REPEATED_MOTIFS } from "./repetitive-text.ts";

/**
 * The length in characters of the repeated text that a parser gets. A quadratic parser takes some 10¹⁰ steps, which
 * exceed the time limit of a test, and a linear parser takes milliseconds.
 */
const REPETITION_LENGTH = 200_000;
/** The length of the repetitions of the general test, which has many texts. */
const SHORTER_REPETITION_LENGTH = 100_000;

describe(`the work of a parser grows linearly with ${REPETITION_LENGTH} repeated characters`, () => {
  // Texts for which a parser once took quadratic or cubic time.
  it.each([
    ["Gopher+ attributes", "text/plain: <", "1", ""],
    ["Gopher+ attributes", "", " ", ""],
    ["Gopher+ attributes", "", "\t", "x"],
    ["Gopher+ forms", "", "Ask: a\r\n", ""],
    ["NNTP descriptions of groups", "a", " ", "\rb\r\n.\r\n"],
    ["NNTP descriptions of groups", "a", "\t", "\rb\r\n.\r\n"],
    ["Prospero contents", "ATTRIBUTE", " ", "a b c\n"],
    ["Prospero contents", "WARNING '", " ", ""],
    ["paths, URLs and forms of the gateway", "http://h.example/", "?", ""],
    ["paths, URLs and forms of the gateway", "", "a/", ""],
    ["URLs of every scheme", "ftp://", "?", "/@"],
    ["URLs of every scheme", "x://", "?", "/@"],
    ["IP addresses", "", ":", "%!"],
    ["the parsers of the command for URLs, passwords and file names", "a", ".", "b"],
    ["the parsers of the command for URLs, passwords and file names", "a", " ", "b"],
    ["the parsers of the command for URLs, passwords and file names", "", ";type=", "/b"],
    ["the parsers of the command for URLs, passwords and file names", "<", "+", "@"],
    ["the parsers of the command for URLs, passwords and file names", "", "//", ":%40"],
  ])(
    "%s: the parser takes linear time for %j, repetitions of %j, and %j",
    async (name, prefix, motif, suffix) => {
      const target = FUZZ_TARGETS.find((each) => each.name === name);
      if (!target) throw new Error(`no target is called ${name}`);
      await target.prepareTimeMeasurement(motif, REPETITION_LENGTH, { prefix, suffix })();
      expect(target.textsAroundRepetition.length).toBeGreaterThan(0);
    },
  );

  it.each(FUZZ_TARGETS.map((target) => [target.name, target] as const))(
    "%s: the parser takes linear time for repetitions of each motif at another place",
    async (_, target) => {
      const { textsAroundRepetition } = target;
      for (const [index, motif] of REPEATED_MOTIFS.entries()) {
        const place =
          textsAroundRepetition[Math.floor((index * textsAroundRepetition.length) / REPEATED_MOTIFS.length)];
        if (!place) throw new Error("the target has no place for a repetition");
        await target.prepareTimeMeasurement(motif, SHORTER_REPETITION_LENGTH, place)();
      }
      expect(textsAroundRepetition.length).toBeGreaterThan(0);
    },
  );
});
