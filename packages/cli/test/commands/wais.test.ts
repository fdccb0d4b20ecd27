import { createDatabaseFromFiles, type TestServer, startWaisTestServer } from "@anyscheme/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommandInProcess } from "../command-in-process.ts";

const waisFiles = {
  "fruit/apple.txt": "An apple is a round fruit.\n",
  "fruit/pear\u001b[31m.txt": "A pear is no apple, and an apple is no pear.\n",
  "fruit/sunset.gif": "GIF89a",
};

let waisServer: TestServer;
beforeAll(async () => {
  waisServer = await startWaisTestServer({
    serverName: "here:210",
    databases: [createDatabaseFromFiles("fruit", waisFiles)],
  });
});
afterAll(() => waisServer.stop());

const waisArguments = (path: string): string[] => [
  `wais://127.0.0.1:${waisServer.port}/${path}`,
  "--allow-port",
  `wais:${waisServer.port}`,
];

describe("the command supports WAIS URLs", () => {
  it("ls lists WAIS search hits with scores, the best first", async () => {
    const { exit, out, err } = await runCommandInProcess(["ls", ...waisArguments("fruit?apple")]);
    expect({ exit, err, lines: out.split("\n") }).toEqual({
      exit: 0,
      err: "",
      lines: [
        "text                 27  -                  200  apple.txt",
        "text                 45  -                  200  pear\\x1b[31m.txt",
        "",
      ],
    });
  });

  it("ls prints the description of a WAIS database", async () => {
    const { out } = await runCommandInProcess(["ls", ...waisArguments("fruit")]);
    expect(out.split("\n").map((line) => line.replace(/ {2,}/g, " | "))).toEqual([
      expect.stringMatching(/^source \| \d+ \| - \| 1000 \| Information on database: fruit$/),
      expect.stringMatching(/^text \| \d+ \| - \| 1000 \| Catalog for database: fruit$/),
      "",
    ]);
  });

  it.each(["nosuch", "nosuch?", "nosuch?apple"])(
    "ls fails for the missing WAIS database %s",
    async (path) => {
      const { exit, out, err } = await runCommandInProcess(["ls", ...waisArguments(path)]);
      expect({ exit, out }).toEqual({ exit: 78, out: "" });
      expect(err).toContain(
        "not-found: the server refuses: The following database is not available: db/nosuch",
      );
    },
  );

  it("get downloads a WAIS document with the URL that ls --json printed", async () => {
    const { out } = await runCommandInProcess(["ls", "--json", ...waisArguments("fruit?pear")]);
    const [hit] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { url: string; score: number });
    expect(hit?.score).toBe(300);
    expect(out).not.toContain("documentId");
    const [, ...allow] = waisArguments("");
    const document = await runCommandInProcess(["get", hit?.url ?? "", ...allow]);
    expect(document).toMatchObject({ exit: 0, out: waisFiles["fruit/pear\u001b[31m.txt"] });
  });

  it("plan describes a WAIS search with its words", async () => {
    const { out } = await runCommandInProcess(["plan", "wais://host.example/fruit?apple%20pie"]);
    expect(out).toContain('search for "apple pie" in "fruit", at most 200 documents');
  });

  it("the error for a missing WAIS database contains the server's message", async () => {
    const { exit, err } = await runCommandInProcess(["ls", ...waisArguments("vegetables?carrot")]);
    expect(exit).not.toBe(0);
    expect(err).toContain(
      "anyscheme: not-found: the server refuses: The following database is not available: db/vegetables [S1]",
    );
  });
});
