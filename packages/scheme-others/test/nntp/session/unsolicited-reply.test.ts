import { describe, expect, it } from "vitest";
import {
  ARTICLE,
  startServer,
  fetchPath,
  CAPABILITIES,
  clientFor,
  accessError,
  receivedLines,
  readText,
  DEFAULT_REPLIES,
} from "../nntp-server.ts";

const FORGED = "220 1 <forged@x> article\r\nSubject: forged\r\n\r\nforged\r\n.\r\n";

// RFC 3977 §3: after the greeting, "the client host and server host then exchange commands and responses (respectively)".
describe("a reply before its command", () => {
  it.each([
    ["behind the greeting", "", `200 ready\r\n${CAPABILITIES}`, 0],
    ["behind the greeting, in part", "", "200 ready\r\n10", 0],
    ["behind the capabilities", "CAPABILITIES", `${CAPABILITIES}211 1 1 1 g\r\n`, 1],
    ["behind another reply", "GROUP g", `211 1 1 1 g\r\n${FORGED}`, 2],
    ["behind the request for a login", "GROUP g", "480 log in\r\n281 welcome\r\n211 1 1 1 g\r\n", 2],
  ])("%s is rejected, and the session ends", async (_, line, answer, commands) => {
    await using server = await startServer({ [line]: answer });
    await using client = clientFor({}, () => ({ user: "bob", password: "secret" }));
    await expect(fetchPath(server, "g/1", {}, client)).rejects.toThrow(
      accessError("protocol", /out of turn/),
    );
    expect(receivedLines(server).map((lines) => lines.length)).toEqual([commands]);
    await server.connections[0]?.closed;
  });

  it("is in the trace and in the message", async () => {
    await using server = await startServer({ "GROUP g": `211 1 1 1 g\r\n${FORGED}` });
    const received: string[] = [];
    const refused = fetchPath(server, "g/1", {
      trace: ({ action, text }) => void (action === "receive" && received.push(text)),
    });
    await expect(refused).rejects.toThrow(/out of turn: 220 1 <forged@x> article/);
    expect(received.at(-1)).toBe("220 1 <forged@x> article");
  });

  it("of 400 is what INN closes a session with", async () => {
    await using server = await startServer({ "GROUP g": "211 1 1 1 g\r\n400 shutting down\r\n" });
    await expect(fetchPath(server, "g/1")).rejects.toThrow(accessError("unavailable", /400 shutting down/));
  });

  it("closes an idle connection, and the next request opens another", async () => {
    let speak = (): void => undefined;
    await using server = await startServer({
      "ARTICLE 1": (peer) => {
        peer.send(DEFAULT_REPLIES["ARTICLE 1"] as string);
        speak = () => peer.send(FORGED);
      },
    });
    await using client = clientFor();
    await readText(await fetchPath(server, "g/1", {}, client));
    speak();
    await server.connections[0]?.closed;
    expect(await readText(await fetchPath(server, "g/1", {}, client))).toBe(ARTICLE.slice(23, -3));
    expect(server.connections).toHaveLength(2);
  });
});
