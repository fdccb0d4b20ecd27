import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningServer, startProftpd, startVsftpd } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { beforeAll, describe, expect, it } from "vitest";
import { runCommandInProcess } from "../command-in-process.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { type TestServers, startTestServers } from "../test-servers.ts";

/** Texts that a conversion of line ends changes. */
const texts = {
  "log.txt": Buffer.from("day 1\r\nline\r\n"),
  "page.html": Buffer.from("<p>one\n<p>two\r\n<p>three\r\n"),
  "wide.txt": Buffer.from("a\u0a0db\r\n", "utf16le"),
};

const users = { joe: "secret" };
const rows: [name: "vsftpd" | "proftpd", login: string, start: () => Promise<RunningServer>][] = [
  ["vsftpd", "", () => startVsftpd({ files: texts })],
  ["proftpd", "joe:secret@", () => startProftpd({ files: texts, users })],
];

describe.each(rows)("get saves the bytes of the server %s", (name, login, start) => {
  describeIfServerAvailable(name, name, () => {
    it("get -o and get to a pipe do not change text files", async () => {
      await using server = await start();
      for (const [path, content] of Object.entries(texts)) {
        const url = `ftp://${login}127.0.0.1:${server.port}/${path}`;
        const file = join(createTemporaryFolder(), path);
        expect(await runCommandInProcess(["get", "-o", file, url])).toMatchObject({
          exitCode: 0,
          stderr: "",
        });
        expect(readFileSync(file)).toEqual(content);
        expect((await runCommandInProcess(["get", url])).io.stdout.bytes).toEqual(content);
      }
    });

    it("get -C - appends the new lines of a text file", async () => {
      await using server = await start();
      const file = join(createTemporaryFolder(), "log.txt");
      const args = ["get", "-C", "-", "-o", file, `ftp://${login}127.0.0.1:${server.port}/log.txt`];
      expect(await runCommandInProcess(args)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(readFileSync(file)).toEqual(texts["log.txt"]);
      expect(await runCommandInProcess(args)).toMatchObject({
        exitCode: 0,
        stderr: `${file} is already complete\n`,
      });
      appendFileSync(join(server.root, "log.txt"), "day 2\r\n");
      expect(await runCommandInProcess(args)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(readFileSync(file, "latin1")).toBe("day 1\r\nline\r\nday 2\r\n");
    });
  });
});

describe("get chooses the FTP type", () => {
  let servers: TestServers;
  beforeAll(async () => {
    servers = await startTestServers();
  });

  it.each<[options: string[], path: string, terminal: boolean, type: "A" | "I"]>([
    [[], "hello.txt", false, "I"],
    [[], "hello.txt", true, "A"],
    [["-o", "-"], "hello.txt", true, "I"],
    [["-o", "/dev/null"], "hello.txt", true, "I"],
    [[], "data.bin", true, "I"],
    [[], "hello.txt;type=a", false, "A"],
    [["--type", "a"], "hello.txt", false, "A"],
    [["--type", "i"], "hello.txt;type=a", true, "I"],
    [[], "pub/", false, "A"],
  ])(
    "get with the options %j of the FTP path %s, on a terminal: %s, sends TYPE %s",
    async (options, path, terminal, type) => {
      const url = `ftp://127.0.0.1:${servers.ftp.port}/${path}`;
      const got = await runCommandInProcess(["get", "-v", ...options, url], { terminal });
      expect(got.stderr.match(/^> TYPE ./gm)).toEqual([`> TYPE ${type}`]);
    },
  );

  it.each([
    [false, "TYPE I"],
    [true, "TYPE A"],
  ])("with terminal: %s, the plan of an FTP text file contains %s", async (terminal, command) => {
    const { stdout } = await runCommandInProcess(["plan", "ftp://h.example/a.txt"], { terminal });
    expect(stdout).toContain(command);
  });

  it("get -C refuses a URL with the type of text, because its bytes are converted", async () => {
    const file = join(createTemporaryFolder(), "hello.txt");
    writeFileSync(file, "Hello");
    const url = `ftp://127.0.0.1:${servers.ftp.port}/hello.txt;type=a`;
    expect(await runCommandInProcess(["get", "-C", "-", "-o", file, url])).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("a range needs a binary transfer"),
    });
    expect(readFileSync(file, "utf8")).toBe("Hello");
  });
});
