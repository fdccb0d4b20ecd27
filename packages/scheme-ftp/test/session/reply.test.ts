import { AccessError } from "@anyscheme/core";
import { mergeLimits } from "@anyscheme/core/plugin";
import { describe, expect, it } from "vitest";
import type { Reply } from "@anyscheme/core/io";
import { FtpReplyParser } from "../../src/session/reply.ts";
import { formatFtpReplyOnOneLine, parsePassivePort } from "../../src/session/reply.ts";

const replyLimits = mergeLimits({ maxReplyLineBytes: 40, maxReplyBytes: 100 });

function parseReplies(chunks: readonly string[]): Reply[] {
  const parser = new FtpReplyParser(replyLimits);
  const replies: Reply[] = [];
  for (const chunk of chunks) {
    for (let bytes = Buffer.from(chunk, "latin1"); bytes.length > 0;) {
      const { reply, usedBytes } = parser.push(bytes);
      bytes = bytes.subarray(usedBytes);
      if (reply) replies.push(reply);
    }
  }
  return replies;
}

function getReplyError(chunks: readonly string[]): Partial<AccessError> {
  try {
    parseReplies(chunks);
  } catch (error) {
    return error as AccessError;
  }
  return {};
}

// The first reply is the multi-line example of RFC 959 §4.2.
const replyChunk =
  "123-First line\r\nSecond line\r\n  234 A line beginning with numbers\r\n123 The last line\r\n220\r\n226-a\n226-b\n226\n";

const expectedReplies: Reply[] = [
  {
    code: "123",
    text: "123-First line\nSecond line\n  234 A line beginning with numbers\n123 The last line",
  },
  { code: "220", text: "220" },
  { code: "226", text: "226-a\n226-b\n226" },
];

describe("FtpReplyParser reads the Telnet protocol of the control connection", () => {
  it.each([
    ["a request for an option", "\xff\xfd\x18220 hi\r\n", "220 hi"],
    ["an offer of an option and a NOP", "220-hi\r\n\xff\xfb\x01\xff\xf1220 hi\r\n", "220-hi\n220 hi"],
    ["a doubled byte 255", '257 "/x\xff\xff\xff\xff"\r\n', '257 "/x\xff\xff"'],
    ["a byte 255 that is not doubled", '257 "/x\xff"\r\n', '257 "/x\xff"'],
  ])("FtpReplyParser parses a reply with %s wherever the bytes are split", (_, chunk, text) => {
    const expected = [{ code: text.slice(0, 3), text }];
    for (let at = 0; at <= chunk.length; at++)
      expect(parseReplies([chunk.slice(0, at), chunk.slice(at)])).toEqual(expected);
    expect(parseReplies(Array.from(chunk))).toEqual(expected);
  });

  it("a Telnet command between two replies is no beginning of a reply", () => {
    const parser = new FtpReplyParser(replyLimits);
    parser.push(Buffer.from("\xff\xfd\x18", "latin1"));
    expect(parser.partialReply).toBe("");
  });
});

describe("FtpReplyParser parses replies from chunks", () => {
  it("FtpReplyParser parses the same replies wherever the bytes are split", () => {
    for (let at = 0; at <= replyChunk.length; at++)
      expect(parseReplies([replyChunk.slice(0, at), replyChunk.slice(at)])).toEqual(expectedReplies);
    expect(parseReplies(Array.from(replyChunk))).toEqual(expectedReplies);
  });

  it.each([
    "SSH-2.0-OpenSSH\r\n",
    "hello\r\n",
    "\r\n",
    "22 x\r\n",
    "2200 x\r\n",
    "620 x\r\n",
    "+OK\r\n",
    "220 \0",
    "\x00220 x\r\n",
    "220-x\r\n\0\r\n",
  ])("FtpReplyParser rejects the text %j, which is no valid reply", (line) => {
    expect(getReplyError([line])).toMatchObject({ code: "protocol" });
  });

  it("the error for a line that is no reply quotes the first 80 characters of the line", () => {
    const parser = new FtpReplyParser(mergeLimits());
    const line = `hello${"x".repeat(74)}yz`;
    expect(() => parser.push(Buffer.from(`${line}\r\n`))).toThrow(
      `the server does not speak FTP: it sent "${line.slice(0, 80)}", which is no reply`,
    );
  });

  it("FtpReplyParser limits the length of a reply line that arrives in one chunk or one byte at a time", () => {
    const line = `220 ${"x".repeat(36)}`;
    for (const chunks of [[`${line}\r\n`], Array.from(`${line}\r\n`)])
      expect(parseReplies(chunks)).toEqual([{ code: "220", text: line }]);
    for (const chunks of [[`${line}x\r\n`], Array.from(`${line}x`), ["x".repeat(40_000)]]) {
      expect(getReplyError(chunks)).toMatchObject({ code: "limit", limit: "maxReplyLineBytes" });
    }
  });

  it.each([
    ["before maxReplyLineBytes", 36, { code: "protocol" }],
    ["after maxReplyLineBytes", 37, { code: "limit" }],
  ])(
    "FtpReplyParser rejects a reply with a NUL %s that arrives in one chunk or one byte at a time",
    (_, count, expected) => {
      const line = `220 ${"x".repeat(count)}\0\r\n`;
      for (const chunks of [[line], Array.from(line)]) expect(getReplyError(chunks)).toMatchObject(expected);
    },
  );

  it("FtpReplyParser limits the length of a reply with many lines", () => {
    const many = (count: number): string => `220-a\r\n${"bbb\r\n".repeat(count)}220 c\r\n`;
    expect(parseReplies([many(17)])[0]?.text.length).toBe(5 + 17 * 4 + 6);
    // A reply of 100 bytes, line ends included.
    expect(parseReplies([many(17).replace("220 c", "220 cc")])).toHaveLength(1);
    expect(getReplyError([many(17).replace("220 c", "220 ccc")])).toMatchObject({ limit: "maxReplyBytes" });
    expect(getReplyError([many(18)])).toMatchObject({ code: "limit", limit: "maxReplyBytes" });
  });
});

describe("parsePassivePort parses the port in a reply to EPSV or PASV", () => {
  const port = (code: string, text: string): number => parsePassivePort({ code, text });

  it.each([
    ["229", "229 Entering Extended Passive Mode (|||6446|)", 6446],
    ["229", "229 ok (!!!6446!)", 6446],
    ["227", "227 Entering Passive Mode (127,0,0,1,25,46).", 6446],
    ["227", "227 Entering Passive Mode 10,0,0,1,25,46", 6446],
    ["227", "227 Entering Passive Mode (127, 0, 0, 1, 25, 46)", 6446],
    ["227", "227 Entering Passive Mode (0,0,0,0,35,241)", 9201],
    ["229", "229 low (|||22|)", 22],
    ["229", "229 high (|||65535|)", 65_535],
    ["227", "227 Entering Passive Mode (127,0,0,1,255,255)", 65_535],
  ])('parsePassivePort parses the port in the %s reply "%s"', (code, text, expected) => {
    expect(port(code, text)).toBe(expected);
  });

  it.each([
    ["229", "229 no port"],
    ["229", "229 (|1|10.0.0.1|6446|)"],
    ["227", "227 (1,182,155)"],
    ["227", "227 (::1,235,21)"],
    ["227", "227 (127,0,0,1,256,1)"],
    ["227", "227 (127,0,0,1,1,256)"],
    ["229", "229 (127,0,0,1,25,46)"],
    ["229", "229 (|||0|)"],
    ["229", "229 (|||65536|)"],
    ["227", "227 (127,0,0,1,0,0)"],
  ])('parsePassivePort rejects the %s reply without a valid port: "%s"', (code, text) => {
    expect(() => port(code, text)).toThrow(AccessError);
  });
});

it("formatFtpReplyOnOneLine replaces control characters in a reply", () => {
  expect(formatFtpReplyOnOneLine({ code: "220", text: "220-caf\xc3\xa9\x1b[2J\n220 b\x9b" })).toBe(
    "220-café\ufffd[2J / 220 b\ufffd",
  );
});
