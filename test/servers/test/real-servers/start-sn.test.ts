import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { describeIfServerAvailable } from "../../src/describe-if-server-available.ts";
import { SN_FIRST_ARTICLE_NUMBER, startSn } from "../../src/sn/sn.ts";
import { sendAndReceiveAll, isListening } from "../test-servers/send-and-receive.ts";

const sampleArticle =
  "Message-ID: <one@x.example>\nSubject: first\nFrom: a@x\nNewsgroups: a.b\nDate: Fri, 20 Nov 2026 20:01:00 GMT\n\n.dot\n";

describeIfServerAvailable("sn", "sn", () => {
  it("sn serves the configured groups with replies of RFC 977, and removes its files when it stops", async () => {
    const server = await startSn({
      groups: { "a.b": { articles: [sampleArticle] }, "c.d": { articles: [] } },
    });
    try {
      const commands = [
        "CAPABILITIES",
        "LIST",
        "GROUP a.b",
        `ARTICLE ${SN_FIRST_ARTICLE_NUMBER}`,
        "XOVER 1-",
        "GROUP c.d",
        "QUIT",
      ];
      const replies = await sendAndReceiveAll(server.port, commands.map((line) => `${line}\r\n`).join(""));
      expect(replies.match(/^\d{3} /gm)?.map(Number)).toEqual([201, 500, 215, 211, 220, 224, 211, 205]);
      expect(replies).toContain("\r\n\r\n..dot\r\n.\r\n");
      expect(replies).toContain("a.b 10 10 y\r\n");
    } finally {
      await server.stop();
    }
    expect(await isListening(server.port)).toBe(false);
    expect(existsSync(server.directory)).toBe(false);
  });
});
