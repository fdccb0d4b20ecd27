import { dotStuffedBody, readLine, readLines } from "@anyscheme/core/io";
import { arriving, textOf } from "../chunked-reader.ts";
import { type Decoder, hold } from "../decoder.ts";

const samples = [
  "one\r\ntwo\n\r\nthree\r\n.\r\nbehind\r\n",
  "..doubled\r\n.\rnot yet\r\n.\n.\r\nmore",
  `${"x".repeat(198)}\r\n${"y".repeat(201)}\r\n`,
];

/** Targets that all line protocols share. */
export const wire: readonly Decoder[] = [
  {
    name: "wire: lines",
    samples,
    async *decode(pieces, limits) {
      for await (const line of readLines(arriving(pieces), limits, "maxGopherLineBytes")) {
        hold(line.length <= limits.maxGopherLineBytes, "the line is longer than the limit");
        hold(!line.includes(0x0a), "the line has a line end");
        yield Buffer.from(line).toString("latin1");
      }
    },
  },
  {
    name: "wire: a line at a time",
    samples,
    async *decode(pieces, limits) {
      const inflow = arriving(pieces);
      for (;;) {
        const line = await readLine(inflow, limits, "maxReplyLineBytes");
        if (line === undefined) return;
        yield line;
      }
    },
  },
  {
    name: "wire: a dot-terminated block, and what follows it",
    samples,
    async *decode(pieces) {
      const inflow = arriving(pieces);
      yield await textOf(dotStuffedBody(inflow));
      yield await textOf(inflow);
    },
  },
];
