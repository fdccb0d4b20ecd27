import { readFile } from "node:fs/promises";
import { startRecordingProxy } from "@anyscheme/core/testing";
import { NntpArticleEntry, NntpGroup } from "@anyscheme/scheme-others/nntp";
import { type NnrpdServer, startNnrpd } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  requireArticle,
  provideTestCredentials,
  createNntpTestClient,
  readNntpEntriesAndFault,
  matchErrorWithCode,
  getReceivedLines,
  type NntpDereferenceOptions,
  readArticleResourceText,
} from "../scripted-nntp-server.ts";

/** The articles of the test group. The first article has header fields that are difficult to parse. */
const articleTexts = Array.from({ length: 300 }, (_, index) => {
  const number = index + 1;
  const head = [
    `Message-ID: <n${number}@example.invalid>`,
    `Subject: ${number === 1 ? "caf\xe9" : `number ${number}`}`,
    "From: T <t@example.invalid>",
    "Newsgroups: test.general",
    "Date: Fri, 20 Nov 2026 20:01:00 GMT",
    ...(number > 1 ? [`References: <n1@example.invalid>`] : []),
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\nBody\r\n.dot\r\n..\r\n.\r\nlast\r\n`, "latin1");
});

describeIfServerAvailable("inn2", "nntp and nntps requests to the news server INN", () => {
  let server: NnrpdServer;
  let nntpsServer: NnrpdServer;
  const groups = {
    "test.general": { description: "General tests", articles: articleTexts },
    "test.empty": { articles: [] },
    "test.private": { articles: articleTexts.slice(0, 1) },
  };
  beforeAll(async () => {
    const serverOptions = { groups, users: { bob: "secret" }, privateGroups: ["test.private"] };
    [server, nntpsServer] = await Promise.all([
      startNnrpd(serverOptions),
      startNnrpd({ ...serverOptions, tls: "implicit" }),
    ]);
  });
  afterAll(() => Promise.all([server?.stop(), nntpsServer?.stop()]));

  const url = (path: string): `nntp://${string}` => `nntp://127.0.0.1:${server.port}/${path}`;
  const listGroup = async (
    path: string,
    options: NntpDereferenceOptions = {},
  ): ReturnType<typeof readNntpEntriesAndFault> => {
    await using client = createNntpTestClient();
    return await readNntpEntriesAndFault(await client.dereference(url(path), options));
  };

  it("the client retrieves articles over one connection, with the commands of the plan and without the added dots", async () => {
    await using proxy = await startRecordingProxy(server.port);
    await using client = createNntpTestClient();
    const articleUrl = (number: number): `nntp://${string}` =>
      `nntp://127.0.0.1:${proxy.port}/test.general/${number}`;
    const resource = requireArticle(await client.dereference(articleUrl(1)));
    expect(resource.article).toMatchObject({
      number: 1,
      messageId: "n1@example.invalid",
      subject: "caf\xe9",
    });
    expect(resource.modified?.toISOString()).toBe("2026-11-20T20:01:00.000Z");
    expect(await readArticleResourceText(resource)).toMatch(
      /\r\n\r\nBody\r\n\.dot\r\n\.\.\r\n\.\r\nlast\r\n$/,
    );
    expect(await resource.completeness).toBe("verified");
    expect(await readArticleResourceText(await client.dereference(articleUrl(2)))).toContain(
      "Subject: number 2\r\n",
    );
    await expect(client.dereference(articleUrl(999))).rejects.toThrow(matchErrorWithCode("not-found", /423/));
    expect(await readArticleResourceText(await client.dereference(articleUrl(3)))).toContain(
      "Subject: number 3\r\n",
    );
    expect(getReceivedLines(proxy)).toEqual([
      ["CAPABILITIES", "GROUP test.general", "ARTICLE 1", "ARTICLE 2", "ARTICLE 999", "ARTICLE 3"],
    ]);
  });

  it("the client lists a group in ascending and descending order", async () => {
    const { entries, fault } = await listGroup("test.general");
    expect(fault).toBeUndefined();
    expect(entries).toHaveLength(300);
    const [first, second] = entries;
    expect(first).toBeInstanceOf(NntpArticleEntry);
    expect(first).toMatchObject({
      number: 1,
      subject: "caf\xe9",
      from: "T <t@example.invalid>",
      messageId: "n1@example.invalid",
      references: [],
    });
    expect(second).toMatchObject({ number: 2, references: ["n1@example.invalid"], lines: 5 });
    expect(second?.url?.href).toBe(url("test.general/2"));
    const newest = await listGroup("test.general", { order: "newest-first" });
    expect(newest.fault).toBeUndefined();
    expect(newest.entries.map(({ name }) => name)).toEqual(entries.map(({ name }) => name).toReversed());
  });

  it("the client lists no articles of an empty group, and rejects an unknown group", async () => {
    for (const order of ["oldest-first", "newest-first"] as const)
      expect(await listGroup("test.empty", { order })).toEqual({ entries: [], fault: undefined });
    await expect(listGroup("no.such.group")).rejects.toThrow(
      matchErrorWithCode("not-found", /411 No such group/),
    );
  });

  it("the client lists the groups with their descriptions", async () => {
    const { entries } = await listGroup("");
    expect(entries.every((entry) => entry instanceof NntpGroup)).toBe(true);
    expect(entries.map(({ name }) => name)).toEqual(["control", "junk", "test.general", "test.empty"]);
    expect(entries[2]).toMatchObject({ description: "General tests", low: 1, high: 300, status: "y" });
  });

  it("the client reads a private group after a login over the same connection", async () => {
    await using proxy = await startRecordingProxy(server.port);
    await using client = createNntpTestClient({}, provideTestCredentials);
    const articleUrl = `nntp://127.0.0.1:${proxy.port}/test.private/1` as const;
    expect(await readArticleResourceText(await client.dereference(articleUrl))).toContain("Body");
    expect(await readArticleResourceText(await client.dereference(articleUrl))).toContain("Body");
    expect(getReceivedLines(proxy)).toEqual([
      [
        "CAPABILITIES",
        "GROUP test.private",
        "AUTHINFO USER bob",
        "AUTHINFO PASS secret",
        "GROUP test.private",
        "ARTICLE 1",
        "ARTICLE 1",
      ],
    ]);
    await expect(listGroup("test.private")).rejects.toThrow(
      matchErrorWithCode("authentication-required", /login/),
    );
    await using wrong = createNntpTestClient({}, () => ({ user: "bob", password: "wrong" }));
    await expect(wrong.dereference(articleUrl)).rejects.toThrow(
      matchErrorWithCode("permission-denied", /481/),
    );
  });

  it("the client retrieves an article over TLS, after STARTTLS and with nntps", async () => {
    const [ca, implicitCa] = await Promise.all(
      [server, nntpsServer].map(({ certificatePath }) => readFile(certificatePath, "utf8")),
    );
    await using client = createNntpTestClient({ ca, startTls: "require" }, provideTestCredentials);
    await using secure = createNntpTestClient({ ca: implicitCa });
    const actions: string[] = [];
    const traceListener: NntpDereferenceOptions["trace"] = ({ action, text }) =>
      actions.push(`${action} ${text}`);
    const upgraded = await client.dereference(url("test.private/1"), { trace: traceListener });
    expect(await readArticleResourceText(upgraded)).toContain("Body");
    expect(actions.join("\n")).toMatch(/send STARTTLS\nreceive 382 .*\ntls TLSv1\.3.*\nsend CAPABILITIES\n/);
    const secured = await secure.dereference(`nntps://127.0.0.1:${nntpsServer.port}/test.general/2`);
    expect(await readArticleResourceText(secured)).toContain("Subject: number 2");
    const again = await secure.dereference(`nntps://127.0.0.1:${nntpsServer.port}/test.general/3`);
    expect(await readArticleResourceText(again)).toContain("Subject: number 3");
  });

  it("the client rejects a certificate that the client does not trust", async () => {
    await using client = createNntpTestClient({ startTls: "require" });
    await expect(client.dereference(url("test.general/1"))).rejects.toThrow(
      matchErrorWithCode("unavailable", /TLS with/),
    );
    await expect(client.dereference(`nntps://127.0.0.1:${nntpsServer.port}/test.general/1`)).rejects.toThrow(
      matchErrorWithCode("unavailable", /TLS with/),
    );
  });
});
