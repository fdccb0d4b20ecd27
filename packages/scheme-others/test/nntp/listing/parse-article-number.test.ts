import { describe, expect, it } from "vitest";
import {
  dereferenceNntpPath,
  readNntpEntriesAndFault,
  requireArticle,
  startScriptedNntpServer,
} from "../scripted-nntp-server.ts";

// RFC 3977 §9.8: article-number = 1*16DIGIT, §6: the number may have leading zeros.
describe("the client parses article numbers of up to 16 digits", () => {
  it.each([
    ["0000000000000005", 5],
    ["9007199254740991", 9_007_199_254_740_991],
  ])("the article number %s of an overview, a list of groups and an article", async (digits, number) => {
    await using server = await startScriptedNntpServer({
      "OVER 1-": `224 l\r\n${digits}\tfirst\tf\td\t<one@x>\t\t1\t1\r\n.\r\n`,
      "LIST ACTIVE": `215 l\r\ng ${digits} ${digits} y\r\n.\r\n`,
      "ARTICLE 1": `220 ${digits} <one@x>\r\nSubject: first\r\n\r\n.\r\n`,
    });
    const list = async (path: string): Promise<unknown[]> =>
      (await readNntpEntriesAndFault(await dereferenceNntpPath(server, path))).entries;
    expect(await list("g")).toEqual([expect.objectContaining({ kind: "article", name: "first", number })]);
    expect(await list("")).toEqual([
      expect.objectContaining({ kind: "group", name: "g", low: number, high: number }),
    ]);
    const { article } = requireArticle(await dereferenceNntpPath(server, "g/1"));
    expect([article.number, article.messageId]).toEqual([number, "one@x"]);
  });

  it.each(["9007199254740992", "00000000000000005", "5x", "-5"])(
    "the client does not parse %s as an article number",
    async (digits) => {
      await using server = await startScriptedNntpServer({
        "OVER 1-": `224 l\r\n${digits}\tfirst\tf\td\t<one@x>\t\t1\t1\r\n.\r\n`,
        "LIST ACTIVE": `215 l\r\ng ${digits} 1 y\r\ng 1 ${digits} y\r\n.\r\n`,
      });
      for (const path of ["g", ""]) {
        const { entries } = await readNntpEntriesAndFault(await dereferenceNntpPath(server, path));
        for (const { kind, url } of entries) expect([kind, url]).toEqual(["unknown", undefined]);
      }
    },
  );
});
