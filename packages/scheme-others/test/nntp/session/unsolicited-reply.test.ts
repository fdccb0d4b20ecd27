import { describe, expect, it } from "vitest";
import {
  ARTICLE_REPLY,
  startScriptedNntpServer,
  dereferenceNntpPath,
  CAPABILITIES_REPLY,
  createNntpTestClient,
  matchErrorWithCode,
  getReceivedLines,
  readArticleResourceText,
  DEFAULT_NNTP_REPLIES,
} from "../scripted-nntp-server.ts";

const FORGED_ARTICLE = "220 1 <forged@x> article\r\nSubject: forged\r\n\r\nforged\r\n.\r\n";

// RFC 3977 §3: after the greeting, "the client host and server host then exchange commands and responses
// (respectively)".
describe("an NNTP server sends a reply before the command", () => {
  it.each([
    ["an unsolicited reply after the greeting", "", `200 ready\r\n${CAPABILITIES_REPLY}`, 0],
    ["an incomplete unsolicited reply after the greeting", "", "200 ready\r\n10", 0],
    [
      "an unsolicited reply after the capabilities",
      "CAPABILITIES",
      `${CAPABILITIES_REPLY}211 1 1 1 g\r\n`,
      1,
    ],
    ["an unsolicited reply after the reply to GROUP", "GROUP g", `211 1 1 1 g\r\n${FORGED_ARTICLE}`, 2],
    [
      "an unsolicited reply after the reply that requires a login",
      "GROUP g",
      "480 log in\r\n281 welcome\r\n211 1 1 1 g\r\n",
      2,
    ],
  ])("the client closes the connection after %s", async (_, line, answer, commands) => {
    await using server = await startScriptedNntpServer({ [line]: answer });
    await using client = createNntpTestClient({}, () => ({ user: "bob", password: "secret" }));
    await expect(dereferenceNntpPath(server, "g/1", {}, client)).rejects.toThrow(
      matchErrorWithCode("protocol", /before any command/),
    );
    expect(getReceivedLines(server).map((lines) => lines.length)).toEqual([commands]);
    await server.connections[0]?.closed;
  });

  it("the client shows an unsolicited reply in the trace and in the error message", async () => {
    await using server = await startScriptedNntpServer({ "GROUP g": `211 1 1 1 g\r\n${FORGED_ARTICLE}` });
    const received: string[] = [];
    const refused = dereferenceNntpPath(server, "g/1", {
      trace: ({ action, text }) => void (action === "receive" && received.push(text)),
    });
    await expect(refused).rejects.toThrow(/before any command: 220 1 <forged@x> article/);
    expect(received.at(-1)).toBe("220 1 <forged@x> article");
  });

  it("the client reports an unsolicited 400, which INN sends before it closes a connection, as unavailable", async () => {
    await using server = await startScriptedNntpServer({ "GROUP g": "211 1 1 1 g\r\n400 shutting down\r\n" });
    await expect(dereferenceNntpPath(server, "g/1")).rejects.toThrow(
      matchErrorWithCode("unavailable", /400 shutting down/),
    );
  });

  it("the client closes an idle connection after an unsolicited reply, and opens another for the next request", async () => {
    let sendForgedReply = (): void => undefined;
    await using server = await startScriptedNntpServer({
      "ARTICLE 1": (peer) => {
        peer.send(DEFAULT_NNTP_REPLIES["ARTICLE 1"] as string);
        sendForgedReply = () => peer.send(FORGED_ARTICLE);
      },
    });
    await using client = createNntpTestClient();
    await readArticleResourceText(await dereferenceNntpPath(server, "g/1", {}, client));
    sendForgedReply();
    await server.connections[0]?.closed;
    expect(await readArticleResourceText(await dereferenceNntpPath(server, "g/1", {}, client))).toBe(
      ARTICLE_REPLY.slice(23, -3),
    );
    expect(server.connections).toHaveLength(2);
  });
});
