import { describe, expect, it } from "vitest";
import { startGopherTestServer } from "../../src/test-servers/gopher-test-server.ts";
import { sendAndReceiveAll } from "./send-and-receive.ts";

const servedFiles = {
  "hello.txt": "one\n.two\n..\n",
  "notes/deep/a.md": "# a\r\nb",
  "pic.gif": "GIF89a",
  raw: new Uint8Array([0, 46, 13, 10, 46]),
  plain: "text by its looks",
};

describe("the Gopher test server", () => {
  it.each([
    { request: "/hello.txt", response: "one\r\n..two\r\n...\r\n.\r\n" },
    { request: "hello.txt", response: "one\r\n..two\r\n...\r\n.\r\n" },
    { request: "/notes/deep/a.md", response: "# a\r\nb\r\n.\r\n" },
    { request: "/raw", response: "\0.\r\n." },
    { request: "/pic.gif", response: "GIF89a" },
    { request: "/none", response: "3'/none' does not exist\t\terror.host\t1\r\n.\r\n" },
    { request: "x".repeat(2000), response: "3the request is too long\t\terror.host\t1\r\n.\r\n" },
    { request: "/notes/", response: "1deep\t/notes/deep\t127.0.0.1\tPORT\r\n.\r\n" },
    { request: "/search\tDEEP a.md", response: "0a.md\t/notes/deep/a.md\t127.0.0.1\tPORT\r\n.\r\n" },
    { request: "/search\t", response: ".\r\n" },
    {
      request: "",
      response:
        "0hello.txt\t/hello.txt\t127.0.0.1\tPORT\r\n" +
        "1notes\t/notes\t127.0.0.1\tPORT\r\n" +
        "gpic.gif\t/pic.gif\t127.0.0.1\tPORT\r\n" +
        "0plain\t/plain\t127.0.0.1\tPORT\r\n" +
        "9raw\t/raw\t127.0.0.1\tPORT\r\n" +
        "7Search the names\t/search\t127.0.0.1\tPORT\r\n.\r\n",
    },
  ])("the Gopher test server responds to the request $request", async ({ request, response }) => {
    await using server = await startGopherTestServer({ files: servedFiles });
    expect(await sendAndReceiveAll(server.port, `${request}\r\n`)).toBe(
      response.replaceAll("PORT", String(server.port)),
    );
    expect(server.receivedLines).toEqual(request.length > 1024 ? [] : [request]);
  });
});
