import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DotTerminatedDecoder, type DotTerminationOptions } from "../../src/response/dot-terminated.ts";

function decodeChunks(
  chunks: readonly string[],
  options: DotTerminationOptions,
): [text: string, dot: boolean] {
  const cutter = new DotTerminatedDecoder(options);
  let text = "";
  for (const chunk of chunks)
    text += Buffer.from(cutter.push(Buffer.from(chunk, "latin1"))).toString("latin1");
  text += Buffer.from(cutter.end()).toString("latin1");
  return [text, cutter.hasFoundFinalDot];
}

const TEXT_UNTIL_CLOSE: DotTerminationOptions = { textEndsAt: "close", removeDoubledDots: false };
const TEXT_UNTIL_DOT: DotTerminationOptions = { textEndsAt: "dot", removeDoubledDots: false };
const TEXT_WITH_DOUBLED_DOTS: DotTerminationOptions = { textEndsAt: "close", removeDoubledDots: true };

const DECODED_TEXTS: [
  name: string,
  bytes: string,
  options: DotTerminationOptions,
  text: string,
  dot: boolean,
][] = [
  ["a text whose lines end with CR LF", "one\r\ntwo\r\n.\r\n", TEXT_UNTIL_CLOSE, "one\r\ntwo\r\n", true],
  [
    "a text whose lines end with LF, as gopherd sends it",
    "Hello.\n.dot line\n.\r\n",
    TEXT_UNTIL_CLOSE,
    "Hello.\n.dot line\n",
    true,
  ],
  ["a text with LF before and after its final dot", "one\n.\n", TEXT_UNTIL_CLOSE, "one\n", true],
  ["a text without a final dot", "one\ntwo\n", TEXT_UNTIL_CLOSE, "one\ntwo\n", false],
  ["a text without a line end", "one", TEXT_UNTIL_CLOSE, "one", false],
  ["an empty text", "", TEXT_UNTIL_CLOSE, "", false],
  ["a text that consists of its final dot", ".\r\n", TEXT_UNTIL_CLOSE, "", true],
  ["a text whose last line is a dot without a line end", "one\r\n.", TEXT_UNTIL_CLOSE, "one\r\n.", false],
  ["a text whose last line is a dot and a CR", "one\r\n.\r", TEXT_UNTIL_CLOSE, "one\r\n.\r", false],
  [
    "a text with lines after a single dot",
    "one\r\n.\r\ntwo\r\n",
    TEXT_UNTIL_CLOSE,
    "one\r\n.\r\ntwo\r\n",
    false,
  ],
  [
    "a text whose last two lines are single dots",
    "one\r\n.\r\n.\r\n",
    TEXT_UNTIL_CLOSE,
    "one\r\n.\r\n",
    true,
  ],
  ["a text whose last line ends with a dot", "one.\r\n", TEXT_UNTIL_CLOSE, "one.\r\n", false],
  ["a text with doubled dots that the decoder keeps", "..one\r\n.\r\n", TEXT_UNTIL_CLOSE, "..one\r\n", true],
  [
    "a text with doubled dots that the decoder removes",
    "..one\r\n...\r\na..b\r\n..\r\n.\r\n",
    TEXT_WITH_DOUBLED_DOTS,
    ".one\r\n..\r\na..b\r\n.\r\n",
    true,
  ],
  ["a text with bytes after its final dot", "one\n.\r\nrubbish", TEXT_UNTIL_DOT, "one\n", true],
  ["a text that begins with its final dot", ".\r\nrubbish", TEXT_UNTIL_DOT, "", true],
  [
    "a text in which a dot and a bare LF come before the final dot",
    "one\n.\ntwo\n.\r\n",
    TEXT_UNTIL_DOT,
    "one\n.\ntwo\n",
    true,
  ],
  ["a text whose last line is a dot and a bare LF", "one\n.\n", TEXT_UNTIL_DOT, "one\n", true],
  ["a text whose connection closes before a final dot", "one\n", TEXT_UNTIL_DOT, "one\n", false],
];

describe("DotTerminatedDecoder removes the final dot of a Gopher text", () => {
  it.each(DECODED_TEXTS)("DotTerminatedDecoder decodes %s", (_, bytes, options, text, dot) => {
    expect(decodeChunks([bytes], options)).toEqual([text, dot]);
    expect(decodeChunks(bytes.split(""), options)).toEqual([text, dot]);
  });

  it("DotTerminatedDecoder decodes a text with the same result for every split into chunks", () => {
    const bytes = fc.array(fc.constantFrom(".", "\r", "\n", "a", ".\r\n", "\n."), { maxLength: 12 });
    const options = fc.constantFrom(TEXT_UNTIL_CLOSE, TEXT_UNTIL_DOT, TEXT_WITH_DOUBLED_DOTS);
    fc.assert(
      fc.property(bytes, options, (chunks, chosen) => {
        expect(decodeChunks(chunks, chosen)).toEqual(decodeChunks([chunks.join("")], chosen));
      }),
      { numRuns: 2000 },
    );
  });

  it("DotTerminatedDecoder removes only the final dot from a text", () => {
    const bytes = fc.array(fc.constantFrom(".", "\r", "\n", "a", ".\r\n"), { maxLength: 12 });
    fc.assert(
      fc.property(bytes, (chunks) => {
        const whole = chunks.join("");
        const [text, dot] = decodeChunks(chunks, TEXT_UNTIL_CLOSE);
        expect(dot ? [`${text}.\r\n`, `${text}.\n`] : [text]).toContain(whole);
      }),
    );
  });
});
