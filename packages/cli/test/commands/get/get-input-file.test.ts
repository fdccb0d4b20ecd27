import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { runCommandInProcess } from "../../command-in-process.ts";
import { startBuiltCommand } from "../../run-built-command.ts";
import { createTemporaryFolder } from "../../../../../test/fixtures/temporary-folder.ts";

/** Starts a server that answers each request with its path. */
function startPathServer(): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    const path = (await peer.readLine())?.split(" ")[1] ?? "";
    while (await peer.readLine());
    peer.send(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length + 1}\r\nConnection: close\r\n\r\n${path}\n`);
  });
}

it("get --input-file reads URLs from a file, after those of the command line", async () => {
  await using server = await startPathServer();
  const origin = `http://127.0.0.1:${server.port}`;
  const file = join(createTemporaryFolder(), "list");
  writeFileSync(file, `\ufeff# a comment\n${origin}/b\r\n\n  ${origin}/c  \n`);
  const { exitCode, stdout } = await runCommandInProcess(["get", "--input-file", file, `${origin}/a`]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "/a\n/b\n/c\n" });
});

it("get --input-file - reads URLs from standard input, reports an invalid URL and continues", async () => {
  await using server = await startPathServer();
  const input = [`h`, `ttp://127.0.0.1:${server.port}/a\nftp://h/a\\b\nhttp://127.0.0.1:${server.port}/c`];
  const { exitCode, stdout, stderr } = await runCommandInProcess(["get", "--input-file", "-"], { input });
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: "/a\n/c\n" });
  expect(stderr).toContain("backslash");
});

it("get --input-file - downloads the URLs that extract prints", async () => {
  await using server = await startPathServer();
  const folder = createTemporaryFolder();
  const text = `See <URL:http://127.0.0.1:${server.port}/a> and <URL:http://127.0.0.1:${server.port}/b>.`;
  const { stdout: input } = await runCommandInProcess(["extract"], { input: [text] });
  const command = startBuiltCommand(["get", "-O", "--input-file", "-"], { cwd: folder, isStdinOpen: true });
  command.stdin.end(input);
  expect((await command.ended).exitCode).toBe(0);
  expect(readdirSync(folder).toSorted()).toEqual(["a", "b"]);
});

it.each([
  [
    ["--input-file", "/nonexistent/list"],
    37,
    "cannot read /nonexistent/list: ENOENT: no such file or directory",
  ],
  [[], 2, "get needs a URL"],
])("get with the arguments %j exits with %i", async (args, exit, message) => {
  const { exitCode, stderr } = await runCommandInProcess(["get", ...args]);
  expect(exitCode).toBe(exit);
  expect(stderr).toContain(message);
});

it("get --input-file refuses a list of more than 16 MiB", async () => {
  const input = [new Uint8Array(16 * 2 ** 20), "x"];
  const { exitCode, stderr } = await runCommandInProcess(["get", "--input-file", "-"], { input });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("the file of --input-file is larger than 16 MiB");
});
