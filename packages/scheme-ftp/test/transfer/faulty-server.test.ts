import { createClient, type CoreLimits, anyAddress } from "@anyscheme/core";
import { startForbiddenServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { describe, expect, it } from "vitest";
import {
  type FtpScript,
  staySilentUntilClientCloses,
  formatPlannedCommands,
  startScriptedFtpServer,
} from "../scripted-ftp-server.ts";
import { createServerUrl, ftpClient, getSentCommands, fetchTextOrError } from "./fetch-text.ts";

describe("the client reports a server that violates the protocol or refuses a request", () => {
  const smallLimits: Partial<CoreLimits> = {
    maxReplyBytes: 2_000,
    maxReplyLineBytes: 200,
  };
  const shortTimeouts: Partial<CoreLimits> = { firstByteTimeoutMs: 60, idleTimeoutMs: 60 };

  it.each<[string, FtpScript, object]>([
    [
      "a server that is no FTP server",
      { greeting: "SSH-2.0-OpenSSH\r\n" },
      { code: "protocol", reason: expect.stringContaining('"SSH-2.0-OpenSSH"') as string },
    ],
    ["a server that sends a NUL in its greeting", { greeting: "220 rea\0dy\r\n" }, { code: "protocol" }],
    [
      "a server that sends a NUL in an unfinished line of its greeting",
      { greeting: "220-ready\r\n\0" },
      { code: "protocol" },
    ],
    ["a server that sends a NUL in a reply", { replies: { USER: "331 \0\r\n" } }, { code: "protocol" }],
    [
      "a server that sends a NUL in its final reply",
      { transferEndReply: "226 done\0\r\n" },
      { code: "protocol" },
    ],
    ["a server that greets with another code", { greeting: "200 hello\r\n" }, { code: "protocol" }],
    ["a server that has too many users", { greeting: "421 too many users\r\n" }, { code: "unavailable" }],
    [
      "a server that sends no greeting",
      { greeting: undefined },
      { code: "timeout", limit: "firstByteTimeoutMs" },
    ],
    [
      "a server that closes the connection at once",
      { greeting: (peer) => peer.end() },
      { code: "unavailable", reason: "the control connection was lost: the server closed it" },
    ],
    [
      "a server that resets the connection at once",
      { greeting: (peer) => peer.reset() },
      { code: "unavailable" },
    ],
    [
      "a server that resets the connection after USER",
      { replies: { USER: (peer) => peer.reset() } },
      { code: "incomplete", reason: "the control connection was lost: ECONNRESET" },
    ],
    [
      "a server that closes the connection after USER",
      { replies: { USER: (peer) => peer.end() } },
      { code: "incomplete" },
    ],
    [
      "a server that does not reply to USER",
      { replies: { USER: undefined } },
      { code: "timeout", limit: "firstByteTimeoutMs" },
    ],
    [
      "a server that sends only preliminary replies",
      { greeting: "120 wait\r\n".repeat(20) },
      { code: "protocol" },
    ],
    [
      "a server that sends a reply before its command",
      { greeting: "220 ready\r\n230 in\r\n" },
      { code: "protocol" },
    ],
    [
      "a server that closes the connection in reply to SIZE",
      { replies: { SIZE: "421 closing\r\n" } },
      { code: "unavailable", reason: "the server answered SIZE a.bin with: 421 closing" },
    ],
    [
      "a server that sends 421 before it receives a command",
      { greeting: "220 ready\r\n421 bye\r\n" },
      { code: "unavailable" },
    ],
    [
      "a server that sends an endless line",
      { greeting: (peer) => peer.send("220 ".padEnd(100_000, "x")) },
      { code: "limit", limit: "maxReplyLineBytes" },
    ],
    [
      "a server that sends an endless reply",
      { greeting: (peer) => peer.send("220-x\r\n".repeat(10_000)) },
      { code: "limit", limit: "maxReplyBytes" },
    ],
    [
      "a server that sends endless replies",
      { greeting: (peer) => peer.send("220 x\r\n".repeat(10_000)) },
      { code: "protocol" },
    ],
    [
      "a server that refuses a directory",
      { replies: { CWD: "550 dir: No such directory\r\n" } },
      { code: "not-found", reason: "the server answered CWD dir with: 550 dir: No such directory" },
    ],
    [
      "a server that denies access to a directory",
      { replies: { CWD: "550 Permission denied\r\n" } },
      { code: "permission-denied" },
    ],
    [
      "a server that has no such file",
      { replies: { RETR: "550 Failed to open file.\r\n" } },
      { code: "not-found" },
    ],
    [
      "a server that does not support the transfer type",
      { replies: { TYPE: "504 no\r\n" } },
      { code: "unsupported" },
    ],
    [
      "a server that states no port",
      { replies: { EPSV: "229 no\r\n", PASV: "227 no\r\n" } },
      { code: "protocol" },
    ],
    [
      "a server that states a low port",
      { replies: { EPSV: "229 passive (|||22|)\r\n" } },
      { code: "refused-port" },
    ],
    [
      "a server that opens no data connection",
      { replies: { RETR: "425 cannot\r\n" } },
      { code: "unavailable" },
    ],
    [
      "a server that has no passive mode",
      { replies: { EPSV: "500 no\r\n", PASV: "502 no\r\n" } },
      { code: "unsupported" },
    ],
    [
      "a server that reports an aborted transfer",
      { transferEndReply: "426 broken off\r\n" },
      {
        code: "incomplete",
        reason: "the server answered RETR a.bin with: 426 broken off",
        advice: "5 bytes had arrived",
      },
    ],
    [
      "a server that aborts the transfer of a file of known size",
      { replies: { SIZE: "213 10\r\n" }, transferEndReply: "451 disk\r\n" },
      { code: "incomplete", advice: "5 of 10 bytes had arrived" },
    ],
    ["a server that cannot read the file", { transferEndReply: "451 disk\r\n" }, { code: "incomplete" }],
    [
      "a server that closes the connection before 226",
      { transferEndReply: (peer) => peer.end() },
      { code: "incomplete" },
    ],
    [
      "a server that resets the connection before 226",
      { transferEndReply: (peer) => peer.reset() },
      { code: "incomplete" },
    ],
    [
      "a server that never sends 226",
      { transferEndReply: undefined },
      { code: "timeout", limit: "idleTimeoutMs" },
    ],
    [
      "a server that stalls before the data",
      { serveData: staySilentUntilClientCloses },
      { code: "timeout", limit: "firstByteTimeoutMs" },
    ],
    [
      "a server that stalls in the data",
      {
        serveData: (peer) => {
          peer.send("hel");
          return staySilentUntilClientCloses(peer);
        },
      },
      { code: "timeout", limit: "idleTimeoutMs" },
    ],
  ])("the client reports an error for %s", async (_, script, expected) => {
    await using server = await startScriptedFtpServer(script);
    // Servers that cause a timeout are tested with short time limits.
    const limits = "limit" in expected ? { ...smallLimits, ...shortTimeouts } : smallLimits;
    const from = createClient({ schemes: [ftp({ idleTimeoutMs: 0 })], policy: anyAddress(), limits });
    const error = await fetchTextOrError(createServerUrl(server, "/dir/a.bin"), from);
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
    expect(await fetchTextOrError(createServerUrl(server))).toBe("hello");
    await using closing = await startScriptedFtpServer({
      transferEndReply(peer) {
        peer.send("226 done\r\n");
        peer.end();
      },
    });
    expect(await fetchTextOrError(createServerUrl(closing))).toBe("hello");
  });

  it("the client reports a refused data connection", async () => {
    const closed = await startForbiddenServer();
    await closed.stop();
    await using server = await startScriptedFtpServer({
      replies: { EPSV: `229 passive (|||${closed.port}|)\r\n`, PASV: "500 what?\r\n", RETR: undefined },
    });
    expect(await fetchTextOrError(createServerUrl(server))).toMatchObject({ code: "unavailable" });
  });

  it("the client rejects a URL with too many directories before it connects", async () => {
    await using server = await startScriptedFtpServer();
    const few = createClient({
      schemes: [ftp({ idleTimeoutMs: 0 })],
      policy: anyAddress(),
      limits: { maxDirectoryDepth: 2 },
    });
    expect(await fetchTextOrError(createServerUrl(server, "/a/b/c.bin"), few)).toBe("hello");
    expect(await fetchTextOrError(createServerUrl(server, "/a/b/c/d.bin"), few)).toMatchObject({
      code: "limit",
      limit: "maxDirectoryDepth",
    });
    expect(server.controlServer.connections.length).toBe(1);
  });

  it.each([undefined, "stat", "put", "delete", "mkdir", "rename"] as const)(
    "the plan of a URL with too many directories is refused before its steps exist (operation: %s)",
    (operation) => {
      const client = createClient({ schemes: [ftp()], limits: { maxSteps: Infinity } });
      const url = `ftp://h.example/${"/".repeat(65_000)}`;
      expect(() => client.plan(url, { operation, to: operation === "rename" ? url : undefined })).toThrow(
        expect.objectContaining({ code: "limit", limit: "maxDirectoryDepth" }),
      );
    },
  );

  it("the client rejects a URL whose file name is too long before it connects", async () => {
    await using server = await startScriptedFtpServer();
    expect(await fetchTextOrError(createServerUrl(server, `/${"x".repeat(505)}`))).toBe("hello");
    expect(await fetchTextOrError(createServerUrl(server, `/${"x".repeat(506)}`))).toMatchObject({
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
    expect(await fetchTextOrError(createServerUrl(server, path))).toMatchObject({ code });
    expect(server.controlServer.connections.length).toBe(0);
  });

  it("the client parses a greeting that arrives in two chunks", async () => {
    const greeting = "220-hello\r\n220 ready\r\n";
    for (let split = 1; split < greeting.length; split++) {
      await using server = await startScriptedFtpServer({
        async greeting(peer) {
          peer.send(greeting.slice(0, split));
          await new Promise(setImmediate);
          peer.send(greeting.slice(split));
        },
      });
      expect(await fetchTextOrError(createServerUrl(server))).toBe("hello");
    }
  });
});
