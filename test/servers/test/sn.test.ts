import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { describeWithServer } from "../src/describe-server.ts";
import { snFirstNumber, startSn } from "../src/sn/sn.ts";
import { exchange, isListening } from "./exchange.ts";

const article =
  "Message-ID: <one@x.example>\nSubject: first\nFrom: a@x\nNewsgroups: a.b\nDate: Fri, 20 Nov 2026 20:01:00 GMT\n\n.dot\n";

describeWithServer("sn", "sn", () => {
  it("serves the groups that it is given in the words of RFC 977, and leaves nothing behind", async () => {
    const server = await startSn({ groups: { "a.b": { articles: [article] }, "c.d": { articles: [] } } });
    try {
      const said = [
        "CAPABILITIES",
        "LIST",
        "GROUP a.b",
        `ARTICLE ${snFirstNumber}`,
        "XOVER 1-",
        "GROUP c.d",
        "QUIT",
      ];
      const heard = await exchange(server.port, said.map((line) => `${line}\r\n`).join(""));
      expect(heard.match(/^\d{3} /gm)?.map(Number)).toEqual([201, 500, 215, 211, 220, 224, 211, 205]);
      expect(heard).toContain("\r\n\r\n..dot\r\n.\r\n");
      expect(heard).toContain("a.b 10 10 y\r\n");
    } finally {
      await server.stop();
    }
    expect(await isListening(server.port)).toBe(false);
    expect(existsSync(server.directory)).toBe(false);
  });
});
