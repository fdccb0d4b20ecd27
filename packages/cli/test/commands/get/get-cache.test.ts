import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { runCommandInProcess } from "../../command-in-process.ts";

it("get --cache DIR stores a response, and the next command uses the response", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cache-"));
  const directory = join(folder, "new");
  await using server = await startScriptedServer(async (peer) => {
    while (await peer.readLine());
    peer.send("HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\ncontent-length: 5\r\n\r\nhello");
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const first = await runCommandInProcess(["get", "-v", "--cache", directory, url]);
  const second = await runCommandInProcess(["get", "-v", "--cache", directory, url]);
  expect([first.stdout, second.stdout]).toEqual(["hello", "hello"]);
  expect(first.stderr).toContain("* cache stored, 5 bytes");
  expect(second.stderr).toContain("* cache hit, age 0 s");
  expect(server.connections).toHaveLength(1);
  expect(await readdir(directory)).toContain("anyscheme.sqlite");
  await rm(folder, { recursive: true });
});

it("get --cache with an empty path is a usage error", async () => {
  const { stderr } = await runCommandInProcess(["get", "--cache", "", "http://127.0.0.1/"]);
  expect(stderr).toContain("--cache needs the path of a directory");
});
