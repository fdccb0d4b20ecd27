import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { startFtpTestServer } from "@anyscheme/servers";
import { expect, it } from "vitest";
import { startBuiltCommand } from "../../run-built-command.ts";
import { createTemporaryFolder } from "../../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../../command-in-process.ts";

/** Starts a server that answers each request with its path, and a request of `/missing` with the status 404. */
function startPathServer(): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    const path = (await peer.readLine())?.split(" ")[1] ?? "";
    while (await peer.readLine());
    const status = path.endsWith("/missing") ? "404 Not Found" : "200 OK";
    peer.send(`HTTP/1.1 ${status}\r\nContent-Length: ${path.length}\r\nConnection: close\r\n\r\n${path}`);
  });
}

it("get -O --input-file never writes a file whose name begins with a dot", async () => {
  await using server = await startPathServer();
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, ".bashrc"), "mine");
  const origin = `http://127.0.0.1:${server.port}`;
  writeFileSync(join(folder, "list"), `${origin}/x/.bashrc\n${origin}/y/%2Eprofile\n${origin}/z/-.a\n`);
  const command = startBuiltCommand(["get", "-O", "--input-file", "list"], { cwd: folder });
  const { exitCode, stderr } = await command.ended;
  expect(exitCode).toBe(0);
  expect(stderr).toContain("saving as _bashrc: the name in the URL is .bashrc\n");
  expect(readFileSync(join(folder, ".bashrc"), "utf8")).toBe("mine");
  expect(readdirSync(folder).toSorted()).toEqual([".bashrc", "_a", "_bashrc", "_profile", "list"]);
});

it("get -o writes a file whose name begins with a dot", async () => {
  await using server = await startPathServer();
  const file = join(createTemporaryFolder(), ".bashrc");
  await runCommandInProcess(["get", "-o", file, `http://127.0.0.1:${server.port}/a`]);
  expect(readFileSync(file, "utf8")).toBe("/a");
});

it("get -r creates no folder whose name begins with a dot", async () => {
  await using server = await startFtpTestServer({ files: { ".ssh/authorized_keys": "key" } });
  const folder = createTemporaryFolder();
  const command = startBuiltCommand(["get", "-r", `ftp://127.0.0.1:${server.port}/.ssh/`], { cwd: folder });
  expect((await command.ended).exitCode).toBe(0);
  expect(readdirSync(folder)).toEqual(["_ssh"]);
});

it("get -O --no-clobber keeps existing files, and writes to numbered names", async () => {
  await using server = await startPathServer();
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, "a"), "mine");
  writeFileSync(join(folder, "a.1"), "mine too");
  symlinkSync("elsewhere", join(folder, "b"));
  const urls = ["x/a", "y/a", "b", "c"].map((path) => `http://127.0.0.1:${server.port}/${path}`);
  const command = startBuiltCommand(["get", "-O", "--no-clobber", "--json", ...urls], { cwd: folder });
  const { exitCode, stdout, stderr } = await command.ended;
  expect(exitCode).toBe(0);
  expect(stderr).toContain("saving as a.2: the file a exists\n");
  expect([...stdout.matchAll(/"saved":"([^"]*)"/g)].map(([, name = ""]) => name).toSorted()).toEqual([
    "a.2",
    "a.3",
    "b.1",
    "c",
  ]);
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  expect([read("a"), read("a.1"), read("b.1"), read("c")]).toEqual(["mine", "mine too", "/b", "/c"]);
  expect([read("a.2"), read("a.3")].toSorted()).toEqual(["/x/a", "/y/a"]);
  expect(existsSync(join(folder, "elsewhere"))).toBe(false);
});

it("get -o --no-clobber writes to a numbered name, and leaves no file after an error", async () => {
  await using server = await startPathServer();
  const folder = createTemporaryFolder();
  const file = join(folder, "f");
  const origin = `http://127.0.0.1:${server.port}`;
  const run = (path: string): ReturnType<typeof runCommandInProcess> =>
    runCommandInProcess(["get", "--no-clobber", "-o", file, `${origin}${path}`]);
  expect((await run("/missing")).exitCode).not.toBe(0);
  expect(readdirSync(folder)).toEqual([]);
  await run("/a");
  const { stderr } = await run("/b");
  expect(stderr).toBe(`saving as ${file}.1: the file ${file} exists\n`);
  expect((await run("/missing")).exitCode).not.toBe(0);
  expect(readdirSync(folder).toSorted()).toEqual(["f", "f.1"]);
  expect(readFileSync(file, "utf8")).toBe("/a");
});

it("get --no-clobber fails when all numbers up to 100 are used", async () => {
  await using server = await startPathServer();
  const folder = createTemporaryFolder();
  const file = join(folder, "f");
  for (const name of [file, ...Array.from({ length: 100 }, (_none, index) => `${file}.${index + 1}`)])
    writeFileSync(name, "mine");
  const url = `http://127.0.0.1:${server.port}/a`;
  const { exitCode, stderr } = await runCommandInProcess(["get", "--no-clobber", "-o", file, url]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 23,
    stderr: `anyscheme: cannot write ${file}: the file and the numbers up to 100 exist\n`,
  });
  expect(readdirSync(folder)).toHaveLength(101);
});

it.each([
  [["-r"], "--recursive and --no-clobber exclude each other"],
  [["-o", "f", "-C", "-"], "--continue-at and --no-clobber exclude each other"],
])("get --no-clobber with %j is a usage error", async (args, message) => {
  const { exitCode, stderr } = await runCommandInProcess([
    "get",
    "--no-clobber",
    ...args,
    "ftp://127.0.0.1:1/a",
  ]);
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(message) as string,
  });
});
