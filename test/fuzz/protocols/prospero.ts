import { ContentsDecoder } from "../../../packages/scheme-others/src/prospero/object/contents.ts";
import { parseObjectInfo } from "../../../packages/scheme-others/src/prospero/object/attributes.ts";
import {
  LogicalLineSplitter,
  quoteToken,
  splitTokens,
} from "../../../packages/scheme-others/src/prospero/protocol/logical-lines.ts";
import {
  type ProsperoReplyLine,
  parseReplyLine,
} from "../../../packages/scheme-others/src/prospero/protocol/reply-line.ts";
import { captured } from "../captures.ts";
import { type Decoder, hold } from "../decoder.ts";

/** The payload of the datagrams. */
const texts = captured("prospero").flatMap((datagram) => datagram.slice(datagram.charCodeAt(0)) || []);

export const prospero: readonly Decoder[] = [
  {
    name: "Prospero replies",
    samples: texts,
    *decode(pieces, limits) {
      const cutter = new LogicalLineSplitter(limits);
      const lines = function* (): Generator<string> {
        for (const piece of pieces) yield* cutter.push(piece);
        yield cutter.end();
      };
      for (const line of lines()) {
        const tokens = splitTokens(line);
        const again = splitTokens(tokens.map(quoteToken).join(" "));
        hold(JSON.stringify(again) === JSON.stringify(tokens), "quoted again, the tokens are others");
        const read = parseReplyLine(line);
        yield [read, factsIn(read)];
      }
    },
  },
  {
    name: "Prospero contents",
    samples: [
      ...texts,
      "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'it''s\n'x'\r\n'\nWARNING MESSAGE y\n",
      "FAILURE NOT-FOUND\n",
    ],
    *decode(pieces, limits) {
      const decoder = new ContentsDecoder(limits);
      let contents = "";
      try {
        for (const piece of pieces) {
          for (const bytes of decoder.push(piece)) contents += Buffer.from(bytes).toString("latin1");
        }
        decoder.end();
      } finally {
        if (contents !== "") yield contents;
        yield decoder.hasContents;
      }
    },
  },
];

function factsIn(line: ProsperoReplyLine): unknown {
  if (line.kind !== "attribute") return undefined;
  const facts = parseObjectInfo([line]);
  hold(!Number.isNaN(facts.modified?.getTime()), "the time is none");
  hold(facts.size === undefined || Number.isSafeInteger(facts.size), "the size is none");
  return facts;
}
