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
  it("ls lists WAIS search hits with their scores", async () => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(["ls", ...waisArguments("fruit?apple")]);
    expect({ exitCode, stderr, lines: stdout.split("\n") }).toEqual({
      exitCode: 0,
      stderr: "",
      lines: [
        "text                 27  -                  200  apple.txt",
        "text                 45  -                  200  pear\\x1b[31m.txt",
        "",
      ],
    });
  });

  it("ls prints the description of a WAIS database", async () => {
    const { stdout } = await runCommandInProcess(["ls", ...waisArguments("fruit")]);
    expect(stdout.split("\n").map((line) => line.replace(/ {2,}/g, " | "))).toEqual([
      expect.stringMatching(/^source \| \d+ \| - \| 1000 \| Information on database: fruit$/),
      expect.stringMatching(/^text \| \d+ \| - \| 1000 \| Catalog for database: fruit$/),
      "",
    ]);
  });

  it.each(["nosuch", "nosuch?", "nosuch?apple"])(
    "ls fails for the missing WAIS database %s",
    async (path) => {
      const { exitCode, stdout, stderr } = await runCommandInProcess(["ls", ...waisArguments(path)]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 78, stdout: "" });
      expect(stderr).toContain(
        "not-found: the server refuses: The following database is not available: db/nosuch",
      );
    },
  );

  it("get downloads a WAIS document with the URL that ls --json printed", async () => {
    const { stdout } = await runCommandInProcess(["ls", "--json", ...waisArguments("fruit?pear")]);
    const [hit] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { url: string; score: number });
    expect(hit?.score).toBe(300);
    expect(stdout).not.toContain("documentId");
    const [, ...allow] = waisArguments("");
    const document = await runCommandInProcess(["get", hit?.url ?? "", ...allow]);
    expect(document).toMatchObject({ exitCode: 0, stdout: waisFiles["fruit/pear\u001b[31m.txt"] });
  });

  it("plan describes a WAIS search with its words", async () => {
    const { stdout } = await runCommandInProcess(["plan", "wais://host.example/fruit?apple%20pie"]);
    expect(stdout).toContain('search for "apple pie" in "fruit", at most 200 documents');
  });

  it("the error for a missing WAIS database contains the server's message", async () => {
    const { exitCode, stderr } = await runCommandInProcess(["ls", ...waisArguments("vegetables?carrot")]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(
      "anyscheme: not-found: the server refuses: The following database is not available: db/vegetables [S1]",
    );
  });
});
