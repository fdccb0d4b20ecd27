import { ftpSyntax } from "@anyscheme/scheme-ftp";
import { AccessError } from "@anyscheme/core";
import type { Reply } from "@anyscheme/core/io";
import { FtpReplyParser } from "../../../packages/scheme-ftp/src/session/reply.ts";
import { parseMlstReply } from "../../../packages/scheme-ftp/src/listing/mlsd.ts";
import { parseListing } from "../../../packages/scheme-ftp/src/listing/listing.ts";
import { crlfToLf } from "../../../packages/scheme-ftp/src/transfer/newlines.ts";
import {
  parsePwdReply,
  parsePassiveReply,
  parseSizeReply,
  parseMdtmReply,
  formatReply,
} from "../../../packages/scheme-ftp/src/session/reply.ts";
import { arriving, textOf } from "../chunked-reader.ts";
import { type Decoder, hold } from "../decoder.ts";

const replies = [
  "220 (vsFTPd 3.0.3)\r\n331 Please specify the password.\r\n230 Login successful.\r\n",
  "123-First line\r\nSecond line\r\n  234 A line beginning with numbers\r\n123 The last line\r\n",
  '257 "/srv/""odd"" name" is the current directory\r\n250 ok\r\n',
  "229 Entering Extended Passive Mode (|||6446|)\r\n227 Entering Passive Mode (127,0,0,1,25,46).\r\n",
  "213 19991005213102.25\r\n213 1057\r\n",
  "250-Begin\r\n type=file;size=1057;modify=20241120000000;unix.mode=0644; a;b.txt\r\n250 End.\r\n",
  "220\r\n226-a\n226-b\n226\n421 Timeout.\r\n550 caf\xc3\xa9\x1b[2J\r\n",
];

const lists: readonly (readonly [command: string, url: string, samples: readonly string[]])[] = [
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

export const ftp: readonly Decoder[] = [
  {
    name: "FTP replies",
    samples: replies,
    *decode(pieces, limits) {
      const parser = new FtpReplyParser(limits);
      for (const piece of pieces) {
        for (let bytes = piece; bytes.length > 0;) {
          const { reply, used } = parser.push(bytes);
          bytes = bytes.subarray(used);
          if (reply) yield readReply(reply);
        }
      }
      yield parser.partial !== "";
    },
  },
  ...lists.map(([command, url, samples]): Decoder => ({
    name: `FTP ${command} of ${url.slice(url.lastIndexOf("/", url.length - 2))}`,
    samples,
    async *decode(pieces, limits) {
      for await (const entry of parseListing(arriving(pieces), command, ftpSyntax.parse(url), limits)) {
        const bytes = Buffer.from(entry.rawName).toString("latin1");
        hold((entry.fault === undefined) === (entry.url !== undefined), "a fault leads somewhere");
        if (entry.url) checkPlace(entry.url.href, url);
        hold(!Number.isNaN(entry.modified?.getTime()), "the time is none");
        hold(entry.size === undefined || Number.isSafeInteger(entry.size), "the size is none");
        yield { ...entry, url: entry.url?.href, bytes };
      }
    },
  })),
  {
    name: "FTP text of TYPE A",
    samples: ["a\r\nb\rc\nd\r\r\n\r\n\r", "\r\r\r\n\n"],
    async *decode(pieces) {
      yield await textOf(crlfToLf(arriving(pieces)));
    },
  },
];

/** Throws unless the URL of an entry is in the directory of the listing. */
function checkPlace(href: string, listing: string): void {
  hold(ftpSyntax.canParse(href, { mode: "strict" }), `${JSON.stringify(href)} does not conform`);
  const directory = listing.slice(0, listing.lastIndexOf("/") + 1);
  hold(href.startsWith(directory), `${JSON.stringify(href)} is elsewhere`);
}

/** Returns all results of parsing a reply. */
function readReply(reply: Reply): unknown {
  const words = formatReply(reply);
  hold(!/[\u0000-\u001f\u007f-\u009f]/.test(words), "the words have control characters");
  const directory = parsePwdReply(reply);
  hold(directory === undefined || !/[\0\r\n]/.test(directory), "the directory cannot be sent back");
  const facts = parseMlstReply(reply);
  const size = parseSizeReply(reply);
  hold(size === undefined || Number.isSafeInteger(size), "the size is none");
  return { ...reply, words, directory, facts, size, modified: parseMdtmReply(reply), port: portIn(reply) };
}

function portIn(reply: Reply): number | string {
  try {
    const port = parsePassiveReply(reply);
    hold(Number.isInteger(port) && port >= 0, "the port is none");
    return port;
  } catch (error) {
    if (error instanceof AccessError) return error.code;
    throw error;
  }
}
