import { createClient, anyAddress } from "@anyscheme/core";
import { startRecordingProxy } from "@anyscheme/core/testing";
import { news } from "@anyscheme/scheme-others/news";
import { type RunningServer, SN_FIRST_ARTICLE_NUMBER, startSn } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  requireArticle,
  provideTestCredentials,
  createNntpTestClient,
  readNntpEntriesAndFault,
  matchErrorWithCode,
  getReceivedLines,
  readArticleResourceText,
} from "../scripted-nntp-server.ts";

const articleTexts = Array.from({ length: 20 }, (_, index) =>
  [
    `Message-ID: <n${index + 1}@example.invalid>`,
    `Subject: number ${index + 1}`,
    "From: T <t@example.invalid>",
    "Newsgroups: test.general",
    "Date: Fri, 20 Nov 2026 20:01:00 GMT",
    "",
    "Body\n.dot\n..\n.\nlast\n",
  ].join("\n"),
);

/** sn implements RFC 977, and replies 500 to CAPABILITIES, OVER, LIST NEWSGROUPS and AUTHINFO. */
describeIfServerAvailable("sn", "nntp and news requests to the news server sn", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startSn({
      groups: { "test.general": { articles: articleTexts }, "test.empty": { articles: [] } },
    });
  });
  afterAll(() => server?.stop());

  const url = (path: string, port = server.port): `nntp://${string}` => `nntp://127.0.0.1:${port}/${path}`;

  it("the client retrieves articles over one connection after MODE READER, without the added dots", async () => {
    await using proxy = await startRecordingProxy(server.port);
    await using client = createNntpTestClient();
    const articleUrl = (number: number): `nntp://${string}` => url(`test.general/${number}`, proxy.port);
    const resource = requireArticle(await client.dereference(articleUrl(SN_FIRST_ARTICLE_NUMBER)));
    expect(resource.article).toMatchObject({
      number: SN_FIRST_ARTICLE_NUMBER,
      messageId: "n1@example.invalid",
      subject: "number 1",
    });
    expect(await readArticleResourceText(resource)).toMatch(
      /\r\n\r\nBody\r\n\.dot\r\n\.\.\r\n\.\r\nlast\r\n$/,
    );
    await expect(client.dereference(articleUrl(1))).rejects.toThrow(matchErrorWithCode("not-found", /430/));
    expect(
      await readArticleResourceText(await client.dereference(articleUrl(SN_FIRST_ARTICLE_NUMBER + 1))),
    ).toContain("Subject: number 2\r\n");
    expect(getReceivedLines(proxy)).toEqual([
      ["CAPABILITIES", "MODE READER", "GROUP test.general", "ARTICLE 10", "ARTICLE 1", "ARTICLE 11"],
    ]);
  });

  it("the client lists a group with the command XOVER", async () => {
    await using proxy = await startRecordingProxy(server.port);
    await using client = createNntpTestClient();
    const { entries, fault } = await readNntpEntriesAndFault(
      await client.dereference(url("test.general", proxy.port)),
    );
    expect(fault).toBeUndefined();
    expect(entries.map(({ name }) => name)).toEqual(articleTexts.map((_, index) => `number ${index + 1}`));
    expect(entries[0]).toMatchObject({ number: SN_FIRST_ARTICLE_NUMBER, messageId: "n1@example.invalid" });
    expect(getReceivedLines(proxy)).toEqual([
      ["CAPABILITIES", "MODE READER", "GROUP test.general", "OVER 1-", "XOVER 1-"],
    ]);
    const newest = await client.dereference(url("test.general"), { order: "newest-first" });
    expect((await readNntpEntriesAndFault(newest)).entries.map(({ name }) => name)).toEqual(
      entries.map(({ name }) => name).toReversed(),
    );
    expect((await readNntpEntriesAndFault(await client.dereference(url("test.empty")))).entries).toEqual([]);
    await expect(client.dereference(url("no.such.group"))).rejects.toThrow(
      matchErrorWithCode("not-found", /411/),
    );
  });

  it("the client lists the groups without descriptions", async () => {
    await using client = createNntpTestClient();
    const { entries, fault } = await readNntpEntriesAndFault(await client.dereference(url("")));
    expect(fault).toBeUndefined();
    expect(entries.map(({ name }) => name).toSorted()).toEqual(["test.empty", "test.general"]);
  });

  it("the client retrieves an article by its message identifier, and finds its group and number", async () => {
    const servers = [{ host: "127.0.0.1", port: server.port }];
    await using client = createClient({
      schemes: [news({ servers })],
      policy: anyAddress(),
      credentials: provideTestCredentials,
    });
    const resource = requireArticle(await client.dereference("news:n3@example.invalid"));
    expect(resource.nntpUrl.href).toBe(url(`test.general/${SN_FIRST_ARTICLE_NUMBER + 2}`));
    expect(await readArticleResourceText(resource)).toContain("Subject: number 3\r\n");
    await expect(client.dereference("news:none@example.invalid")).rejects.toThrow(
      matchErrorWithCode("not-found", /430/),
    );
  });

  it("the client sends no login to a server that does not support STARTTLS", async () => {
    await using client = createNntpTestClient({ startTls: "require" });
    await expect(client.dereference(url("test.general/10"))).rejects.toThrow(
      matchErrorWithCode("unsupported", /500/),
    );
  });
});
