import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { describeIfServerAvailable } from "../../src/describe-if-server-available.ts";
import { startNnrpd } from "../../src/inn/nnrpd.ts";
import { sendAndReceiveAll, isListening } from "../test-servers/send-and-receive.ts";

const sampleArticle =
  "Message-ID: <one@x.example>\nSubject: first\nFrom: a@x\nNewsgroups: a.b\nDate: Fri, 20 Nov 2026 20:01:00 GMT\n\n.dot\n";

describeIfServerAvailable("inn2", "INN", () => {
  it("INN serves its groups, requires a login for a private group, and removes its files when it stops", async () => {
    const server = await startNnrpd({
      groups: { "a.b": { description: "A and B", articles: [sampleArticle] }, "c.d": { articles: [] } },
      users: { bob: "secret" },
      privateGroups: ["c.d"],
    });
    try {
      const commands = [
        "GROUP a.b",
        "ARTICLE 1",
        "XOVER 1-",
        "LIST NEWSGROUPS",
        "GROUP c.d",
        "AUTHINFO USER bob",
        "AUTHINFO PASS secret",
        "GROUP c.d",
        "QUIT",
      ];
      const replies = await sendAndReceiveAll(server.port, commands.map((line) => `${line}\r\n`).join(""));
      expect(replies.match(/^\d{3} /gm)?.map(Number)).toEqual([
        201, 211, 220, 224, 215, 480, 381, 281, 211, 205,
      ]);
      expect(replies).toContain("\r\n\r\n..dot\r\n.\r\n");
      expect(replies).toMatch(/^1\tfirst\ta@x\tFri, 20 Nov 2026 20:01:00 GMT\t<one@x\.example>\t/m);
      expect(replies).toContain("a.b\tA and B\r\n");
    } finally {
      await server.stop();
    }
    expect(await isListening(server.port)).toBe(false);
    expect(existsSync(server.directory)).toBe(false);
  });
});
