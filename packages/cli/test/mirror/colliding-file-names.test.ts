import { readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningServer, startProftpd, startVsftpd } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { describe, expect, it } from "vitest";
import { runCommandInProcess } from "../command-in-process.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

const rows: [name: "vsftpd" | "proftpd", login: string, start: () => Promise<RunningServer>][] = [
  ["vsftpd", "", () => startVsftpd({ files: { "pub/readme": "read me" } })],
  ["proftpd", "joe:secret@", () => startProftpd({ files: { "pub/readme": "" }, users: { joe: "secret" } })],
];

const date = new Date(Date.UTC(2020, 0, 1));

function writeDated(server: RunningServer, name: string | Buffer, content: string): void {
  const path = Buffer.concat([Buffer.from(`${server.root}/pub/`), Buffer.from(name)]);
  writeFileSync(path, content, { mode: 0o644 });
  utimesSync(path, date, date);
}

function readContents(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name !== "readme")
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .toSorted((one, other) => one.localeCompare(other));
}

describe.each(rows)(
  "get -r from the server %s keeps the files of different names apart",
  (name, login, start) => {
    describeIfServerAvailable(name, name, () => {
      it.each<[title: string, names: readonly [string | Buffer, string | Buffer, string | Buffer]]>([
        ["a backslash", ["dir1\\data.txt", "dir2\\data.txt", "dir3\\data.txt"]],
        ["bytes that are not UTF-8", [Buffer.from("\xe7", "latin1"), Buffer.from("\xe8", "latin1"), "é"]],
      ])("get -r saves each file if the names have %s", async (_, [first, second, third]) => {
        await using server = await start();
        const target = join(createTemporaryFolder(), "t");
        const run = () =>
          runCommandInProcess(["get", "-r", "-o", target, `ftp://${login}127.0.0.1:${server.port}/pub/`]);
        writeDated(server, second, "F2");
        writeDated(server, third, "F3");
        expect(await run()).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("3 saved") });
        expect(readContents(target)).toEqual(["F2", "F3"]);
        // All files have the same size and date, so only the names distinguish the files.
        writeDated(server, first, "F1");
        rmSync(Buffer.concat([Buffer.from(`${server.root}/pub/`), Buffer.from(third)]));
        expect((await run()).stderr).toContain("1 saved, 2 up to date");
        expect(readContents(target)).toEqual(["F1", "F2", "F3"]);
      });

      it("get -r saves a renamed file, and a new file whose name resembles the old name", async () => {
        await using server = await start();
        const target = join(createTemporaryFolder(), "t");
        const run = () =>
          runCommandInProcess(["get", "-r", "-o", target, `ftp://${login}127.0.0.1:${server.port}/pub/`]);
        writeDated(server, "a\\x", "AA");
        await run();
        renameSync(join(server.root, "pub/a\\x"), join(server.root, "pub/moved"));
        writeDated(server, "a_x", "BB");
        expect((await run()).stderr).toContain("2 saved, 1 up to date");
        expect(readFileSync(join(target, "a_x"), "utf8")).toBe("BB");
      });
    });
  },
);
