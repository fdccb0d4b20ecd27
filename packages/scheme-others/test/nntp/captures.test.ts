import { readFileSync } from "node:fs";
import { NntpGroup } from "@anyscheme/scheme-others/nntp";
import { describe, expect, it } from "vitest";
import {
  startScriptedNntpServer,
  requireArticle,
  dereferenceNntpPath,
  provideTestCredentials,
  createNntpTestClient,
  readNntpEntriesAndFault,
  matchErrorWithCode,
  getReceivedLines,
  readArticleResourceText,
} from "./scripted-nntp-server.ts";

interface CapturedLine {
  readonly dir: "C" | "S";
  readonly hex: string;
  readonly conn: number;
  readonly tls?: boolean;
}

/** Returns the first reply of INN 2.7.1 to each command line of a capture. The key "" is the greeting. */
function readCapturedReplies(name: string, connection = 1): Record<string, string> {
  const text = readFileSync(new URL(`captures/${name}`, import.meta.url), "utf8");
  const answers: Record<string, string> = {};
  let said = "";
  let fresh = true;
  for (const { dir, hex, conn } of text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CapturedLine)) {
    if (conn !== connection) continue;
    const bytes = Buffer.from(hex, "hex").toString("latin1");
    if (dir === "C") {
      said = bytes.replace(/\r\n$/, "");
      fresh = !Object.hasOwn(answers, said);
    } else if (fresh) {
      answers[said] = (answers[said] ?? "") + bytes;
    }
  }
  return answers;
}

describe("the client reads from a server that sends the recorded replies of nnrpd", () => {
  const answers = readCapturedReplies("nnrpd-session.jsonl");

  it("the client removes the doubled dots of a recorded article", async () => {
    await using server = await startScriptedNntpServer(answers);
    const resource = requireArticle(await dereferenceNntpPath(server, "comp.lang.test/1"));
    expect(resource.article).toMatchObject({
      number: 1,
      messageId: "a1@example.test",
      subject: "First post",
    });
    expect(resource.article.locations).toEqual([{ group: "comp.lang.test", number: "1" }]);
    expect(await readArticleResourceText(resource)).toMatch(
      /\r\n\r\nHello news\.\r\n\.A line that starts with a dot\r\n\.\.two dots\r\n\.\r\nLast line\r\n$/,
    );
    expect(getReceivedLines(server)).toEqual([["CAPABILITIES", "GROUP comp.lang.test", "ARTICLE 1"]]);
  });

  it("the client parses a recorded overview", async () => {
    await using server = await startScriptedNntpServer({
      ...answers,
      "OVER 1-": answers["OVER 1-3"] ?? answers["OVER 1-"] ?? "",
    });
    const { entries, fault } = await readNntpEntriesAndFault(
      await dereferenceNntpPath(server, "comp.lang.test"),
    );
    expect(fault).toBeUndefined();
    expect(entries.map((entry) => [entry.name, entry.url?.href.replace(/^.*?\/\/[^/]*/, "")])).toEqual([
      ["First post", "/comp.lang.test/1"],
      ["Re: First post", "/comp.lang.test/2"],
      ["Subject with tab", "/comp.lang.test/3"],
    ]);
  });

  it("the client parses the recorded groups and their descriptions", async () => {
    await using server = await startScriptedNntpServer(answers);
    const { entries } = await readNntpEntriesAndFault(await dereferenceNntpPath(server, ""));
    expect(
      entries.map((entry) => entry instanceof NntpGroup && [entry.name, entry.low, entry.high, entry.status]),
    ).toEqual([
      ["comp.lang.test", 1, 3, "y"],
      ["alt.empty", 1, 0, "y"],
      ["mod.test", 1, 0, "m"],
    ]);
  });

  it.each([
    ["no.such.group/1", "not-found", /411/],
    ["comp.lang.test/99", "not-found", /423 No such article number 99/],
  ])("the client rejects the path %s that the recorded server refused", async (path, code, words) => {
    await using server = await startScriptedNntpServer(answers);
    await expect(dereferenceNntpPath(server, path)).rejects.toThrow(matchErrorWithCode(code, words));
  });
});

describe("the client logs in to a server that sends the recorded replies of nnrpd to GROUP and AUTHINFO", () => {
  const answers = readCapturedReplies("nnrpd-starttls-authinfo.jsonl");

  it("the client logs in when the recorded group requires a login", async () => {
    const loggedIn = {
      ...answers,
      "ARTICLE 1": "220 1 <a1@x> article\r\n\r\n.\r\n",
      "AUTHINFO USER bob": "381 Enter password\r\n",
    };
    let tries = 0;
    await using server = await startScriptedNntpServer({
      ...loggedIn,
      "AUTHINFO PASS secret": "281 Authentication succeeded\r\n",
      "GROUP comp.lang.test": (peer) =>
        peer.send(tries++ === 0 ? (answers["GROUP comp.lang.test"] ?? "") : "211 1 1 1 g\r\n"),
    });
    await readArticleResourceText(
      await dereferenceNntpPath(
        server,
        "comp.lang.test/1",
        {},
        createNntpTestClient({}, provideTestCredentials),
      ),
    );
    expect(answers["GROUP comp.lang.test"]).toBe("480 Authentication required for command\r\n");
    expect(answers["AUTHINFO PASS wrong"]).toBe("481 Authentication failed\r\n");
    expect(getReceivedLines(server)[0]?.slice(-5)).toEqual([
      "GROUP comp.lang.test",
      "AUTHINFO USER bob",
      "AUTHINFO PASS secret",
      "GROUP comp.lang.test",
      "ARTICLE 1",
    ]);
  });
});
