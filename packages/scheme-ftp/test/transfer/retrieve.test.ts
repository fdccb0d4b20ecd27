import {
  type AccessError,
  type Client,
  createClient,
  type Limits,
  type Resource,
  anyAddress,
} from "@anyscheme/core";
import { startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { createServer } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import {
  type FtpScript,
  type ScriptedFtpServer,
  waitForClose,
  SentStepRecorder,
  formatPlannedCommands,
  startScriptedFtpServer,
} from "../scripted-ftp-server.ts";

const ftpClient = createClient({ schemes: [ftp({ idleTimeoutMs: 0 })], policy: anyAddress() });

const createServerUrl = ({ port }: ScriptedFtpServer, path = "/a.bin", login = ""): string =>
  `ftp://${login}127.0.0.1:${port}${path}`;

async function readResourceText(resource: Resource): Promise<string> {
  if (resource.kind === "content") return resource.text();
  const names: string[] = [];
  if (resource.kind === "directory") for await (const { name } of resource) names.push(name);
  return names.join(" ");
}

/** Returns the content of a URL, or the error of the request. */
async function readUrl(
  url: string,
  from: Client<ReturnType<typeof ftp>> = ftpClient,
): Promise<string | AccessError> {
  try {
    return await readResourceText(await from.dereference(url as "ftp://h/"));
  } catch (error) {
    return error as AccessError;
  }
}

/** Returns the bytes that the first control connection received before it was closed. */
async function getSentCommands(server: ScriptedFtpServer): Promise<string | undefined> {
  const [connection] = server.controlServer.connections;
  await connection?.closed;
  return connection?.received.toString("latin1");
}

describe("a retrieval sends the commands of its plan", () => {
  it.each<[string, string, string, FtpScript]>([
    ["a file", "/dir//b.bin", "", {}],
    ["a login", "/%2Fb.bin", "me:p%40ss@", {}],
    ["an empty password", "/b.bin", "me:@", {}],
    ["a login without a password", "/b.bin", "", { replies: { USER: "230 in\r\n" } }],
    ["a list of names", "/dir;type=d", "", {}],
    ["a listing", "/", "", { serveData: (peer) => peer.send("-rw-r--r-- 1 0 0 5 Nov 20 21:09 hello\r\n") }],
    ["a listing by a server without LIST", "/", "", { replies: { LIST: "502 no\r\n" } }],
    ["bytes that are not UTF-8", "/%E9%FF/%80", "", {}],
    ["a wait before the greeting", "/b.bin", "", { greeting: "120 wait\r\n220-now\r\n220 ready\r\n" }],
    [
      "a transfer with two preliminary replies",
      "/b.bin",
      "",
      { transferEndReply: "150 again\r\n226 done\r\n" },
    ],
    ["a final reply 250", "/b.bin", "", { replies: { CWD: "200 ok\r\n" }, transferEndReply: "250 done\r\n" }],
    ["a final reply before the data", "/b.bin", "", { replies: { RETR: "150 ok\r\n226 done\r\n" } }],
  ])("the client sends the planned commands for %s", async (_, path, login, script) => {
    await using server = await startScriptedFtpServer(script);
    const sentSteps = new SentStepRecorder();
    const resource = await ftpClient.dereference(createServerUrl(server, path, login) as "ftp://h/", {
      trace: sentSteps.onTraceEvent,
    });
    expect(await readResourceText(resource)).toBe("hello");
    expect(await getSentCommands(server)).toBe(sentSteps.getSentBytes(resource.plan));
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
    expect(await readUrl(createServerUrl(server))).toBe("hello");
    expect(await getSentCommands(server)).toBe(
      formatPlannedCommands(ftpClient.plan(createServerUrl(server)), "331", "5"),
    );
    expect(expectedCommands).toBe(0);
    tripwire.close();
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
    expect(await readUrl(createServerUrl(server, "/a.bin", "me%20too@"), asking)).toBe("hello");
    expect(questions).toEqual([
      { scheme: "ftp", host: "127.0.0.1", port: server.port, user: "me too", kind: "password" },
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
      credentials: ({ kind: wants }) => ({ password: wants }),
    });
    expect(await readUrl(createServerUrl(server, "/a.bin", "me:pw@"), asking)).toBe("hello");
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
    const error = (await readUrl(createServerUrl(server, "/a.bin", login))) as AccessError;
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
    expect(await readUrl(createServerUrl(server, "/a.bin", "me@"), asking)).toMatchObject({
      code: "refused-characters",
    });
    expect(await getSentCommands(server)).toBe("USER me\r\n");
  });
});

describe("the client reports a server that violates the protocol or refuses a request", () => {
  const smallLimits: Partial<Limits> = {
    maxReplyBytes: 2_000,
    maxReplyLineBytes: 200,
  };
  const shortTimeouts: Partial<Limits> = { firstByteTimeoutMs: 60, idleTimeoutMs: 60 };

  it.each<[string, FtpScript, object]>([
    [
      "is no FTP server",
      { greeting: "SSH-2.0-OpenSSH\r\n" },
      { code: "protocol", reason: expect.stringContaining('"SSH-2.0-OpenSSH"') as string },
    ],
    ["sends a NUL in its greeting", { greeting: "220 rea\0dy\r\n" }, { code: "protocol" }],
    ["sends a NUL before a line end", { greeting: "220-ready\r\n\0" }, { code: "protocol" }],
    ["sends a NUL in a reply", { replies: { USER: "331 \0\r\n" } }, { code: "protocol" }],
    ["sends a NUL in its final reply", { transferEndReply: "226 done\0\r\n" }, { code: "protocol" }],
    ["greets with another code", { greeting: "200 hello\r\n" }, { code: "protocol" }],
    ["has too many users", { greeting: "421 too many users\r\n" }, { code: "unavailable" }],
    ["sends no greeting", { greeting: undefined }, { code: "timeout", limit: "firstByteTimeoutMs" }],
    [
      "closes the connection at once",
      { greeting: (peer) => peer.end() },
      { code: "unavailable", reason: "the control connection was lost: the server closed it" },
    ],
    ["resets the connection at once", { greeting: (peer) => peer.reset() }, { code: "unavailable" }],
    [
      "resets the connection after USER",
      { replies: { USER: (peer) => peer.reset() } },
      { code: "incomplete", reason: "the control connection was lost: ECONNRESET" },
    ],
    ["closes the connection after USER", { replies: { USER: (peer) => peer.end() } }, { code: "incomplete" }],
    [
      "does not reply to USER",
      { replies: { USER: undefined } },
      { code: "timeout", limit: "firstByteTimeoutMs" },
    ],
    ["sends only preliminary replies", { greeting: "120 wait\r\n".repeat(20) }, { code: "protocol" }],
    ["sends a reply before its command", { greeting: "220 ready\r\n230 in\r\n" }, { code: "protocol" }],
    ["sends 421 without a command", { greeting: "220 ready\r\n421 bye\r\n" }, { code: "unavailable" }],
    [
      "sends an endless line",
      { greeting: (peer) => peer.send("220 ".padEnd(100_000, "x")) },
      { code: "limit", limit: "maxReplyLineBytes" },
    ],
    [
      "sends an endless reply",
      { greeting: (peer) => peer.send("220-x\r\n".repeat(10_000)) },
      { code: "limit", limit: "maxReplyBytes" },
    ],
    [
      "sends endless replies",
      { greeting: (peer) => peer.send("220 x\r\n".repeat(10_000)) },
      { code: "protocol" },
    ],
    [
      "refuses a directory",
      { replies: { CWD: "550 dir: No such directory\r\n" } },
      { code: "not-found", reason: "the server answered CWD dir with: 550 dir: No such directory" },
    ],
    [
      "denies access to a directory",
      { replies: { CWD: "550 Permission denied\r\n" } },
      { code: "permission-denied" },
    ],
    ["has no such file", { replies: { RETR: "550 Failed to open file.\r\n" } }, { code: "not-found" }],
    ["does not support the type", { replies: { TYPE: "504 no\r\n" } }, { code: "unsupported" }],
    ["states no port", { replies: { EPSV: "229 no\r\n", PASV: "227 no\r\n" } }, { code: "protocol" }],
    ["states a low port", { replies: { EPSV: "229 passive (|||22|)\r\n" } }, { code: "refused-port" }],
    ["opens no data connection", { replies: { RETR: "425 cannot\r\n" } }, { code: "unavailable" }],
    ["has no passive mode", { replies: { EPSV: "500 no\r\n", PASV: "502 no\r\n" } }, { code: "unsupported" }],
    [
      "reports an aborted transfer",
      { transferEndReply: "426 broken off\r\n" },
      {
        code: "incomplete",
        reason: "the server answered RETR a.bin with: 426 broken off",
        advice: "5 bytes had arrived",
      },
    ],
    [
      "aborts the transfer of a file of known size",
      { replies: { SIZE: "213 10\r\n" }, transferEndReply: "451 disk\r\n" },
      { code: "incomplete", advice: "5 of 10 bytes had arrived" },
    ],
    ["cannot read the file", { transferEndReply: "451 disk\r\n" }, { code: "incomplete" }],
    ["closes the connection before 226", { transferEndReply: (peer) => peer.end() }, { code: "incomplete" }],
    [
      "resets the connection before 226",
      { transferEndReply: (peer) => peer.reset() },
      { code: "incomplete" },
    ],
    ["never sends 226", { transferEndReply: undefined }, { code: "timeout", limit: "idleTimeoutMs" }],
    ["stalls before the data", { serveData: waitForClose }, { code: "timeout", limit: "firstByteTimeoutMs" }],
    [
      "stalls in the data",
      {
        serveData: (peer) => {
          peer.send("hel");
          return waitForClose(peer);
        },
      },
      { code: "timeout", limit: "idleTimeoutMs" },
    ],
  ])("the client reports an error for a server that %s", async (_, script, expected) => {
    await using server = await startScriptedFtpServer(script);
    // Servers that cause a timeout are tested with short time limits.
    const limits = "limit" in expected ? { ...smallLimits, ...shortTimeouts } : smallLimits;
    const from = createClient({ schemes: [ftp({ idleTimeoutMs: 0 })], policy: anyAddress(), limits });
    const error = await readUrl(createServerUrl(server, "/dir/a.bin"), from);
    expect(error).toMatchObject(expected);
    await Promise.all(
      [...server.controlServer.connections, ...server.dataServer.connections].map(({ closed }) => closed),
    );
    const planned = formatPlannedCommands(ftpClient.plan(createServerUrl(server, "/dir/a.bin")), "331", "5");
    const wire = (await getSentCommands(server)) ?? "";
    const expectedCommands = [
      ...Object.keys(script.replies ?? {}),
      ...("end" in script || "data" in script ? ["RETR"] : []),
    ];
    if ("greeting" in script) expect(wire).toBe("");
    else expect(wire.split(/[ \r\n]+/)).toEqual(expect.arrayContaining(expectedCommands));
    const sent = wire.replace("EPSV\r\nRETR", "EPSV\r\nPASV\r\nRETR");
    // A session without outstanding replies is closed with QUIT.
    expect(planned.startsWith(sent.replace(/QUIT\r\n$/, ""))).toBe(true);
  });

  it("the client reports a body as incomplete when the data connection breaks", async () => {
    let reset = (): void => undefined;
    await using server = await startScriptedFtpServer({
      async serveData(peer) {
        peer.send("hel");
        await new Promise<void>((resolve) => (reset = resolve));
        peer.reset();
      },
    });
    const resource = await ftpClient.dereference(createServerUrl(server) as "ftp://h/");
    reset();
    if (resource.kind !== "content") throw new Error("no file");
    await expect(resource.bytes()).rejects.toMatchObject({ code: "incomplete" });
    await expect(resource.completeness).rejects.toMatchObject({ code: "incomplete" });
  });

  it("the client returns a complete file when the server closes the session after 226", async () => {
    await using server = await startScriptedFtpServer({ transferEndReply: "226 done\r\n421 bye\r\n" });
    expect(await readUrl(createServerUrl(server))).toBe("hello");
    await using closing = await startScriptedFtpServer({
      transferEndReply(peer) {
        peer.send("226 done\r\n");
        peer.end();
      },
    });
    expect(await readUrl(createServerUrl(closing))).toBe("hello");
  });

  it("the client reports a refused data connection", async () => {
    const closed = await startForbiddenServer();
    await closed.stop();
    await using server = await startScriptedFtpServer({
      replies: { EPSV: `229 passive (|||${closed.port}|)\r\n`, PASV: "500 what?\r\n", RETR: undefined },
    });
    expect(await readUrl(createServerUrl(server))).toMatchObject({ code: "unavailable" });
  });

  it("the client rejects a URL with too many directories before it connects", async () => {
    await using server = await startScriptedFtpServer();
    const few = createClient({
      schemes: [ftp({ idleTimeoutMs: 0 })],
      policy: anyAddress(),
      limits: { maxDirectoryDepth: 2 },
    });
    expect(await readUrl(createServerUrl(server, "/a/b/c.bin"), few)).toBe("hello");
    expect(await readUrl(createServerUrl(server, "/a/b/c/d.bin"), few)).toMatchObject({
      code: "limit",
      limit: "maxDirectoryDepth",
    });
    expect(server.controlServer.connections.length).toBe(1);
  });

  it("the client rejects a URL with too long a name before it connects", async () => {
    await using server = await startScriptedFtpServer();
    expect(await readUrl(createServerUrl(server, `/${"x".repeat(505)}`))).toBe("hello");
    expect(await readUrl(createServerUrl(server, `/${"x".repeat(506)}`))).toMatchObject({
      code: "limit",
      limit: "maxCommandBytes",
    });
    expect(server.controlServer.connections.length).toBe(1);
  });

  it.each([
    ["/a%0D%0ADELE%20b/c", "refused-characters"],
    ["/a%0A", "refused-characters"],
    ["/a%00b", "refused-characters"],
    ["/;type=d%0A", "bad-typecode"],
    ["/a%0Db;type=d", "refused-characters"],
  ])("the client rejects the path %s before it connects", async (path, code) => {
    await using server = await startScriptedFtpServer();
    expect(await readUrl(createServerUrl(server, path))).toMatchObject({ code });
    expect(server.controlServer.connections.length).toBe(0);
  });

  it("the client reads a greeting that arrives in two chunks", async () => {
    const greeting = "220-hello\r\n220 ready\r\n";
    for (let split = 1; split < greeting.length; split++) {
      await using server = await startScriptedFtpServer({
        async greeting(peer) {
          peer.send(greeting.slice(0, split));
          await new Promise(setImmediate);
          peer.send(greeting.slice(split));
        },
      });
      expect(await readUrl(createServerUrl(server))).toBe("hello");
    }
  });
});
