import { describe, expect, it } from "vitest";
import { startSmallGopher } from "../src/small/gopher.ts";
import { exchange } from "./exchange.ts";

const files = {
  "hello.txt": "one\n.two\n..\n",
  "notes/deep/a.md": "# a\r\nb",
  "pic.gif": "GIF89a",
  raw: new Uint8Array([0, 46, 13, 10, 46]),
  plain: "text by its looks",
};

describe("small Gopher server", () => {
  it.each([
    { request: "/hello.txt", answer: "one\r\n..two\r\n...\r\n.\r\n" },
    { request: "hello.txt", answer: "one\r\n..two\r\n...\r\n.\r\n" },
    { request: "/notes/deep/a.md", answer: "# a\r\nb\r\n.\r\n" },
    { request: "/raw", answer: "\0.\r\n." },
    { request: "/pic.gif", answer: "GIF89a" },
    { request: "/none", answer: "3'/none' does not exist\t\terror.host\t1\r\n.\r\n" },
    { request: "x".repeat(2000), answer: "3the request is too long\t\terror.host\t1\r\n.\r\n" },
    { request: "/notes/", answer: "1deep\t/notes/deep\t127.0.0.1\tPORT\r\n.\r\n" },
    { request: "/search\tDEEP a.md", answer: "0a.md\t/notes/deep/a.md\t127.0.0.1\tPORT\r\n.\r\n" },
    { request: "/search\t", answer: ".\r\n" },
    {
      request: "",
      answer:
        "0hello.txt\t/hello.txt\t127.0.0.1\tPORT\r\n" +
        "1notes\t/notes\t127.0.0.1\tPORT\r\n" +
        "gpic.gif\t/pic.gif\t127.0.0.1\tPORT\r\n" +
        "0plain\t/plain\t127.0.0.1\tPORT\r\n" +
        "9raw\t/raw\t127.0.0.1\tPORT\r\n" +
        "7Search the names\t/search\t127.0.0.1\tPORT\r\n.\r\n",
    },
  ])("answers $request", async ({ request, answer }) => {
    await using server = await startSmallGopher({ files });
    expect(await exchange(server.port, `${request}\r\n`)).toBe(
      answer.replaceAll("PORT", String(server.port)),
    );
    expect(server.transcript).toEqual(request.length > 1024 ? [] : [request]);
  });
});
