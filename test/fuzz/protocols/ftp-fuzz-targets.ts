import { ftpSyntax } from "@anyscheme/scheme-ftp";
import { AccessError } from "@anyscheme/core";
import type { Reply } from "@anyscheme/core/io";
import { FtpReplyParser } from "../../../packages/scheme-ftp/src/session/reply.ts";
import { parseMlstReply } from "../../../packages/scheme-ftp/src/listing/mlsd-format.ts";
import { parseFtpListing } from "../../../packages/scheme-ftp/src/listing/listing.ts";
import { createCrlfToLfSource } from "../../../packages/scheme-ftp/src/transfer/newlines.ts";
import {
  parsePwdReply,
  parsePassivePort,
  parseSizeReply,
  parseMdtmReply,
  formatFtpReplyOnOneLine,
} from "../../../packages/scheme-ftp/src/session/reply.ts";
import { createReaderFromChunks, readAllAsLatin1 } from "../reader-from-chunks.ts";
import { type FuzzedDecoder, assertCondition } from "../decoder-target.ts";

const replySamples = [
  "220 (vsFTPd 3.0.3)\r\n331 Please specify the password.\r\n230 Login successful.\r\n",
  "123-First line\r\nSecond line\r\n  234 A line beginning with numbers\r\n123 The last line\r\n",
  '257 "/srv/""odd"" name" is the current directory\r\n250 ok\r\n',
  "229 Entering Extended Passive Mode (|||6446|)\r\n227 Entering Passive Mode (127,0,0,1,25,46).\r\n",
  "213 19991005213102.25\r\n213 1057\r\n",
  "250-Begin\r\n type=file;size=1057;modify=20241120000000;unix.mode=0644; a;b.txt\r\n250 End.\r\n",
  "220\r\n226-a\n226-b\n226\n421 Timeout.\r\n550 caf\xc3\xa9\x1b[2J\r\n",
];

const listingSamples: readonly (readonly [command: string, url: string, samples: readonly string[]])[] = [
  [
    "LIST",
    "ftp://me:pw@h.example:2121/pub/",
    [
      "total 16\r\ndrwxr-xr-x    2 0        0            4096 Nov 20 21:09 my dir\r\n",
      "brw-rw----    1 0        6          8,   0 Nov 20 21:09 sda\r\nan odd line\r\n-rw-r--r-- 1 0 0 3 Feb 31 21:09 x\r\n",
      "-rw-r--r--    1 0        0            1057 Nov 20  2024 a;b.txt\r\n-rw-r--r--    1 0        0               3 Nov 20 21:09 ../../etc/passwd\r\n",
      "lrwxrwxrwx    1 0        0               4 Nov 20 21:09 link -> /etc/motd\r\n-rw-r--r-- 1 0 0 3 2026-11-20 21:09 \xe9\xa0\rx\r\n",
      "12-05-96  05:03PM       <DIR>          my dir\r\n11-14-97  04:21PM                  953 AUDITOR3.INI\r\n",
    ],
  ],
  ["NLST", "ftp://h.example/pub/a*b;type=d", ["a\r\nb c\r\n.\r\n..\r\n\r\npub/x\r\n/abs/y\r\npub/a*b/z\r\n"]],
  ["NLST", "ftp://h.example/pub/dir;type=d", ["dir/a\r\ndir/../b\r\ndir\r\nc%2F\r\n\xff\xfe\r\n"]],
  [
    "MLSD",
    "ftp://h.example/",
    [
      "type=cdir;modify=20241120000000; .\r\ntype=file;size=12;modify=20241120010203.5; a b\r\n",
      "Type=OS.unix=slink:/etc;Size=99999999999999999; l\r\ntype=dir; d/e\r\n no facts\r\n",
    ],
  ],
];

export const fuzzedFtpDecoders: readonly FuzzedDecoder[] = [
  {
    name: "FTP replies",
    samples: replySamples,
    *decode(chunks, limits) {
      const parser = new FtpReplyParser(limits);
      for (const chunk of chunks) {
        for (let bytes = chunk; bytes.length > 0;) {
          const { reply, usedBytes } = parser.push(bytes);
          bytes = bytes.subarray(usedBytes);
          if (reply) yield parseEveryReplyField(reply);
        }
      }
      yield parser.partialReply !== "";
    },
  },
  ...listingSamples.map(([command, url, samples]): FuzzedDecoder => ({
    name: `FTP ${command} of ${url.slice(url.lastIndexOf("/", url.length - 2))}`,
    samples,
    async *decode(chunks, limits) {
      for await (const entry of parseFtpListing(
        createReaderFromChunks(chunks),
        command,
        ftpSyntax.parse(url),
        limits,
      )) {
        const bytes = Buffer.from(entry.rawName).toString("latin1");
        assertCondition(
          (entry.fault === undefined) === (entry.url !== undefined),
          "an entry has both a URL and a fault, or neither",
        );
        if (entry.url) assertEntryInDirectory(entry.url.href, url);
        assertCondition(!Number.isNaN(entry.modified?.getTime()), "the time of modification is invalid");
        assertCondition(
          entry.size === undefined || Number.isSafeInteger(entry.size),
          "the size is not a safe integer",
        );
        yield { ...entry, url: entry.url?.href, bytes };
      }
    },
  })),
  {
    name: "FTP transfers with TYPE A",
    samples: ["a\r\nb\rc\nd\r\r\n\r\n\r", "\r\r\r\n\n"],
    async *decode(chunks) {
      yield await readAllAsLatin1(createCrlfToLfSource(createReaderFromChunks(chunks)));
    },
  },
];

/** Throws unless the URL of an entry is in the directory of the listing. */
function assertEntryInDirectory(href: string, listing: string): void {
  assertCondition(
    ftpSyntax.canParse(href, { mode: "rfc1738", maxLength: Infinity }),
    `${JSON.stringify(href)} does not conform`,
  );
  const directory = listing.slice(0, listing.lastIndexOf("/") + 1);
  assertCondition(
    href.startsWith(directory),
    `${JSON.stringify(href)} is not in the directory of the listing`,
  );
}

/** Returns the results of all field parsers for a reply, regardless of the reply code. */
function parseEveryReplyField(reply: Reply): unknown {
  const text = formatFtpReplyOnOneLine(reply);
  assertCondition(!/[\u0000-\u001f\u007f-\u009f]/.test(text), "the formatted reply has control characters");
  const directory = parsePwdReply(reply);
  assertCondition(
    directory === undefined || !/[\0\r\n]/.test(directory),
    "the directory has a character that a command cannot contain",
  );
  const facts = parseMlstReply(reply);
  const size = parseSizeReply(reply);
  assertCondition(size === undefined || Number.isSafeInteger(size), "the size is not a safe integer");
  return {
    ...reply,
    text,
    directory,
    facts,
    size,
    modified: parseMdtmReply(reply),
    port: parsePortOrErrorCode(reply),
  };
}

function parsePortOrErrorCode(reply: Reply): number | string {
  try {
    const port = parsePassivePort(reply);
    assertCondition(Number.isInteger(port) && port >= 0, "the port is not a number");
    return port;
  } catch (error) {
    if (error instanceof AccessError) return error.code;
    throw error;
  }
}
