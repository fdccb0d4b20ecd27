import { ProsperoContentsDecoder } from "../../../packages/scheme-others/src/prospero/object/prospero-contents-decoder.ts";
import { parseObjectStat } from "../../../packages/scheme-others/src/prospero/object/attributes.ts";
import {
  ProsperoLineSplitter,
  quoteToken,
  splitAndUnquoteTokens,
} from "../../../packages/scheme-others/src/prospero/protocol/logical-lines.ts";
import {
  type ProsperoReplyLine,
  parseProsperoReplyLine,
} from "../../../packages/scheme-others/src/prospero/protocol/reply-line.ts";
import { readRecordedServerReplies } from "../recorded-server-replies.ts";
import { type FuzzedDecoder, assertCondition } from "../decoder-target.ts";

/** The payloads of the datagrams that were recorded from a Prospero server. */
const messageSamples = readRecordedServerReplies("prospero").flatMap(
  (datagram) => datagram.slice(datagram.charCodeAt(0)) || [],
);

export const fuzzedProsperoDecoders: readonly FuzzedDecoder[] = [
  {
    name: "Prospero replies",
    samples: messageSamples,
    *decode(chunks, limits) {
      const splitter = new ProsperoLineSplitter(limits);
      const lines = function* (): Generator<string> {
        for (const chunk of chunks) yield* splitter.push(chunk);
        yield splitter.end();
      };
      for (const line of lines()) {
        const tokens = splitAndUnquoteTokens(line);
        const again = splitAndUnquoteTokens(tokens.map(quoteToken).join(" "));
        assertCondition(
          JSON.stringify(again) === JSON.stringify(tokens),
          "the tokens change when they are quoted and split again",
        );
        const replyLine = parseProsperoReplyLine(line);
        yield [replyLine, parseAndCheckObjectInfo(replyLine)];
      }
    },
  },
  {
    name: "Prospero contents",
    samples: [
      ...messageSamples,
      "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'it''s\n'x'\r\n'\nWARNING MESSAGE y\n",
      "FAILURE NOT-FOUND\n",
    ],
    *decode(chunks, limits) {
      const decoder = new ProsperoContentsDecoder(limits);
      let contents = "";
      try {
        for (const chunk of chunks) {
          for (const bytes of decoder.push(chunk)) contents += Buffer.from(bytes).toString("latin1");
        }
        decoder.end();
      } finally {
        if (contents !== "") yield contents;
        yield decoder.hasContents;
      }
    },
  },
];

function parseAndCheckObjectInfo(line: ProsperoReplyLine): unknown {
  if (line.kind !== "attribute") return undefined;
  const facts = parseObjectStat([line]);
  assertCondition(!Number.isNaN(facts.modified?.getTime()), "the time of modification is invalid");
  assertCondition(
    facts.size === undefined || Number.isSafeInteger(facts.size),
    "the size is not a safe integer",
  );
  return facts;
}
