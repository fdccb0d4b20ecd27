import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { describeIfServerAvailable } from "../../src/describe-if-server-available.ts";
import { startInnd } from "../../src/inn/innd.ts";
import { sendAndReceiveAll, isListening } from "../test-servers/send-and-receive.ts";

const storedArticle =
  "Message-ID: <one@x.example>\nSubject: first\nFrom: a@x.example\nNewsgroups: a.b\nDate: Fri, 20 Nov 2026 20:01:00 GMT\n\nBody\n";

describeIfServerAvailable("inn2", "innd", () => {
  it("innd answers 401 to GROUP before MODE READER, and removes its files when it stops", async () => {
    const server = await startInnd({ groups: { "a.b": { articles: [storedArticle] } } });
    try {
      const replies = await sendAndReceiveAll(server.port, "CAPABILITIES\r\nGROUP a.b\r\nQUIT\r\n");
      expect(replies.match(/^\d{3} /gm)?.map(Number)).toEqual([200, 101, 401, 205]);
      expect(replies).toContain("\r\nMODE-READER\r\n");
    } finally {
      await server.stop();
    }
    expect(await isListening(server.port)).toBe(false);
    expect(existsSync(server.directory)).toBe(false);
  });
});
