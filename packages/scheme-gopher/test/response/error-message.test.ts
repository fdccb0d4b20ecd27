import { describe, expect, it } from "vitest";
import { detectGopherError } from "../../src/response/error-message.ts";
import { type GopherPlusHeader, parseGopherPlusHeader } from "../../src/gopher-plus/reply.ts";

const encodeLatin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("detectGopherError detects an error message in a plain Gopher response", () => {
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
  ])("detectGopherError detects the error message in the response %j", (response, message) => {
    expect(detectGopherError(encodeLatin1(response), true)?.value).toEqual({
      accessErrorCode: "not-found",
      message,
    });
  });

  it.each([
    "",
    "3 apples, 4 pears\n",
    "3\t4\t5\t6\n",
    "0 and so on\tx\ty\t1\r\n",
    "3Gone\t\terror.host\t1\r\n0But see\t/x\th\t70\r\n.\r\n",
    "iinfo\t\terror.host\t1\r\n",
    `3${"x".repeat(5000)}\t\terror.host\t1\r\n`,
  ])("detectGopherError detects no error message in the item %j", (response) => {
    expect(detectGopherError(encodeLatin1(response), true)?.value).toBeNull();
  });

  const rule = "_".repeat(67);
  const signature = `${rule}\r\n                 Gophered by Gophernicus/3.1.1 on Debian/12 x86_64\r\n`;

  it.each([
    ["File or directory not found! (null)", "not-found"],
    ["Access denied! Refusing to serve out dotfiles", "permission-denied"],
  ])(
    "detectGopherError detects the signed error message of Gophernicus %s with the code %s",
    (message, accessErrorCode) => {
      const response = `Error: ${message}\r\n${signature}`;
      // A message without a final dot is complete only at the end of the response.
      for (let length = 0; length <= response.length; length++)
        expect(detectGopherError(encodeLatin1(response.slice(0, length)), false)).toBeUndefined();
      expect(detectGopherError(encodeLatin1(response), true)?.value).toEqual({ accessErrorCode, message });
      expect(detectGopherError(encodeLatin1(`${response}.\r\n`), false)?.value).toEqual({
        accessErrorCode,
        message,
      });
    },
  );

  it.each([
    `Error: a report of one\r\n`,
    `Error: a report of one\r\n${rule}\r\nand more\r\n`,
    `Every error is: one\r\n${signature}`,
    `Error: one\r\n${signature}and more`,
  ])(
    "detectGopherError detects no error message in the text %j, which begins like a signed error message",
    (response) => {
      expect(detectGopherError(encodeLatin1(response), true)?.value).toBeNull();
    },
  );

  it("detectGopherError detects an error message in chunks as soon as its last byte arrives", () => {
    const message = "3Gone\t\terror.host\t1\r\n.\r\n";
    for (let length = 0; length < message.length; length++) {
      expect(detectGopherError(encodeLatin1(message.slice(0, length)), false)).toBeUndefined();
    }
    expect(detectGopherError(encodeLatin1(message), false)?.value?.message).toBe("Gone");
    const followed = detectGopherError(
      encodeLatin1(`${message}0Behind\t/b\th\t70\r\n${"x".repeat(5_000)}`),
      false,
    );
    expect(followed).toMatchObject({ value: { message: "Gone" }, length: message.length });
    expect(detectGopherError(encodeLatin1("H"), false)?.value).toBeNull();
    expect(detectGopherError(encodeLatin1("3 apples\n"), false)?.value).toBeNull();
  });
});

describe("parseGopherPlusHeader parses the header of a Gopher+ reply", () => {
  const rows: [string, GopherPlusHeader | null, string][] = [
    ["+37\r\nHello", { status: "+", bodyEnd: 37 }, "Hello"],
    ["+0\r\n", { status: "+", bodyEnd: 0 }, ""],
    ["+-1\r\n.\r\n", { status: "+", bodyEnd: "dot" }, ".\r\n"],
    ["+-2\nx", { status: "+", bodyEnd: "close" }, "x"],
    ["--1\r\n1 Admin <a@b>\r\n", { status: "-", bodyEnd: "dot", message: "" }, "1 Admin <a@b>\r\n"],
    ["--2\r\nx", { status: "-", bodyEnd: "close", message: "" }, "x"],
    ["-1 not here\r\nx", { status: "-", bodyEnd: "close", message: "1 not here" }, "x"],
    ["-3\r\n", { status: "-", bodyEnd: "close", message: "3" }, ""],
    ["-15\r\n1 Admin <a@b>\r\n", { status: "-", bodyEnd: 15, message: "" }, "1 Admin <a@b>\r\n"],
    ["-13\n1 Admin <a@b>", { status: "-", bodyEnd: 13, message: "" }, "1 Admin <a@b>"],
    ["-1\r\n1 Admin <a@b>\r\n", { status: "-", bodyEnd: "close", message: "1" }, "1 Admin <a@b>\r\n"],
    ["-38\r\nnot here\r\n", { status: "-", bodyEnd: "close", message: "38" }, "not here\r\n"],
    ["+-3\r\n", null, "+-3\r\n"],
    ["+3x\r\n", null, "+3x\r\n"],
    ["+1234567890123456\r\n", null, "+1234567890123456\r\n"],
    ["+INFO: x\r\n", null, "+INFO: x\r\n"],
    ["- an item\r\n", null, "- an item\r\n"],
    ["hello\n", null, "hello\n"],
    ["+37", null, "+37"],
    ["", null, ""],
  ];

  it.each(rows)("parseGopherPlusHeader parses the header of the Gopher+ reply %j", (reply, head, rest) => {
    const verdict = parseGopherPlusHeader(encodeLatin1(reply), true);
    expect(verdict?.value).toEqual(head);
    expect(reply.slice(verdict?.length)).toBe(rest);
  });

  it.each(rows)(
    "parseGopherPlusHeader parses the header of the Gopher+ reply %j from chunks",
    (reply, head) => {
      let length = 0;
      let verdict = parseGopherPlusHeader(encodeLatin1(""), false);
      while (!verdict && length < reply.length)
        verdict = parseGopherPlusHeader(encodeLatin1(reply.slice(0, ++length)), false);
      verdict ??= parseGopherPlusHeader(encodeLatin1(reply), true);
      expect(verdict?.value).toEqual(head);
    },
  );

  it("parseGopherPlusHeader detects no Gopher+ header in a long line", () => {
    expect(parseGopherPlusHeader(encodeLatin1(`-1${"x".repeat(2000)}`), false)?.value).toBeNull();
  });
});
