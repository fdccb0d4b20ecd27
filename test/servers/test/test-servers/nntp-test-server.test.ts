import { describe, expect, it } from "vitest";
import { startNntpTestServer } from "../../src/test-servers/nntp-test-server.ts";
import { sendAndReceiveAll } from "./send-and-receive.ts";

const firstArticle = "Message-ID: <one@x>\nSubject: first\n\nBody\n.dot\n";
const servedGroups = {
  "test.general": { description: "General tests", articles: [firstArticle, "Subject: second\tone\r\n\r\nB"] },
  "test.empty": { articles: [] },
};

describe("the NNTP test server", () => {
  it.each([
    ["GROUP test.general", "211 2 1 2 test.general\r\n"],
    ["GROUP none", "411 no such group none\r\n"],
    ["GROUP test.empty", "211 0 0 0 test.empty\r\n"],
    ["ARTICLE 1", "412 no group selected\r\n"],
    [
      "ARTICLE <one@x>",
      "220 0 <one@x> article\r\nMessage-ID: <one@x>\r\nSubject: first\r\n\r\nBody\r\n..dot\r\n.\r\n",
    ],
    ["ARTICLE <two@x>", "430 no such article\r\n"],
    ["GROUP test.general\r\nARTICLE 3", "211 2 1 2 test.general\r\n423 no such number\r\n"],
    [
      "group test.general\r\nover 2-",
      "211 2 1 2 test.general\r\n224 overview follows\r\n2\tsecond one\t\t\t<2@test.general>\t\t26\t1\r\n.\r\n",
    ],
    ["GROUP test.empty\r\nXOVER 1-", "211 0 0 0 test.empty\r\n423 no articles in that range\r\n"],
    ["LIST", "215 list follows\r\ntest.general 2 1 n\r\ntest.empty 0 1 n\r\n.\r\n"],
    ["LIST NEWSGROUPS", "215 list follows\r\ntest.general\tGeneral tests\r\n.\r\n"],
    ["LIST MOTD", "503 no such list\r\n"],
    ["FOO", "500 unknown command\r\n"],
  ])("the NNTP test server replies to the commands %j", async (commands, answer) => {
    await using server = await startNntpTestServer({ groups: servedGroups });
    expect(await sendAndReceiveAll(server.port, `${commands}\r\nQUIT\r\n`)).toBe(
      `201 NNTP test server, no posting\r\n${answer}205 bye\r\n`,
    );
    expect(server.receivedLines).toEqual([...commands.split("\r\n"), "QUIT"]);
  });

  it("LIST is refused with 401 before MODE READER, and with 480 before the login", async () => {
    await using server = await startNntpTestServer({
      groups: servedGroups,
      login: { user: "bob", password: "secret" },
      dialect: "mode-switching",
    });
    const commandLines = [
      "LIST",
      "MODE READER",
      "LIST",
      "AUTHINFO USER bob",
      "AUTHINFO PASS no",
      "AUTHINFO PASS secret",
      "GROUP test.empty",
      "QUIT",
    ];
    const replies = await sendAndReceiveAll(server.port, commandLines.map((line) => `${line}\r\n`).join(""));
    expect(replies.match(/^\d{3}/gm)).toEqual([
      "201",
      "401",
      "201",
      "480",
      "381",
      "481",
      "281",
      "211",
      "205",
    ]);
  });
});
