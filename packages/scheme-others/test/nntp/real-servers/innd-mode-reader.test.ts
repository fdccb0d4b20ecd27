import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { startRecordingProxy } from "@anyscheme/core/testing";
import { type RunningServer, startInnd } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  requireArticle,
  createNntpTestClient,
  readNntpEntriesAndFault,
  matchErrorWithCode,
  getReceivedLines,
  readArticleResourceText,
} from "../scripted-nntp-server.ts";

const createArticleText = (number: number): string =>
  [
    "Path: peer.example!not-for-mail",
    `Message-ID: <n${number}@example.invalid>`,
    `Subject: number ${number}`,
    "From: T <t@example.invalid>",
    "Newsgroups: test.general",
    `Date: ${new Date().toUTCString()}`,
    "",
    "Body\r\n..dot\r\nlast\r\n",
  ].join("\r\n");

/** Sends an article to the server as a peer does (RFC 3977 §6.3.2). */
async function transferArticle(port: number, number: number): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  const readReply = async (): Promise<string> => ((await once(socket, "data")) as [string])[0];
  await readReply();
  socket.write(`IHAVE <n${number}@example.invalid>\r\n`);
  expect(await readReply()).toMatch(/^335 /);
  socket.write(`${createArticleText(number)}.\r\n`);
  const answer = await readReply();
  socket.end("QUIT\r\n");
  return answer;
}

/** innd accepts articles from peers, and serves readers only after MODE READER. */
describeIfServerAvailable("inn2", "nntp requests to innd without nnrpd", () => {
  let server: RunningServer;
  beforeAll(async () => {
    const stored = createArticleText(1).replace(/^Path: .*\r\n/, "");
    server = await startInnd({ groups: { "test.general": { articles: [stored] } } });
  });
  afterAll(() => server?.stop());

  it("the client retrieves an article after MODE READER", async () => {
    expect(await transferArticle(server.port, 2)).toMatch(/^235 /);
    await using tap = await startRecordingProxy(server.port);
    await using client = createNntpTestClient();
    const articleUrl = (path: string): `nntp://${string}` =>
      `nntp://127.0.0.1:${tap.port}/test.general${path}`;
    const { entries, fault } = await readNntpEntriesAndFault(await client.dereference(articleUrl("")));
    expect(fault).toBeUndefined();
    expect(entries.map(({ name }) => name)).toEqual(["number 1", "number 2"]);
    const resource = requireArticle(await client.dereference(articleUrl("/2")));
    expect(resource.article).toMatchObject({ number: 2, messageId: "n2@example.invalid" });
    expect(await readArticleResourceText(resource)).toMatch(/\r\n\r\nBody\r\n\.dot\r\nlast\r\n$/);
    await expect(client.dereference(articleUrl("/3"))).rejects.toThrow(
      matchErrorWithCode("not-found", /423/),
    );
    expect(getReceivedLines(tap)).toEqual([
      ["CAPABILITIES", "MODE READER", "GROUP test.general", "OVER 1-", "ARTICLE 2", "ARTICLE 3"],
    ]);
  });

  it("the client retrieves an article after MODE READER and STARTTLS", async () => {
    const ca = await readFile(join(server.directory, "certificate.pem"), "utf8");
    await using client = createNntpTestClient({ ca, startTls: "require" });
    const sent: string[] = [];
    const resource = await client.dereference(`nntp://127.0.0.1:${server.port}/test.general/1`, {
      trace({ action, text }) {
        if (action === "send" || action === "tls") sent.push(action === "tls" ? action : text);
      },
    });
    expect(requireArticle(resource).article).toMatchObject({
      number: 1,
      messageId: "n1@example.invalid",
    });
    expect(sent).toEqual([
      "STARTTLS",
      "MODE READER",
      "STARTTLS",
      "tls",
      "CAPABILITIES",
      "GROUP test.general",
      "ARTICLE 1",
    ]);
  });
});
