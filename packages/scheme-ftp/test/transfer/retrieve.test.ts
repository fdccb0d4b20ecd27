import { type AccessError, createClient, anyAddress } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { createServer } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import {
  type FtpScript,
  SentStepRecorder,
  formatPlannedCommands,
  startScriptedFtpServer,
} from "../scripted-ftp-server.ts";
import {
  createServerUrl,
  ftpClient,
  getSentCommands,
  readTextOrEntryNames,
  fetchTextOrError,
} from "./fetch-text.ts";

describe("a retrieval sends the commands of its plan", () => {
  it.each<[string, string, string, FtpScript]>([
    ["a file", "/dir//b.bin", "", {}],
    ["a login", "/%2Fb.bin", "me:p%40ss@", {}],
    ["an empty password", "/b.bin", "me:@", {}],
    ["a login without a password", "/b.bin", "", { replies: { USER: "230 in\r\n" } }],
    ["a list of names", "/dir;type=d", "", {}],
    ["a listing", "/", "", { serveData: (peer) => peer.send("-rw-r--r-- 1 0 0 5 Nov 20 21:09 hello\r\n") }],
    ["a listing from a server that does not support LIST", "/", "", { replies: { LIST: "502 no\r\n" } }],
    ["bytes that are not UTF-8", "/%E9%FF/%80", "", {}],
    [
      "a login to a server that asks the client to wait before the greeting",
      "/b.bin",
      "",
      { greeting: "120 wait\r\n220-now\r\n220 ready\r\n" },
    ],
    [
      "a transfer with two preliminary replies",
      "/b.bin",
      "",
      { transferEndReply: "150 again\r\n226 done\r\n" },
    ],
    ["a temporary refusal of SIZE", "/b.bin", "", { replies: { SIZE: "451 local error\r\n" } }],
    ["a final reply 250", "/b.bin", "", { replies: { CWD: "200 ok\r\n" }, transferEndReply: "250 done\r\n" }],
    [
      "a retrieval whose final reply arrives before the data",
      "/b.bin",
      "",
      { replies: { RETR: "150 ok\r\n226 done\r\n" } },
    ],
  ])("the client sends the planned commands for %s", async (_, path, login, script) => {
    await using server = await startScriptedFtpServer(script);
    const sentSteps = new SentStepRecorder();
    const resource = await ftpClient.dereference(createServerUrl(server, path, login) as "ftp://h/", {
      trace: sentSteps.onTraceEvent,
    });
    expect(await readTextOrEntryNames(resource)).toBe("hello");
    expect(await getSentCommands(server)).toBe(sentSteps.getSentBytes(resource.plan));
  });

  it("the error of a refused command names its step, and not QUIT", async () => {
    await using server = await startScriptedFtpServer({ replies: { RETR: "550 no file\r\n" } });
    const error = (await fetchTextOrError(createServerUrl(server))) as AccessError;
    expect(await getSentCommands(server)).toMatch(/\r\nQUIT\r\n$/);
    expect(error.step?.description).toBe("the server replies 125 or 150 (transfer starts)");
  });

  it("the client sends PASV after a refusal of EPSV, and ignores the address in the reply", async () => {
    await using data = await startScriptedServer((peer) => peer.send("hello"));
    const tripwire = createServer((socket) => socket.destroy(new Error("reached")));
    let expectedCommands = 0;
    tripwire.on("connection", () => expectedCommands++).listen(data.port, "127.0.0.2");
    await once(tripwire, "listening");
    const pasv = `227 passive (127,0,0,2,${data.port >> 8},${data.port & 255})\r\n`;
    await using server = await startScriptedFtpServer({
      replies: { EPSV: "500 what?\r\n", PASV: pasv, RETR: "150 ok\r\n226 done\r\n" },
    });
    expect(await fetchTextOrError(createServerUrl(server))).toBe("hello");
    expect(await getSentCommands(server)).toBe(
      formatPlannedCommands(ftpClient.plan(createServerUrl(server)), "331", "5"),
    );
    expect(expectedCommands).toBe(0);
    tripwire.close();
  });

  it.each([
    ["/a.txt", {}, "one\r\ntwo\r\n"],
    ["/a.txt", { exactBytes: false }, "one\ntwo\n"],
    ["/a.txt;type=a", {}, "one\ntwo\n"],
  ])("client.fetch of %s with the options %j returns %j", async (path, init, text) => {
    await using server = await startScriptedFtpServer({ serveData: (peer) => peer.send("one\r\ntwo\r\n") });
    expect(await (await ftpClient.fetch(createServerUrl(server, path), init)).text()).toBe(text);
  });

  it("the client returns the media type and the completeness of a file", async () => {
    await using server = await startScriptedFtpServer();
    const file = await ftpClient.dereference(createServerUrl(server, "/a.gif") as "ftp://h/");
    expect(file.kind).toBe("content");
    if (file.kind !== "content") return;
    expect(file.mediaType).toBe("image/gif");
    await file.bytes();
    expect(await file.completeness).toBe("verified");
  });
});

describe("the client requests credentials that the URL lacks", () => {
  it("the client requests a password if the URL has only a user name and the server requires a password", async () => {
    await using server = await startScriptedFtpServer();
    const questions: unknown[] = [];
    const asking = createClient({
      schemes: [ftp({ idleTimeoutMs: 0 })],
      policy: anyAddress(),
      credentials: (question) => {
        questions.push(question);
        return { password: "sécret" };
      },
    });
    expect(await fetchTextOrError(createServerUrl(server, "/a.bin", "me%20too@"), asking)).toBe("hello");
    expect(questions).toEqual([
      {
        scheme: "ftp",
        host: "127.0.0.1",
        port: server.port,
        user: "me too",
        requestedSecret: "password",
        isCrossOrigin: false,
      },
    ]);
    expect(await getSentCommands(server)).toBe(
      "USER me too\r\nPASS s\xc3\xa9cret\r\nTYPE I\r\nSIZE a.bin\r\nEPSV\r\nRETR a.bin\r\nQUIT\r\n",
    );
  });

  it("the client requests the account that the server requires", async () => {
    await using server = await startScriptedFtpServer({ replies: { PASS: "332 account?\r\n" } });
    const asking = createClient({
      schemes: [ftp({ idleTimeoutMs: 0 })],
      policy: anyAddress(),
      credentials: ({ requestedSecret: wants }) => ({ password: wants }),
    });
    expect(await fetchTextOrError(createServerUrl(server, "/a.bin", "me:pw@"), asking)).toBe("hello");
    expect(await getSentCommands(server)).toContain("PASS pw\r\nACCT account\r\nTYPE");
  });

  it.each<[string, string, FtpScript, string, boolean]>([
    ["a missing password", "me@", {}, "authentication-required", false],
    ["a missing account", "", { replies: { USER: "332 account?\r\n" } }, "authentication-required", false],
    [
      "a wrong password",
      "me:needle@",
      { replies: { PASS: "530 no, not needle\r\n" } },
      "permission-denied",
      true,
    ],
    [
      "a reply that contains the password",
      "me:needle@",
      { replies: { PASS: "needle\r\n" } },
      "protocol",
      true,
    ],
    ["a wrong empty password", "me:@", { replies: { PASS: "530 no\r\n" } }, "permission-denied", true],
    ["an anonymous user", "", { replies: { USER: "530 no\r\n" } }, "authentication-required", false],
  ])("the client reports an error without the password for %s", async (_, login, script, code, sendsPass) => {
    await using server = await startScriptedFtpServer(script);
    const error = (await fetchTextOrError(createServerUrl(server, "/a.bin", login))) as AccessError;
    expect(error.code).toBe(code);
    expect(error.message).not.toContain("needle");
    expect((await getSentCommands(server))?.includes("PASS")).toBe(sendsPass);
  });

  it("the client does not send a password with a line end", async () => {
    await using server = await startScriptedFtpServer();
    const asking = createClient({
      schemes: [ftp({ idleTimeoutMs: 0 })],
      policy: anyAddress(),
      credentials: () => ({ password: "x\r\nDELE y" }),
    });
    expect(await fetchTextOrError(createServerUrl(server, "/a.bin", "me@"), asking)).toMatchObject({
      code: "refused-characters",
    });
    expect(await getSentCommands(server)).toBe("USER me\r\n");
  });
});
