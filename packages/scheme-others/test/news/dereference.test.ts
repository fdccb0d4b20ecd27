import {
  type CredentialProvider,
  type Client,
  createClient,
  publicInternet,
  anyAddress,
} from "@anyscheme/core";
import { startRecordingProxy, startForbiddenServer } from "@anyscheme/core/testing";
import { news, type NewsOptions, newsSyntax, snews } from "@anyscheme/scheme-others/news";
import { NntpArticleEntry, NntpGroup } from "@anyscheme/scheme-others/nntp";
import { startNntpTestServer } from "@anyscheme/servers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  requireArticle,
  startScriptedNntpServer,
  readNntpEntriesAndFault,
  matchErrorWithCode,
  getReceivedLines,
  createSentStepListener,
  readArticleResourceText,
} from "../nntp/scripted-nntp-server.ts";

const firstArticle =
  "Message-ID: <one@x.example>\nSubject: first\nNewsgroups: a.b\nXref: host a.b:1\n\nbody\n";
const escapedArticle = "Message-ID: <a%25b/c?d#e@x.example>\nSubject: odd\nNewsgroups: a.b\n\nodd\n";
const newsgroups = {
  "a.b": { description: "A and B", articles: [firstArticle, escapedArticle] },
  "c.d": { articles: [] },
};

const createNewsServerOption = (port: number, groupsOf?: string) => ({
  host: "127.0.0.1",
  port,
  groups: groupsOf,
});

function createNewsClient(
  servers: NewsOptions["servers"],
  options: NewsOptions = {},
  credentials?: CredentialProvider,
): Client<ReturnType<typeof news>> {
  return createClient({ schemes: [news({ servers, ...options })], policy: anyAddress(), credentials });
}

// RFC 1738 §3.6
describe("news URLs", () => {
  it("the client retrieves an article by its message identifier, and returns its nntp URL", async () => {
    await using server = await startNntpTestServer({ groups: newsgroups });
    await using client = createNewsClient([createNewsServerOption(server.port)]);
    const { steps, traceListener } = createSentStepListener();
    const found = requireArticle(await client.dereference("news:one@x.example", { trace: traceListener }));
    expect(found.article).toMatchObject({ number: undefined, messageId: "one@x.example", subject: "first" });
    expect(found.mediaType).toBe("message/rfc822");
    expect(found.nntpUrl.href).toBe(`nntp://127.0.0.1:${server.port}/a.b/1`);
    expect(await readArticleResourceText(found)).toBe(firstArticle.replaceAll("\n", "\r\n"));
    expect(server.receivedLines).toEqual(["CAPABILITIES", "ARTICLE <one@x.example>"]);
    expect(steps.map((step) => step?.description)).toEqual(server.receivedLines);
    expect(found.plan.steps.filter((step) => steps.includes(step))).toEqual(steps);
  });

  it.each([
    ["news:a%2525b/c?d%23e@x.example", "odd"],
    ["news:%3Cone@x.example%3E", "first"],
    ["news:%3Cone@x.example%3e", "first"],
  ])("the client retrieves the article of %s with the subject %s", async (url, subject) => {
    await using server = await startNntpTestServer({ groups: newsgroups });
    await using client = createNewsClient([createNewsServerOption(server.port)]);
    expect(requireArticle(await client.dereference(url as "news:*")).article.subject).toBe(subject);
  });

  it("the client derives the nntp URL of an article from the fields Xref and Newsgroups, or returns the URL of the server", async () => {
    const article = (head: string): string => `220 0 <one@x>\r\n${head}\r\n\r\nb\r\n.\r\n`;
    for (const [head, path] of [
      ["Newsgroups: a.b,c.d", "/a.b"],
      ["Newsgroups: 9fans", "/9fans"],
      ["Newsgroups: ../x", "/"],
      ["Xref: host a/b:7 a.b:8", "/a.b/8"],
      ["Xref: host ../x:7", "/"],
      ["X: y", "/"],
    ] as const) {
      await using server = await startScriptedNntpServer({ "ARTICLE <one@x.example>": article(head) });
      await using client = createNewsClient([createNewsServerOption(server.port)]);
      const { nntpUrl: source } = requireArticle(await client.dereference("news:one@x.example"));
      expect(source.href).toBe(`nntp://127.0.0.1:${server.port}${path}`);
    }
  });

  it("the client lists the articles of a group", async () => {
    await using server = await startNntpTestServer({ groups: newsgroups });
    await using client = createNewsClient([createNewsServerOption(server.port)]);
    const found = await client.dereference("news:a.b");
    expect(found.nntpUrl.href).toBe(`nntp://127.0.0.1:${server.port}/a.b`);
    const { entries } = await readNntpEntriesAndFault(found);
    expect(entries.every((entry) => entry instanceof NntpArticleEntry)).toBe(true);
    expect(entries.map(({ name, url }) => [name, url?.href])).toEqual([
      ["first", `nntp://127.0.0.1:${server.port}/a.b/1`],
      ["odd", `nntp://127.0.0.1:${server.port}/a.b/2`],
    ]);
    const newest = await readNntpEntriesAndFault(
      await client.dereference("news:a.b", { order: "newest-first" }),
    );
    expect(newest.entries.map(({ name }) => name)).toEqual(["odd", "first"]);
  });

  it("the client lists all groups for news:*, and the matching groups for a pattern", async () => {
    await using server = await startNntpTestServer({ groups: newsgroups });
    await using client = createNewsClient([createNewsServerOption(server.port)]);
    const found = await client.dereference("news:*");
    expect(found.nntpUrl.href).toBe(`nntp://127.0.0.1:${server.port}/`);
    const { entries } = await readNntpEntriesAndFault(found);
    expect(entries.map((entry) => entry instanceof NntpGroup && [entry.name, entry.description])).toEqual([
      ["a.b", "A and B"],
      ["c.d", undefined],
    ]);
    await readNntpEntriesAndFault(await client.dereference("news:a.*"));
    expect(server.receivedLines.slice(-2)).toEqual(["LIST NEWSGROUPS a.*", "LIST ACTIVE a.*"]);
  });

  it("the client requests a news URL with a server only from that server (RFC 5538)", async () => {
    await using server = await startNntpTestServer({ groups: newsgroups });
    await using forbiddenServer = await startForbiddenServer();
    await using client = createNewsClient([createNewsServerOption(forbiddenServer.port)]);
    const base = `news://127.0.0.1:${server.port}` as const;
    await readNntpEntriesAndFault(await client.dereference(`${base}/a.b`));
    await readNntpEntriesAndFault(await client.dereference(`${base}/*`));
    const found = requireArticle(await client.dereference(`${base}/one@x.example`));
    expect(await readArticleResourceText(found)).toBe(firstArticle.replaceAll("\n", "\r\n"));
    expect(found.nntpUrl.href).toBe(`nntp://127.0.0.1:${server.port}/a.b/1`);
    expect(server.receivedLines.slice(1)).toEqual([
      "GROUP a.b",
      "OVER 1-",
      "LIST NEWSGROUPS",
      "LIST ACTIVE",
      "ARTICLE <one@x.example>",
    ]);
    expect(forbiddenServer.connections).toHaveLength(0);
  });

  it("the mode rfc1738 requests an article with '//' from the configured server", () => {
    const client = createNewsClient(["one.example"]);
    const connectTo = (mode: "modern" | "rfc1738"): unknown =>
      client.plan(newsSyntax.parse("news://two.example/x@y", { mode })).steps[0]?.description;
    expect([connectTo("modern"), connectTo("rfc1738")]).toEqual(["two.example", "one.example"]);
  });
});

// RFC 5538 §8.1
describe("snews URLs", () => {
  const servers = ["one.example", { host: "two.example", scheme: "nntps" as const }];

  it.each([
    ["snews://h.example/x@y", ["resolve h.example", "connect h.example port 563", "tls TLS with h.example"]],
    ["snews:x@y", ["resolve two.example", "connect two.example port 563", "tls TLS with two.example"]],
  ] as const)("the plan of %s has the steps %j", (text, expected) => {
    const client = createClient({ schemes: [snews({ servers })], policy: anyAddress() });
    const steps = client.plan(text).steps.filter(({ action }) => /^(?:resolve|connect|tls)$/.test(action));
    expect(steps.map(({ action, description }) => `${action} ${description}`)).toEqual(expected);
  });

  it("client.plan rejects an snews URL if no news server with TLS is configured", () => {
    const client = createClient({ schemes: [snews({ servers: ["one.example"] })], policy: anyAddress() });
    expect(() => client.plan("snews:x@y")).toThrow(matchErrorWithCode("unsupported", /with TLS.*"nntps"/));
  });

  it.each([
    ["snews://127.0.0.1/x@y", "refused-address"],
    ["snews://127.0.0.1:563/x@y", "refused-address"],
    ["snews://127.0.0.1:119/x@y", "refused-port"],
    ["snews://127.0.0.1:25/x@y", "refused-port"],
  ] as const)("the guard judges the server of %s: %s", async (text, code) => {
    await using client = createClient({ schemes: [snews()], policy: publicInternet() });
    await expect(client.dereference(text)).rejects.toThrow(matchErrorWithCode(code));
  });
});

describe("several news servers", () => {
  it("the client tries the servers in order until a server has the article", async () => {
    await using empty = await startNntpTestServer({ groups: {} });
    await using full = await startNntpTestServer({ groups: newsgroups });
    await using never = await startForbiddenServer();
    await using client = createNewsClient([
      createNewsServerOption(empty.port),
      createNewsServerOption(full.port),
      createNewsServerOption(never.port),
    ]);
    expect((await client.dereference("news:one@x.example")).nntpUrl.effectivePort).toBe(full.port);
    expect((await client.dereference("news:a.b")).nntpUrl.effectivePort).toBe(full.port);
    expect(empty.receivedLines).toEqual(["CAPABILITIES", "ARTICLE <one@x.example>", "GROUP a.b"]);
    expect(never.connections).toHaveLength(0);
  });

  it("client.close() resolves when it is called after an article was read from the second server", async () => {
    await using empty = await startNntpTestServer({ groups: {} });
    await using full = await startNntpTestServer({ groups: newsgroups });
    const client = createNewsClient([createNewsServerOption(empty.port), createNewsServerOption(full.port)]);
    await readArticleResourceText(await client.dereference("news:one@x.example"));
    await client.close();
  });

  it.each<[string, string]>([
    ["a server that cannot be reached", ""],
    ["a server that greets with 400", "400 busy\r\n"],
    ["a server that greets with 502", "502 no\r\n"],
    ["a server that greets with an FTP reply", "220 ready\r\n"],
  ])("the client tries the next server after %s", async (_, greeting) => {
    await using bad = await startScriptedNntpServer({ "": greeting });
    if (greeting === "") await bad.stop();
    await using full = await startNntpTestServer({ groups: newsgroups });
    await using client = createNewsClient([
      createNewsServerOption(bad.port),
      createNewsServerOption(full.port),
    ]);
    expect(await readArticleResourceText(await client.dereference("news:one@x.example"))).toContain("body");
  });

  it("the client throws not-found only if all servers reply not-found", async () => {
    await using empty = await startNntpTestServer({ groups: {} });
    await using other = await startNntpTestServer({ groups: {} });
    await using busy = await startScriptedNntpServer({ "": "400 busy\r\n" });
    const fetchFrom = (...servers: { port: number }[]): Promise<unknown> =>
      createNewsClient(servers.map(({ port }) => createNewsServerOption(port))).dereference(
        "news:one@x.example",
      );
    await expect(fetchFrom(empty, other)).rejects.toThrow(
      matchErrorWithCode("not-found", /127\.0\.0\.1: not-found, 127\.0\.0\.1: not-found/),
    );
    await expect(fetchFrom(empty, busy)).rejects.toThrow(matchErrorWithCode("unavailable", /400 busy/));
    await expect(fetchFrom(empty)).rejects.toThrow(matchErrorWithCode("not-found", /430/));
  });

  it("the client requests a group only from servers whose option groups matches", async () => {
    await using comp = await startNntpTestServer({
      groups: { "comp.x": { articles: [firstArticle] }, "comp.bin.x": { articles: [] } },
    });
    await using rest = await startNntpTestServer({
      groups: { "alt.x": { articles: [escapedArticle] }, "comp.bin.x": { articles: [escapedArticle] } },
    });
    await using client = createNewsClient([
      createNewsServerOption(comp.port, "comp.*,!comp.bin.*"),
      createNewsServerOption(rest.port, "*"),
    ]);
    expect((await client.dereference("news:comp.x")).nntpUrl.effectivePort).toBe(comp.port);
    expect((await client.dereference("news:alt.x")).nntpUrl.effectivePort).toBe(rest.port);
    expect((await client.dereference("news:comp.bin.x")).nntpUrl.effectivePort).toBe(rest.port);
    expect((await client.dereference("news:*")).nntpUrl.effectivePort).toBe(rest.port);
    expect(comp.receivedLines).toEqual(["CAPABILITIES", "GROUP comp.x", "OVER 1-"]);
    await using narrow = createNewsClient([createNewsServerOption(comp.port, "comp.*")]);
    await expect(narrow.dereference("news:alt.x")).rejects.toThrow(
      matchErrorWithCode("unsupported", /for the group alt\.x/),
    );
  });

  it("the scheme news plans the steps for each server", () => {
    const client = createNewsClient(["one.example", { host: "two.example", scheme: "nntps" }]);
    const { steps } = client.plan("news:one@x.example");
    const shown = steps.filter(({ action }) => ["resolve", "connect", "tls", "redirect"].includes(action));
    expect(shown.map(({ action, description: text }) => `${action} ${text}`)).toEqual([
      "resolve one.example",
      "connect one.example port 119",
      "redirect continue with two.example if the previous server fails or has no such article or group",
      "resolve two.example",
      "connect two.example port 563",
      "tls TLS with two.example",
    ]);
  });

  it("the client logs in to a news server with the credentials of the callback", async () => {
    await using server = await startNntpTestServer({
      groups: newsgroups,
      login: { user: "bob", password: "secret" },
    });
    const questions: unknown[] = [];
    await using client = createNewsClient([createNewsServerOption(server.port)], {}, (question) => {
      questions.push(question);
      return { user: "bob", password: "secret" };
    });
    expect(await readArticleResourceText(await client.dereference("news:one@x.example"))).toContain("body");
    expect(questions).toEqual([
      {
        scheme: "nntp",
        host: "127.0.0.1",
        port: server.port,
        requestedSecret: "password",
        isCrossOrigin: false,
      },
    ]);
  });

  it("the client retrieves several articles over one connection", async () => {
    await using server = await startNntpTestServer({ groups: newsgroups });
    await using tap = await startRecordingProxy(server.port);
    await using client = createNewsClient([createNewsServerOption(tap.port)]);
    for (let count = 0; count < 3; count++)
      await readArticleResourceText(await client.dereference("news:one@x.example"));
    expect(getReceivedLines(tap)).toEqual([
      ["CAPABILITIES", ...Array<string>(3).fill("ARTICLE <one@x.example>")],
    ]);
  });
});

describe("the client refuses news requests before it sends them", () => {
  // Only the command-line tool reads the variable NNTPSERVER. A program that uses the library must configure its news
  // servers.
  it.each([undefined, "127.0.0.1"])(
    "the client rejects news URLs without configured servers although NNTPSERVER is %s, and advises to set servers",
    async (named) => {
      vi.stubEnv("NNTPSERVER", named);
      onTestFinished(() => void vi.unstubAllEnvs());
      const client = createClient({ schemes: [news()], policy: anyAddress() });
      await expect(client.dereference("news:a.b")).rejects.toThrow(
        matchErrorWithCode("unsupported", /no news server.*servers: \[/),
      );
      expect(() => client.plan("news:*")).toThrow(matchErrorWithCode("unsupported"));
    },
  );

  it.each([
    "a%0D%0APOST@x",
    "a%0Db@x",
    "a%3E%20b@x",
    "a%3Eb@x",
    "a%00@x",
    "a%20b@x",
    "a@x%0D%0A",
    "%C3%A9@x",
    `${"a".repeat(300)}@x`,
  ])("the client refuses the invalid message identifier in news:%.30s", async (article) => {
    await using forbiddenServer = await startForbiddenServer();
    const client = createNewsClient([createNewsServerOption(forbiddenServer.port)]);
    const asking = client.dereference(`news:${article}`).catch((error: unknown) => error);
    // Some of the tested texts are not valid URLs.
    expect((await asking) as { name: string }).toMatchObject({
      name: expect.stringMatching(/^(AccessError|UrlSyntaxError)$/) as string,
    });
    expect(forbiddenServer.connections).toHaveLength(0);
  });

  it("the client refuses an address that the policy forbids, and tries no other server", async () => {
    await using forbiddenServer = await startForbiddenServer();
    const servers = [
      createNewsServerOption(forbiddenServer.port),
      createNewsServerOption(forbiddenServer.port),
    ];
    const client = createClient({ schemes: [news({ servers })], policy: publicInternet() });
    await expect(client.dereference("news:a.b")).rejects.toThrow(matchErrorWithCode("refused-address"));
    expect(forbiddenServer.connections).toHaveLength(0);
  });

  // The scheme of the server determines the default port: 119 for nntp, 563 for nntps.
  it.each<
    [scheme: "nntp" | "nntps", port: number | undefined, allowed: boolean, allow: Record<string, number[]>]
  >([
    ["nntps", undefined, true, {}],
    ["nntps", 563, true, {}],
    ["nntp", 119, true, {}],
    ["nntps", 564, false, {}],
    ["nntp", 563, false, {}],
    ["nntps", 25, false, {}],
    ["nntps", 564, true, { news: [564] }],
    ["nntps", 564, true, { nntps: [564] }],
    ["nntps", 564, false, { nntp: [564] }],
    ["nntp", 563, true, { news: [563] }],
  ])(
    "the client checks the port of a news server with the scheme %s and the port %s (allowed: %s) under allowPorts %j",
    async (scheme, port, allowed, allowPorts) => {
      // The policy refuses the address of the server, so requests with a permitted port fail as well.
      const servers = [{ host: "127.0.0.1", scheme, port }];
      await using client = createClient({
        schemes: [news({ servers })],
        policy: publicInternet({ allowPorts }),
      });
      const code = allowed ? "refused-address" : "refused-port";
      await expect(client.dereference("news:a.b")).rejects.toThrow(matchErrorWithCode(code));
    },
  );

  it("the client refuses the port of nntps in a news URL with a server", async () => {
    await using client = createNewsClient(["one.example"]);
    await expect(client.dereference("news://127.0.0.1:563/a.b")).rejects.toThrow(
      matchErrorWithCode("refused-port"),
    );
  });

  it("the client refuses the port of nntps with strictPorts, except for a server with the scheme nntps", async () => {
    const servers = [{ host: "127.0.0.1", scheme: "nntps" } as const];
    await using client = createClient({
      schemes: [news({ servers })],
      policy: publicInternet({ strictPorts: true }),
    });
    await expect(client.dereference("news:a.b")).rejects.toThrow(matchErrorWithCode("refused-address"));
  });
});

it.each(["", "a b", "u@h", "h/x", "h:x", "127.1", "[::1"])(
  "the client rejects %j as the host of a news server",
  (host) => {
    expect(() => news({ servers: [host] })).toThrow(TypeError);
  },
);
