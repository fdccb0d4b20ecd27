import { type TestServer, startNntpTestServer } from "@anyscheme/servers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { parseNewsServerList } from "../../src/config/news-servers.ts";
import { runCommandInProcess } from "../command-in-process.ts";

const articleHeader =
  "From: Alice\u001b[31m With A Very Long Name <a@x>\nDate: Fri, 20 Nov 2026 20:01:00 GMT\nNewsgroups: a.b\n";
const hostileArticle = `${articleHeader}Message-ID: <one@x.example>\nSubject: first\u001b]0;owned\u0007\n\ncaf\u00e9\ttab\rspoilt\u001b[2J\u0000\n`;

let nntpServer: TestServer;
beforeAll(async () => {
  nntpServer = await startNntpTestServer({
    groups: {
      "a.b": {
        description: "About\u001b[1m A",
        articles: [hostileArticle, `${articleHeader}Subject: second\n\nx\n`],
      },
      "c.d": { articles: [] },
    },
  });
});
afterAll(() => nntpServer.stop());
afterEach(() => vi.unstubAllEnvs());

const formatNntpUrl = (path: string): string => `nntp://127.0.0.1:${nntpServer.port}/${path}`;

describe("the command supports news URLs", () => {
  it("ls lists a newsgroup by its nntp URL, one article per line", async () => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(["ls", formatNntpUrl("a.b")]);
    expect({ exitCode, stderr, lines: stdout.split("\n") }).toEqual({
      exitCode: 0,
      stderr: "",
      lines: [
        "       1  2026-11-20 20:01  Alice\\x1b[31m With A Ve…  first\\x1b]0;owned\\x07",
        "       2  2026-11-20 20:01  Alice\\x1b[31m With A Ve…  second",
        "",
      ],
    });
  });

  it("ls lists the newsgroups of an NNTP server", async () => {
    const { stdout } = await runCommandInProcess(["ls", formatNntpUrl("")]);
    expect(stdout.split("\n")).toEqual(["a.b                               About\\x1b[1m A", "c.d", ""]);
  });

  it("ls --json prints the number, URL, message-id and date of an article", async () => {
    const { stdout } = await runCommandInProcess(["ls", "--json", formatNntpUrl("a.b")]);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({
      number: 1,
      url: formatNntpUrl("a.b/1"),
      messageId: "one@x.example",
      modified: "2026-11-20T20:01:00.000Z",
    });
  });

  it("get writes an article unchanged to a pipe, and with escaped control characters to a terminal", async () => {
    const bytes = Buffer.from(hostileArticle.replaceAll("\n", "\r\n"));
    expect((await runCommandInProcess(["get", formatNntpUrl("a.b/1")])).io.stdout.bytes).toEqual(bytes);
    const { exitCode, stdout } = await runCommandInProcess(["get", formatNntpUrl("a.b/1")], {
      terminal: true,
    });
    expect(exitCode).toBe(0);
    expect(stdout).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/);
    expect(stdout).toContain(
      "Subject: first\\x1b]0;owned\\x07\r\n\r\ncaf\u00e9\ttab\\x0dspoilt\\x1b[2J\\x00\r\n",
    );
  });

  it("get of a news URL connects to the server in NNTPSERVER", async () => {
    vi.stubEnv("NNTPSERVER", `127.0.0.1:${nntpServer.port}`);
    expect((await runCommandInProcess(["get", "news:one@x.example"])).stdout).toContain("Subject: first");
    expect((await runCommandInProcess(["ls", "news:a.b"])).stdout).toContain("second");
    expect((await runCommandInProcess(["ls", "news:*"])).stdout).toMatch(/^a\.b /);
  });

  it.each([
    ["", /no news server is configured.*NNTPSERVER/s],
    ["h/x", /NNTPSERVER is invalid \(set the variable to host/],
  ])("the error for the unusable NNTPSERVER %j names the variable", async (value, message) => {
    vi.stubEnv("NNTPSERVER", value);
    const { exitCode, stdout, stderr } = await runCommandInProcess(["get", "news:one@x.example"]);
    expect(exitCode).not.toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
  });
});

describe("parseNewsServerList", () => {
  it.each([
    [undefined, []],
    ["", []],
    ["news.example.org", [{ host: "news.example.org" }]],
    ["a.example:1119, b.example", [{ host: "a.example", port: 1119 }, { host: "b.example" }]],
    ["[::1]:119", [{ host: "[::1]", port: 119 }]],
  ])("parseNewsServerList parses NNTPSERVER=%j", (text, servers) => {
    expect(parseNewsServerList(text)).toEqual(servers);
  });
});
