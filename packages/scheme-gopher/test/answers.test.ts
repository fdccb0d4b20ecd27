import { describe, expect, it } from "vitest";
import { judgeErrorMessage } from "../src/level-zero.ts";
import { type Head, judgeHead } from "../src/plus/head.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("an answer without a head", () => {
  it.each([
    ["0'/nosuch' does not exist!!\t\terror.host\t1\r\n.\r\n", "'/nosuch' does not exist!!"],
    [
      "3'/missing' does not exist (no handler found)\t\terror.host\t1\r\n",
      "'/missing' does not exist (no handler found)",
    ],
    ["3Nothing\t\tnull.host\t0", "Nothing"],
    [
      "3Error: File or directory not found! (null)\tTITLE\tnull.host\t1\r\ni____\t\tnull.host\t1\r\ni Gophernicus\t\tnull.host\t1\r\n.\r\n",
      "Error: File or directory not found! (null)",
    ],
    ["3a\x1b[2Jb\t\terror.host\t1\n", "a [2Jb"],
  ])("%j is an error message", (answer, words) => {
    expect(judgeErrorMessage(bytes(answer), true)?.value).toEqual({ code: "not-found", words });
  });

  it.each([
    "",
    "3 apples, 4 pears\n",
    "3\t4\t5\t6\n",
    "0 and so on\tx\ty\t1\r\n",
    "3Gone\t\terror.host\t1\r\n0But see\t/x\th\t70\r\n.\r\n",
    "iinfo\t\terror.host\t1\r\n",
    `3${"x".repeat(5000)}\t\terror.host\t1\r\n`,
  ])("%j is the item itself", (answer) => {
    expect(judgeErrorMessage(bytes(answer), true)?.value).toBeNull();
  });

  const rule = "_".repeat(67);
  const signature = `${rule}\r\n                 Gophered by Gophernicus/3.1.1 on Debian/12 x86_64\r\n`;

  it.each([
    ["File or directory not found! (null)", "not-found"],
    ["Access denied! Refusing to serve out dotfiles", "permission-denied"],
  ])("of a server that signs its messages: %s is %s", (words, code) => {
    const message = `Error: ${words}\r\n${signature}`;
    // Without a dot only the end tells that no text follows.
    for (let length = 0; length <= message.length; length++)
      expect(judgeErrorMessage(bytes(message.slice(0, length)), false)).toBeUndefined();
    expect(judgeErrorMessage(bytes(message), true)?.value).toEqual({ code, words });
    expect(judgeErrorMessage(bytes(`${message}.\r\n`), false)?.value).toEqual({ code, words });
  });

  it.each([
    `Error: a report of one\r\n`,
    `Error: a report of one\r\n${rule}\r\nand more\r\n`,
    `Every error is: one\r\n${signature}`,
    `Error: one\r\n${signature}and more`,
  ])("%j is a text, although it begins as such a message does", (answer) => {
    expect(judgeErrorMessage(bytes(answer), true)?.value).toBeNull();
  });

  it("is judged the same in pieces, as soon as it can be", () => {
    const message = "3Gone\t\terror.host\t1\r\n.\r\n";
    for (let length = 0; length < message.length; length++) {
      expect(judgeErrorMessage(bytes(message.slice(0, length)), false)).toBeUndefined();
    }
    expect(judgeErrorMessage(bytes(message), false)?.value?.words).toBe("Gone");
    const followed = judgeErrorMessage(bytes(`${message}0Behind\t/b\th\t70\r\n${"x".repeat(5_000)}`), false);
    expect(followed).toMatchObject({ value: { words: "Gone" }, length: message.length });
    expect(judgeErrorMessage(bytes("H"), false)?.value).toBeNull();
    expect(judgeErrorMessage(bytes("3 apples\n"), false)?.value).toBeNull();
  });
});

describe("the head of a Gopher+ reply", () => {
  const rows: [string, Head | null, string][] = [
    ["+37\r\nHello", { sign: "+", ending: 37 }, "Hello"],
    ["+0\r\n", { sign: "+", ending: 0 }, ""],
    ["+-1\r\n.\r\n", { sign: "+", ending: "dot" }, ".\r\n"],
    ["+-2\nx", { sign: "+", ending: "close" }, "x"],
    ["--1\r\n1 Admin <a@b>\r\n", { sign: "-", ending: "dot", words: "" }, "1 Admin <a@b>\r\n"],
    ["--2\r\nx", { sign: "-", ending: "close", words: "" }, "x"],
    ["-1 not here\r\nx", { sign: "-", ending: "close", words: "1 not here" }, "x"],
    ["-3\r\n", { sign: "-", ending: "close", words: "3" }, ""],
    ["+-3\r\n", null, "+-3\r\n"],
    ["+3x\r\n", null, "+3x\r\n"],
    ["+1234567890123456\r\n", null, "+1234567890123456\r\n"],
    ["+INFO: x\r\n", null, "+INFO: x\r\n"],
    ["- an item\r\n", null, "- an item\r\n"],
    ["hello\n", null, "hello\n"],
    ["+37", null, "+37"],
    ["", null, ""],
  ];

  it.each(rows)("%j", (reply, head, rest) => {
    const verdict = judgeHead(bytes(reply), true);
    expect(verdict?.value).toEqual(head);
    expect(reply.slice(verdict?.length)).toBe(rest);
  });

  it.each(rows)("%j in pieces", (reply, head) => {
    let length = 0;
    let verdict = judgeHead(bytes(""), false);
    while (!verdict && length < reply.length) verdict = judgeHead(bytes(reply.slice(0, ++length)), false);
    verdict ??= judgeHead(bytes(reply), true);
    expect(verdict?.value).toEqual(head);
  });

  it("of a long line is none", () => {
    expect(judgeHead(bytes(`-1${"x".repeat(2000)}`), false)?.value).toBeNull();
  });
});
