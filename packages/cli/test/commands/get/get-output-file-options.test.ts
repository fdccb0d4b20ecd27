import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { startScriptedServer } from "@anyscheme/core/testing";
import { startFtpTestServer } from "@anyscheme/servers";
import { expect, it } from "vitest";
import { runCommandInProcess } from "../../command-in-process.ts";
import { startBuiltCommand } from "../../run-built-command.ts";
import { createTemporaryFolder } from "../../../../../test/fixtures/temporary-folder.ts";

const DATE = "Thu, 01 Jan 2026 00:00:00 GMT";

it("get --create-dirs creates the folders of the output file", async () => {
  await using server = await startFtpTestServer({ files: { a: "text" } });
  const file = join(createTemporaryFolder(), "x/y/a");
  const url = `ftp://127.0.0.1:${server.port}/a`;
  expect((await runCommandInProcess(["get", "-o", file, url])).exitCode).toBe(23);
  expect((await runCommandInProcess(["get", "--create-dirs", "-o", file, url])).exitCode).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("text");
});

it("get -R gives the file the date of the HTTP response, and reports a missing date", async () => {
  await using server = await startScriptedServer(async (peer) => {
    const path = (await peer.readLine())?.split(" ")[1];
    while (await peer.readLine());
    const date = path === "/dated" ? `Last-Modified: ${DATE}\r\n` : "";
    peer.send(`HTTP/1.1 200 OK\r\n${date}Content-Length: 1\r\nConnection: close\r\n\r\nx`);
  });
  const file = join(createTemporaryFolder(), "f");
  const origin = `http://127.0.0.1:${server.port}`;
  expect(await runCommandInProcess(["get", "-R", "-o", file, `${origin}/dated`])).toMatchObject({
    exitCode: 0,
    stderr: "",
  });
  expect(statSync(file).mtime).toEqual(new Date(DATE));
  const { exitCode, stderr } = await runCommandInProcess(["get", "-R", "-o", file, `${origin}/undated`]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `${file} keeps the current date: the server states no date\n`,
  });
});

it("get -R gives the file the date that the FTP server states", async () => {
  await using server = await startFtpTestServer({ files: { a: "text" } });
  const file = join(createTemporaryFolder(), "f");
  const url = `ftp://127.0.0.1:${server.port}/a`;
  expect((await runCommandInProcess(["get", "-R", "-o", file, url])).exitCode).toBe(0);
  expect(statSync(file).mtime).toEqual(new Date(DATE));
});

it.each([
  ["1", 1],
  ["4", 4],
])("get -O --parallel-max %s runs at most %i transfers at once", async (count, most) => {
  let running = 0;
  let mostRunning = 0;
  let waiting: (() => void)[] = [];
  await using server = await startScriptedServer(async (peer) => {
    await peer.readLine();
    while (await peer.readLine());
    mostRunning = Math.max(mostRunning, ++running);
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < most) return;
      for (const respond of waiting) respond();
      waiting = [];
    });
    running--;
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx");
  });
  const urls = ["a", "b", "c", "d"].map((name) => `http://127.0.0.1:${server.port}/${name}`);
  const args = ["get", "-O", "--parallel-max", count, ...urls];
  const { exitCode, stderr } = await startBuiltCommand(args, { cwd: createTemporaryFolder() }).ended;
  expect({ exitCode, stderr, mostRunning }).toEqual({ exitCode: 0, stderr: "", mostRunning: most });
});

it.each([
  ["-rf", "rf", "saving as rf: the name in the URL is -rf\n"],
  ["CON.txt", "_CON.txt", "saving as _CON.txt: the name in the URL is CON.txt\n"],
  ["a%20b", "a b", ""],
])("get -O of %s saves %s and reports a changed name", async (urlName, name, message) => {
  await using server = await startFtpTestServer({ files: { "-rf": "x", "CON.txt": "x", "a b": "x" } });
  const cwd = createTemporaryFolder();
  const url = `ftp://127.0.0.1:${server.port}/${urlName}`;
  const { exitCode, stderr } = await startBuiltCommand(["get", "-O", url], { cwd }).ended;
  expect({ exitCode, stderr, files: readdirSync(cwd) }).toEqual({
    exitCode: 0,
    stderr: message,
    files: [name],
  });
});

it.each(["0", "100", "x", "1.5"])("get --parallel-max %s is a usage error", async (count) => {
  for (const option of ["-O", "-r"]) {
    const args = ["get", option, "--parallel-max", count, "http://h.example/a", "http://h.example/b"];
    const { exitCode, stderr } = await runCommandInProcess(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--parallel-max needs a whole number from 1 to 99");
  }
});
