import { decodeDotStuffedSource, readLine, readLines } from "@anyscheme/core/io";
import { createReaderFromChunks, readAllAsLatin1 } from "../reader-from-chunks.ts";
import { type FuzzedDecoder, assertCondition } from "../decoder-target.ts";

const lineSamples = [
  "one\r\ntwo\n\r\nthree\r\n.\r\nbehind\r\n",
  "..doubled\r\n.\rnot yet\r\n.\n.\r\nmore",
  `${"x".repeat(198)}\r\n${"y".repeat(201)}\r\n`,
];

/** Decoders of lines and dot-terminated blocks, which all line protocols share. */
export const fuzzedLineDecoders: readonly FuzzedDecoder[] = [
  {
    name: "lines that a loop reads",
    samples: lineSamples,
    async *decode(chunks, limits) {
      for await (const line of readLines(createReaderFromChunks(chunks), limits, "maxGopherLineBytes")) {
        assertCondition(line.length <= limits.maxGopherLineBytes, "the line is longer than the limit");
        assertCondition(!line.includes(0x0a), "the line contains a line end");
        yield Buffer.from(line).toString("latin1");
      }
    },
  },
  {
    name: "lines that are read by separate calls",
    samples: lineSamples,
    async *decode(chunks, limits) {
      const reader = createReaderFromChunks(chunks);
      for (;;) {
        const line = await readLine(reader, limits, "maxReplyLineBytes");
        if (line === undefined) return;
        yield line;
      }
    },
  },
  {
    name: "a dot-terminated block and the bytes after it",
    samples: lineSamples,
    async *decode(chunks) {
      const reader = createReaderFromChunks(chunks);
      yield await readAllAsLatin1(decodeDotStuffedSource(reader));
      yield await readAllAsLatin1(reader);
    },
  },
];
