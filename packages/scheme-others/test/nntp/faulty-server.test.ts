import { describe, expect, it } from "vitest";
import {
  type ScriptedReply,
  startScriptedNntpServer,
  requireArticle,
  dereferenceNntpPath,
  createNntpTestClient,
  readNntpEntriesAndFault,
  matchErrorWithCode,
  createOverviewLine,
  getReceivedLines,
  readArticleResourceText,
} from "./scripted-nntp-server.ts";

/** Sends text to the client and closes the connection. */
const sendAndClose =
  (text: string): ScriptedReply =>
  (peer) => {
    peer.send(text);
    peer.end();
  };
const sendNothing: ScriptedReply = () => undefined;

describe("faulty NNTP servers", () => {
  it.each<[string, string, string, ScriptedReply, string, RegExp]>([
    ["the server greets with 400", "g/1", "", "400 busy\r\n", "unavailable", /the connection with: 400 busy/],
    ["the server greets with 502", "g/1", "", "502 go away\r\n", "permission-denied", /502/],
    ["the server greets with 480", "g/1", "", "480 log in\r\n", "authentication-required", /480/],
    ["the server greets with 220, as FTP and SMTP do", "g/1", "", "220 ready\r\n", "protocol", /220 ready/],
    [
      "the server greets as an SSH server does",
      "g/1",
      "",
      "SSH-2.0-x\r\n",
      "protocol",
      /does not speak NNTP/,
    ],
    [
      "the server closes the connection without a greeting",
      "g/1",
      "",
      sendAndClose(""),
      "unavailable",
      /connection was lost/,
    ],
    [
      "the server closes the connection within its greeting",
      "g/1",
      "",
      sendAndClose("200 rea"),
      "incomplete",
      /connection was lost/,
    ],
    [
      "the server greets with a line of 1 MB",
      "g/1",
      "",
      `200 ${"x".repeat(1_000_000)}\r\n`,
      "limit",
      /maxNntpLineBytes/,
    ],
    ["the server answers GROUP with 411", "g/1", "GROUP g", "411 no such group\r\n", "not-found", /411/],
    ["the server answers ARTICLE with 423", "g/1", "ARTICLE 1", "423 no\r\n", "not-found", /423/],
    ["the server answers ARTICLE with 430", "g/1", "ARTICLE 1", "430 no\r\n", "not-found", /430/],
    ["the server requires a login", "g/1", "GROUP g", "480 log in\r\n", "authentication-required", /login/],
    ["the server requires encryption", "g/1", "ARTICLE 1", "483 TLS\r\n", "permission-denied", /nntps/],
    ["ARTICLE gets a reply to GROUP", "g/1", "ARTICLE 1", "211 1 1 1 g\r\n", "protocol", /211/],
    ["ARTICLE gets HTML as reply", "g/1", "ARTICLE 1", "<html>\r\n", "protocol", /does not speak NNTP/],
    [
      "the server closes the connection instead of replying to ARTICLE",
      "g/1",
      "ARTICLE 1",
      sendAndClose(""),
      "incomplete",
      /connection was lost/,
    ],
    [
      "the server sends a reply of 1 MB",
      "g/1",
      "GROUP g",
      `211 ${"1".repeat(1_000_000)}`,
      "limit",
      /maxNntpLineBytes/,
    ],
    [
      "the server sends capabilities without end",
      "g/1",
      "CAPABILITIES",
      `101 c\r\n${"X\r\n".repeat(50_000)}`,
      "limit",
      /maxReplyBytes/,
    ],
    [
      "the server sends an article header of 1 MB",
      "g/1",
      "ARTICLE 1",
      `220 1 <a@x>\r\nX: ${"y".repeat(1_000_000)}`,
      "limit",
      /maxHeaderBytes/,
    ],
    [
      "the server sends an article header of 1000 lines",
      "g/1",
      "ARTICLE 1",
      `220 1 <a@x>\r\n${"X: y\r\n".repeat(1000)}`,
      "limit",
      /maxHeaderLines/,
    ],
    [
      "the server answers GROUP without article numbers",
      "g",
      "GROUP g",
      "211 many\r\n",
      "protocol",
      /no article numbers/,
    ],
    ["the server supports neither OVER nor XOVER", "g", "OVER 1-", "500 what?\r\n", "unsupported", /XOVER/],
  ])("the client rejects the request when %s", async (_, path, line, answer, code, message) => {
    await using server = await startScriptedNntpServer({ [line]: answer });
    const order = line === "GROUP g" && path === "g" ? "newest-first" : "oldest-first";
    const client = createNntpTestClient();
    await expect(dereferenceNntpPath(server, path, { order }, client)).rejects.toThrow(
      matchErrorWithCode(code, message),
    );
    await client.destroy();
    await server.connections[0]?.closed;
  });

  it("the client sends no command before the server greets with 200 or 201", async () => {
    for (const greeting of [
      "220 x\r\n",
      "400 x\r\n",
      "502 x\r\n",
      "300 x\r\n",
      "HTTP/1.1 200 OK\r\n\r\n",
      "-ERR\r\n",
      "+OK\r\n",
    ]) {
      await using server = await startScriptedNntpServer({ "": greeting });
      await expect(dereferenceNntpPath(server, "g/1")).rejects.toThrow(
        matchErrorWithCode(
          greeting.startsWith("4")
            ? "unavailable"
            : greeting.startsWith("5")
              ? "permission-denied"
              : "protocol",
        ),
      );
      expect(getReceivedLines(server)).toEqual([[]]);
    }
  });

  it.each([
    [
      "the server closes the connection within the body",
      "220 1 <a@x>\r\nSubject: a\r\n\r\nbo",
      /the connection ended before/,
    ],
    [
      "the server ends the last line with a bare LF",
      "220 1 <a@x>\r\nSubject: a\r\n\r\nbody\n.\n",
      /the connection ended before/,
    ],
    [
      "the server omits the line with a single dot",
      "220 1 <a@x>\r\nSubject: a\r\n\r\nbody\r\n",
      /the connection ended before/,
    ],
  ])("the client reports an incomplete article when %s", async (_, bytes, message) => {
    await using server = await startScriptedNntpServer({ "ARTICLE 1": sendAndClose(bytes) });
    const resource = requireArticle(await dereferenceNntpPath(server, "g/1"));
    await expect(resource.bytes()).rejects.toThrow(matchErrorWithCode("incomplete", message));
    await expect(resource.completeness).rejects.toThrow(matchErrorWithCode("incomplete"));
  });

  it("the client accepts an article with a line of 1 MB", async () => {
    const line = "x".repeat(1_000_000);
    await using server = await startScriptedNntpServer({
      "ARTICLE 1": `220 1 <a@x>\r\n\r\n${line}\r\n.\r\n`,
    });
    expect(await readArticleResourceText(await dereferenceNntpPath(server, "g/1"))).toBe(`\r\n${line}\r\n`);
  });

  it.each([
    [
      "the server closes the connection within a line",
      sendAndClose(`224 l\r\n${createOverviewLine(1)}2\tsub`),
      "incomplete",
      1,
    ],
    [
      "the server sends a line of 1 MB",
      `224 l\r\n${createOverviewLine(1)}${"x".repeat(1_000_000)}`,
      "limit",
      1,
    ],
    [
      "the server omits the line with a single dot",
      sendAndClose(`224 l\r\n${createOverviewLine(1)}${createOverviewLine(2)}`),
      "incomplete",
      2,
    ],
  ] as const)(
    "the client yields the earlier entries of an overview when %s",
    async (_, answer, code, count) => {
      await using server = await startScriptedNntpServer({ "OVER 1-": answer });
      const directory = await dereferenceNntpPath(server, "g");
      const { entries, fault } = await readNntpEntriesAndFault(directory);
      expect([entries.length, fault]).toEqual([count, matchErrorWithCode(code)]);
      await expect(directory.completeness).rejects.toThrow(matchErrorWithCode(code));
    },
  );

  it.each([
    ["groups", "", "LIST ACTIVE", sendAndClose("215 l\r\ng 1 1 y\r\n"), {}],
    [
      "newest articles",
      "g",
      "OVER 1-1",
      sendAndClose(`224 l\r\n${createOverviewLine(1)}`),
      { order: "newest-first" },
    ],
  ] as const)(
    "the client reports an incomplete list when the server ends the list of %s between two lines",
    async (_, path, line, answer, options) => {
      await using server = await startScriptedNntpServer({ [line]: answer });
      const directory = await dereferenceNntpPath(server, path, options);
      expect((await readNntpEntriesAndFault(directory)).fault).toEqual(
        matchErrorWithCode("incomplete", /line with a single dot/),
      );
      await expect(directory.completeness).rejects.toThrow(matchErrorWithCode("incomplete"));
    },
  );

  it("the client lists no groups when the server closes the connection within the descriptions of groups", async () => {
    await using server = await startScriptedNntpServer({
      "LIST NEWSGROUPS": sendAndClose("215 l\r\ng\tA group\r\n"),
    });
    await expect(dereferenceNntpPath(server, "")).rejects.toThrow(
      matchErrorWithCode("incomplete", /line with a single dot/),
    );
  });

  it.each([
    ["the list of articles", "g", {}],
    ["the list of articles in newest-first order", "g", { order: "newest-first" }],
    ["the list of groups", "", {}],
  ] as const)(
    "the client reports that %s is complete after the line with a single dot",
    async (_, path, options) => {
      await using server = await startScriptedNntpServer({
        "OVER 1-1": `224 l\r\n${createOverviewLine(1)}.\r\n`,
      });
      const directory = await dereferenceNntpPath(server, path, options);
      expect((await readNntpEntriesAndFault(directory)).entries).toHaveLength(1);
      expect(await directory.completeness).toBe("verified");
    },
  );

  it("the client creates an entry of the kind unknown for an overview line that is no article", async () => {
    await using server = await startScriptedNntpServer({
      "OVER 1-": `224 l\r\n${createOverviewLine(1)}no overview\r\nx\ta\tb\tc\t<d>\r\n\r\n..\r\n.\r\n`,
    });
    const { entries, fault } = await readNntpEntriesAndFault(await dereferenceNntpPath(server, "g"));
    expect(fault).toBeUndefined();
    expect(entries.map(({ kind, name, url }) => [kind, name, url === undefined])).toEqual([
      ["article", "subject 1", false],
      ["unknown", "no overview", true],
      ["unknown", "x\ta\tb\tc\t<d>", true],
      ["unknown", "", true],
      ["unknown", ".", true],
    ]);
  });

  it("the client rejects articles outside the requested range of article numbers", async () => {
    await using server = await startScriptedNntpServer({
      "GROUP g": "211 9 1 9 g\r\n",
      "OVER 1-9": `224 l\r\n${createOverviewLine(10)}.\r\n`,
    });
    const { fault } = await readNntpEntriesAndFault(
      await dereferenceNntpPath(server, "g", { order: "newest-first" }),
    );
    expect(fault).toEqual(matchErrorWithCode("protocol", /article 10 for the range 1-9/));
  });
});

describe("requests to silent NNTP servers time out", () => {
  it.each<[string, string, string, ScriptedReply, string]>([
    ["no greeting", "g/1", "", sendNothing, "firstByteTimeoutMs"],
    ["no reply to GROUP", "g/1", "GROUP g", sendNothing, "idleTimeoutMs"],
    ["only half an article", "g/1", "ARTICLE 1", "220 1 <a@x>\r\n\r\nbody\r\n", "idleTimeoutMs"],
    ["only half an overview", "g", "OVER 1-", `224 l\r\n${createOverviewLine(1)}`, "idleTimeoutMs"],
    ["only half the group descriptions", "", "LIST NEWSGROUPS", "215 l\r\n", "idleTimeoutMs"],
  ])("the client reports a timeout when the server sends %s", async (_, path, line, answer, limit) => {
    await using server = await startScriptedNntpServer({ [line]: answer });
    const reading = dereferenceNntpPath(server, path, { limits: { [limit]: 30 } }).then(async (found) =>
      found.kind === "content"
        ? readArticleResourceText(found)
        : Promise.reject((await readNntpEntriesAndFault(found)).fault as Error),
    );
    await expect(reading).rejects.toThrow(matchErrorWithCode("timeout", new RegExp(limit)));
    await server.connections[0]?.closed;
  });
});

describe("the caller aborts NNTP requests", () => {
  it.each([
    ["the signal aborts before the greeting", "g/1", ""],
    ["the signal aborts before the article", "g/1", "ARTICLE 1"],
    ["the signal aborts before the overview", "g", "OVER 1-"],
  ])("the client closes the connection when %s", async (_, path, line) => {
    const controller = new AbortController();
    await using server = await startScriptedNntpServer({ [line]: () => controller.abort() });
    await expect(dereferenceNntpPath(server, path, { signal: controller.signal })).rejects.toThrow(
      matchErrorWithCode("aborted"),
    );
    await server.connections[0]?.closed;
  });

  it("the client closes the connection after an abort within an article, and after client.destroy() within an overview", async () => {
    const open: Record<string, ScriptedReply> = {
      "ARTICLE 1": "220 1 <a@x>\r\n\r\nbody\r\n",
      "OVER 1-": `224 l\r\n${createOverviewLine(1)}`,
    };
    await using server = await startScriptedNntpServer(open);
    const controller = new AbortController();
    const article = requireArticle(await dereferenceNntpPath(server, "g/1", { signal: controller.signal }));
    controller.abort();
    await expect(article.bytes()).rejects.toThrow(matchErrorWithCode("aborted"));
    const client = createNntpTestClient();
    const overview = readNntpEntriesAndFault(await dereferenceNntpPath(server, "g", {}, client));
    await client.destroy();
    expect((await overview).fault).toEqual(matchErrorWithCode("aborted"));
    await Promise.all(server.connections.map(({ closed }) => closed));
  });

  it("the client closes the idle connection when the client is destroyed", async () => {
    await using server = await startScriptedNntpServer();
    const client = createNntpTestClient();
    await readArticleResourceText(await dereferenceNntpPath(server, "g/1", {}, client));
    await client.destroy();
    await server.connections[0]?.closed;
  });
});
