import { join } from "node:path";
import { startScriptedServer } from "@anyscheme/core/testing";
import { startFtpTestServer } from "@anyscheme/servers";
import { expect, it } from "vitest";
import { runCommandInProcess } from "../command-in-process.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

it("get -r --json states whether each file was saved or is up to date", async () => {
  await using server = await startFtpTestServer({ files: { "pub/a.txt": "a", "pub/empty": "" } });
  const args = [
    "get",
    "-r",
    "--json",
    "-o",
    join(createTemporaryFolder(), "t"),
    `ftp://127.0.0.1:${server.port}/pub/`,
  ];
  const runs = [await runCommandInProcess(args), await runCommandInProcess(args)];
  const states = runs.map(({ stdout }) =>
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { state: string }).state),
  );
  expect(states).toEqual([
    ["saved", "saved"],
    ["up-to-date", "up-to-date"],
  ]);
});

it("get -r -v names each saved file, and begins each line of the trace with the number of the request", async () => {
  await using server = await startFtpTestServer({ files: { "pub/a.txt": "a", "pub/b.txt": "b" } });
  const target = join(createTemporaryFolder(), "t");
  const { stderr } = await runCommandInProcess([
    "get",
    "-rv",
    "-o",
    target,
    `ftp://127.0.0.1:${server.port}/pub/`,
  ]);
  for (const name of ["a.txt", "b.txt"]) expect(stderr).toContain(`* saved ${join(target, name)}\n`);
  const number = /^\[(\d)\] > RETR b\.txt$/m.exec(stderr)?.[1];
  expect(["2", "3"]).toContain(number);
  expect(stderr).toMatch(/^\[1\] > USER anonymous$/m);
  expect(stderr).not.toMatch(/^[<>] /m);
});

it("get -v of one URL writes the trace without numbers", async () => {
  await using server = await startFtpTestServer({ files: { a: "a" } });
  const { stderr } = await runCommandInProcess(["get", "-v", `ftp://127.0.0.1:${server.port}/a`]);
  expect(stderr).toMatch(/^> RETR a$/m);
});

it("get -r names the servers of external entries", async () => {
  await using server = await startScriptedServer(async (peer) => {
    await peer.readLine();
    const row = (name: string, host: string): string => `0${name}\t/${name}\t${host}\t70\r\n`;
    peer.send(`${row("a", "localhost")}${row("b", "localhost")}${row("c", "other.example")}.\r\n`);
  });
  const { exitCode, stderr } = await runCommandInProcess([
    "get",
    "-r",
    "-o",
    join(createTemporaryFolder(), "t"),
    "--allow-port",
    `gopher:${server.port}`,
    `gopher://127.0.0.1:${server.port}/1/`,
  ]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain("0 saved, 0 up to date, 0 skipped, 3 external, 0 failed");
  expect(stderr).toContain(
    "external entries are not copied; they refer to gopher://localhost, gopher://other.example\n",
  );
});

it("get -r names the server of entries outside of the directory", async () => {
  await using server = await startScriptedServer(async (peer) => {
    await peer.readLine();
    peer.send(`0a\t/etc/a\t127.0.0.1\t${server.port}\r\n.\r\n`);
  });
  const { exitCode, stderr } = await runCommandInProcess([
    "get",
    "-r",
    "-o",
    join(createTemporaryFolder(), "t"),
    "--allow-port",
    `gopher:${server.port}`,
    `gopher://127.0.0.1:${server.port}/1/pub`,
  ]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain("0 saved, 0 up to date, 0 skipped, 1 external, 0 failed");
  expect(stderr).toContain(
    `external entries are not copied; they refer to gopher://127.0.0.1:${server.port} outside the directory\n`,
  );
});

it("get -r --json on a terminal keeps each line of JSON, and erases its progress", async () => {
  await using server = await startFtpTestServer({ files: { "pub/a.txt": "a", "pub/b.txt": "b" } });
  const screen: string[] = [];
  const write = (text: string): void => {
    for (const [part, rows] of text.matchAll(/[^\r\n]*\n|\r\u001b\[(\d+)A\u001b\[J/g)) {
      if (rows === undefined) screen.push(part);
      else screen.splice(-Number(rows));
    }
  };
  const { stdout, stderr } = await runCommandInProcess(
    [
      "get",
      "-r",
      "--json",
      "--parallel-max",
      "1",
      "-o",
      join(createTemporaryFolder(), "t"),
      `ftp://127.0.0.1:${server.port}/pub/`,
    ],
    { terminal: true, onStdoutWrite: write, onStderrWrite: write },
  );
  expect(stderr).toContain("100 %  1 B of 1 B");
  expect(screen.join("")).toBe(`${stdout}${stderr.slice(stderr.lastIndexOf("ftp:"))}`);
});
