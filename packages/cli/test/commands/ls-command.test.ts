import { chmodSync } from "node:fs";
import { join } from "node:path";
import {
  hasPrivilegesForPureftpd,
  type RunningServer,
  startFtpTestServer,
  startProftpd,
  startPureftpd,
  startVsftpd,
} from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { describe, expect, it } from "vitest";
import { runCommandInProcess } from "../command-in-process.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

const files = { "pub/a b.txt": "one\r\n", "pub/deep/c": "c", "pub/empty/": "" };
const users = { joe: "secret" };

type ServerRow = [
  name: "vsftpd" | "proftpd" | "pure-ftpd",
  canRun: boolean,
  login: string,
  start: () => Promise<RunningServer>,
];
const rows: ServerRow[] = [
  ["vsftpd", true, "", () => startVsftpd({ files })],
  ["proftpd", true, "joe:secret@", () => startProftpd({ files, users })],
  ["pure-ftpd", hasPrivilegesForPureftpd, "joe:secret@", () => startPureftpd({ files, users })],
];

describe.each(rows.filter(([, canRun]) => canRun))(
  "ls of an FTP URL without a type, with the server %s",
  (name, _, login, start) => {
    describeIfServerAvailable(name, name, () => {
      it("ls lists a directory, lists a file as one entry, and fails for a name that does not exist", async () => {
        await using server = await start();
        const at = `ftp://${login}127.0.0.1:${server.port}`;
        const list = async (path: string): Promise<[number, string]> => {
          const { exitCode, stdout } = await runCommandInProcess(["ls", `${at}/${path}`]);
          return [exitCode, stdout.replace(/ +\d{4}-\d\d-\d\d \d\d:\d\d +/g, " DATE ").replace(/ +/g, " ")];
        };
        expect(await list("pub")).toEqual(await list("pub/"));
        const [exitCode, stdout] = await list("pub");
        expect(exitCode).toBe(0);
        for (const line of [/^file 5 DATE a b\.txt$/m, /^dir\w* .*DATE deep$/m, /^dir\w* .*DATE empty$/m])
          expect(stdout).toMatch(line);
        expect(stdout.match(/\n/g)).toHaveLength(3);
        expect(await list("pub/empty")).toEqual([0, ""]);
        expect(await list("pub/a%20b.txt")).toEqual([0, "file 5 DATE a b.txt\n"]);
        expect(await list("typo")).toEqual([78, ""]);
        expect(await list("pub/typo")).toEqual([78, ""]);
      });

      it("get -r says that a file is not a directory, and gives no advice for an unreadable file", async () => {
        await using server = await start();
        const at = `ftp://${login}127.0.0.1:${server.port}`;
        const target = join(createTemporaryFolder(), "t");
        const ofFile = await runCommandInProcess(["get", "-r", "-o", target, `${at}/pub/a%20b.txt`]);
        expect(ofFile).toMatchObject({
          exitCode: 4,
          stderr: `anyscheme: unsupported: the URL is not a directory: ${at.replace("secret", "****")}/pub/a%20b.txt (use get without -r)\n`,
        });
        chmodSync(join(server.root, "pub/a b.txt"), 0);
        const { exitCode, stderr } = await runCommandInProcess(["get", "-r", "-o", target, `${at}/pub/`]);
        expect(exitCode === 9 || exitCode === 78).toBe(true);
        expect(stderr).toMatch(/^anyscheme: [^\n]*\/pub\/a%20b\.txt\n[^\n]* 1 failed\n$/);
      });

      it("ls fails for a directory to which the server denies access", async () => {
        await using server = await start();
        chmodSync(join(server.root, "pub/deep"), 0);
        const url = `ftp://${login}127.0.0.1:${server.port}/pub/deep`;
        const { exitCode, stdout } = await runCommandInProcess(["ls", url]);
        expect([exitCode === 9 || exitCode === 78, stdout]).toEqual([true, ""]);
      });
    });
  },
);

it("ls sends a wrong password only once", async () => {
  await using server = await startFtpTestServer({ files, anonymous: false, users });
  const url = `ftp://joe:wrong@127.0.0.1:${server.port}/pub`;
  expect((await runCommandInProcess(["ls", url])).exitCode).toBe(67);
  expect(server.receivedLines.filter((line) => line.startsWith("PASS"))).toHaveLength(1);
});

describe("ls of an FTP URL", () => {
  it.each<[options: string[], path: string, sent: string[], stdout: RegExp]>([
    [[], "pub", ["CWD pub", "MLSD"], /^(?:file +5 .*a b\.txt|directory .*)$/m],
    [[], "pub/a%20b.txt", ["CWD pub", "CWD a b.txt", "CWD pub", "MLST a b.txt"], /^file +5 .* a b\.txt\n$/],
    [["--json"], "pub/a%20b.txt", [], /^\{"name":"a b\.txt".*"kind":"file","size":5,.*\}\n$/],
    [["--type", "d"], "pub", ["NLST pub"], /^- +- {2}- +a b\.txt$/m],
    [[], "pub;type=d", ["NLST pub"], /^- +- {2}- +a b\.txt$/m],
    [[], "pub/a%20b.txt;type=i", ["CWD pub", "RETR a b.txt"], /^file +5 .* a b\.txt\n$/],
  ])("ls with the options %j of the FTP path %s sends %j", async (options, path, sent, stdout) => {
    await using server = await startFtpTestServer({ files: { "pub/a b.txt": "one\r\n", "pub/deep/c": "c" } });
    const listed = await runCommandInProcess(["ls", ...options, `ftp://127.0.0.1:${server.port}/${path}`]);
    expect(listed).toMatchObject({ exitCode: 0, stderr: "", stdout: expect.stringMatching(stdout) });
    const commands = server.receivedLines.filter((line) =>
      /^(?:CWD [^/]|MLSD|MLST|NLST|RETR|LIST)/.test(line),
    );
    if (sent.length > 0) expect(commands).toEqual(sent);
  });
});
