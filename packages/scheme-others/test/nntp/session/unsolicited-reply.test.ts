import { describe, expect, it } from "vitest";
import {
  ARTICLE,
  answering,
  ask,
  CAPABILITIES,
  clientFor,
  failure,
  heard,
  textOf,
  USUAL,
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
  ])("%s is not taken for the reply, and the session ends", async (_, line, answer, commands) => {
    await using server = await answering({ [line]: answer });
    await using client = clientFor({}, () => ({ user: "bob", password: "secret" }));
    await expect(ask(server, "g/1", {}, client)).rejects.toThrow(failure("protocol", /out of turn/));
    expect(heard(server).map((lines) => lines.length)).toEqual([commands]);
    await server.connections[0]?.closed;
  });

  it("is shown in the transcript and in the message", async () => {
    await using server = await answering({ "GROUP g": `211 1 1 1 g\r\n${FORGED}` });
    const received: string[] = [];
    const refused = ask(server, "g/1", {
      trace: ({ action, text }) => void (action === "receive" && received.push(text)),
    });
    await expect(refused).rejects.toThrow(/out of turn: 220 1 <forged@x> article/);
    expect(received.at(-1)).toBe("220 1 <forged@x> article");
  });

  it("of 400 is what INN closes a session with", async () => {
    await using server = await answering({ "GROUP g": "211 1 1 1 g\r\n400 shutting down\r\n" });
    await expect(ask(server, "g/1")).rejects.toThrow(failure("unavailable", /400 shutting down/));
  });

  it("ends an idle session when it arrives, and the next access has another one", async () => {
    let speak = (): void => undefined;
    await using server = await answering({
      "ARTICLE 1": (peer) => {
        peer.send(USUAL["ARTICLE 1"] as string);
        speak = () => peer.send(FORGED);
      },
    });
    await using client = clientFor();
    await textOf(await ask(server, "g/1", {}, client));
    speak();
    await server.connections[0]?.closed;
    expect(await textOf(await ask(server, "g/1", {}, client))).toBe(ARTICLE.slice(23, -3));
    expect(server.connections).toHaveLength(2);
  });
});
