import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DotCutter, type DottedOptions } from "../src/dotted.ts";

function cut(pieces: readonly string[], options: DottedOptions): [text: string, dot: boolean] {
  const cutter = new DotCutter(options);
  let text = "";
  for (const piece of pieces)
    text += Buffer.from(cutter.push(Buffer.from(piece, "latin1"))).toString("latin1");
  text += Buffer.from(cutter.end()).toString("latin1");
  return [text, cutter.dotSeen];
}

const toClose: DottedOptions = { end: "close", undouble: false };
const toDot: DottedOptions = { end: "dot", undouble: false };
const strictly: DottedOptions = { end: "close", undouble: true };

const rows: [name: string, bytes: string, options: DottedOptions, text: string, dot: boolean][] = [
  ["a text of CR LF lines", "one\r\ntwo\r\n.\r\n", toClose, "one\r\ntwo\r\n", true],
  ["bare LF, as gopherd sends", "Hello.\n.dot line\n.\r\n", toClose, "Hello.\n.dot line\n", true],
  ["bare LF before and behind the dot", "one\n.\n", toClose, "one\n", true],
  ["no dot", "one\ntwo\n", toClose, "one\ntwo\n", false],
  ["no line end", "one", toClose, "one", false],
  ["nothing", "", toClose, "", false],
  ["nothing but the dot", ".\r\n", toClose, "", true],
  ["a dot that the close cut short", "one\r\n.", toClose, "one\r\n.", false],
  ["a dot and CR", "one\r\n.\r", toClose, "one\r\n.\r", false],
  ["a dot that something follows", "one\r\n.\r\ntwo\r\n", toClose, "one\r\n.\r\ntwo\r\n", false],
  ["two dots in lines of their own", "one\r\n.\r\n.\r\n", toClose, "one\r\n.\r\n", true],
  ["a line that ends with a dot", "one.\r\n", toClose, "one.\r\n", false],
  ["doubled dots, kept", "..one\r\n.\r\n", toClose, "..one\r\n", true],
  [
    "doubled dots, undone",
    "..one\r\n...\r\na..b\r\n..\r\n.\r\n",
    strictly,
    ".one\r\n..\r\na..b\r\n.\r\n",
    true,
  ],
  ["the dot, and what a server sends behind it", "one\n.\r\nrubbish", toDot, "one\n", true],
  ["the dot at once", ".\r\nrubbish", toDot, "", true],
  ["a dot line of bare LF within", "one\n.\ntwo\n.\r\n", toDot, "one\n.\ntwo\n", true],
  ["a dot line of bare LF at the end", "one\n.\n", toDot, "one\n", true],
  ["no dot before the close", "one\n", toDot, "one\n", false],
];

describe("the final dot", () => {
  it.each(rows)("%s", (_, bytes, options, text, dot) => {
    expect(cut([bytes], options)).toEqual([text, dot]);
    expect(cut(bytes.split(""), options)).toEqual([text, dot]);
  });

  it("does not depend on the pieces", () => {
    const bytes = fc.array(fc.constantFrom(".", "\r", "\n", "a", ".\r\n", "\n."), { maxLength: 12 });
    const options = fc.constantFrom(toClose, toDot, strictly);
    fc.assert(
      fc.property(bytes, options, (pieces, chosen) => {
        expect(cut(pieces, chosen)).toEqual(cut([pieces.join("")], chosen));
      }),
      { numRuns: 2000 },
    );
  });

  it("loses nothing but the dot", () => {
    const bytes = fc.array(fc.constantFrom(".", "\r", "\n", "a", ".\r\n"), { maxLength: 12 });
    fc.assert(
      fc.property(bytes, (pieces) => {
        const whole = pieces.join("");
        const [text, dot] = cut(pieces, toClose);
        expect(dot ? [`${text}.\r\n`, `${text}.\n`] : [text]).toContain(whole);
      }),
    );
  });
});
