import { AccessError } from "@anyscheme/core";
import { nntpSyntax } from "@anyscheme/scheme-others/nntp";
import { ArticleHeader } from "../../../packages/scheme-others/src/nntp/article-header.ts";
import {
  parseArticleHeaderFields,
  peekArticleHeader,
} from "../../../packages/scheme-others/src/nntp/article-header.ts";
import {
  parseGroupDescriptions,
  NntpGroup,
} from "../../../packages/scheme-others/src/nntp/listing/newsgroup-list.ts";
import { mapDataBlockLines } from "../../../packages/scheme-others/src/nntp/listing/data-block-lines.ts";
import { parseOverviewLines } from "../../../packages/scheme-others/src/nntp/listing/overview.ts";
import { parseGroupReply } from "../../../packages/scheme-others/src/nntp/session/reply.ts";
import { formatReceivedNumericReply, parseSingleLineNumericReply, readLines } from "@anyscheme/core/io";
import { createReaderFromChunks, readAllAsLatin1 } from "../reader-from-chunks.ts";
import { readRecordedServerReplies } from "../recorded-server-replies.ts";
import { type FuzzedDecoder, assertCondition } from "../decoder-target.ts";

const capturedMessages = readRecordedServerReplies("nntp");
const newsgroupUrl = nntpSyntax.parse("nntp://h.example/example.group");

const overviewSamples = [
  "1\tRe: a\tJoe <j@h.example>\tSat, 21 Nov 2026 10:00:00 +0000\t<1@h.example>\t<0@h.example> <a<b@x>\t1234\t56\tXref: h example.group:1\r\n",
  "2\tno date\tx\t30 Feb 99 25:61 XYZ\t<2@h>\t\t\t\r\n999999999999999\tcaf\xe9\t\t1 Jan 70 0:0:60 -1299\tid\t>\t 7 \t-1\r\nnonsense\r\n",
];

const articleSamples = [
  "Path: h!x\r\nFrom: a@b.example\r\nSubject: one\r\n two\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nMessage-ID: <1@h>\r\nNewsgroups: a.b, c.d,,\r\nXref: h a.b:12 c.d:5 x\r\n\r\nbody\r\n",
  "\r\nno header\r\n",
  "X Y: none\r\n: none\r\nReferences: <a@b> <c<d@e> <f\r\n",
];

const groupListSamples = [
  "example.group 0000003 0000001 y\r\nexample.moderated 12 13 m\r\nempty 0 1 =other.group\r\n",
  "control 999999999999999 1 n\r\nodd\r\n\tx 1 2\r\ncaf\xe9 1 2 y more\r\nalt.! 1 1 y\r\n",
  "example.group\tAn example\r\nexample.moderated  caf\xe9\x1b[2J\r\nempty\t\r\n",
];

export const fuzzedNntpDecoders: readonly FuzzedDecoder[] = [
  {
    name: "NNTP replies",
    samples: [
      "200 ready\r\n211 3 1 3 example.group\r\n",
      "211 x\r\n223 1 <1@h> caf\xe9\x1b\r\n",
      ...capturedMessages,
    ],
    async *decode(chunks, limits) {
      for await (const line of readLines(createReaderFromChunks(chunks), limits, "maxNntpLineBytes")) {
        const reply = parseSingleLineNumericReply(Buffer.from(line).toString("latin1"), "NNTP");
        const text = formatReceivedNumericReply(reply);
        assertCondition(
          !/[\u0000-\u001f\u007f-\u009f]/.test(text),
          "the formatted reply has control characters",
        );
        yield [reply, text, parseGroupNumbers(reply)];
      }
    },
  },
  {
    name: "NNTP overviews",
    samples: overviewSamples,
    async *decode(chunks, limits) {
      for await (const entry of parseOverviewLines(
        createReaderFromChunks(chunks),
        { server: newsgroupUrl, group: "example.group" },
        limits,
      )) {
        assertCondition(!Number.isNaN(entry.modified?.getTime()), "the date is invalid");
        const href = entry.url?.href;
        assertCondition(
          href === undefined || nntpSyntax.canParse(href, { mode: "rfc1738" }),
          `${href} does not conform`,
        );
        yield entry.toJSON();
      }
    },
  },
  {
    name: "NNTP lists of groups",
    samples: groupListSamples,
    async *decode(chunks, limits) {
      const read = (line: string): NntpGroup => new NntpGroup(line, newsgroupUrl, new Map());
      for await (const group of mapDataBlockLines(createReaderFromChunks(chunks), limits, read)) {
        const href = group.url?.href;
        // The URL is parsed in modern mode, because servers have group names that RFC 1738 does not allow.
        assertCondition(href === undefined || nntpSyntax.canParse(href), `${href} is not a URL`);
        yield group.toJSON();
      }
    },
  },
  {
    name: "NNTP descriptions of groups",
    samples: groupListSamples,
    async *decode(chunks, limits) {
      yield [...(await parseGroupDescriptions(createReaderFromChunks(chunks), limits))];
    },
  },
  {
    name: "the header of an article",
    samples: [...articleSamples, ...capturedMessages],
    async *decode(chunks, limits) {
      const { header, headerAndBody } = await peekArticleHeader(createReaderFromChunks(chunks), limits);
      const article = new ArticleHeader(1, "1@h", parseArticleHeaderFields(header));
      assertCondition(!Number.isNaN(article.date?.getTime()), "the date is invalid");
      yield [article.fields, article.newsgroups, article.references, article.locations, article.date];
      yield await readAllAsLatin1(headerAndBody);
    },
  },
];

function parseGroupNumbers(reply: ReturnType<typeof parseSingleLineNumericReply>): unknown {
  try {
    return parseGroupReply(reply);
  } catch (error) {
    if (error instanceof AccessError) return error.code;
    throw error;
  }
}
