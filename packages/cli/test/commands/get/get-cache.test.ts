import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { runCommandInProcess } from "../../command-in-process.ts";
import { createTemporaryFolder } from "../../../../../test/fixtures/temporary-folder.ts";

it("get --cache DIR stores a response, and the next command uses the response", async () => {
  const directory = join(createTemporaryFolder(), "new");
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
});

it("get --cache with an empty path is a usage error", async () => {
  const { stderr } = await runCommandInProcess(["get", "--cache", "", "http://127.0.0.1/"]);
  expect(stderr).toContain("--cache needs the path of a directory");
});

it.each([
  [[], /^anyscheme: the cache is unusable: ENOTDIR: .*\n$/],
  [["-s"], /^$/],
])(
  "get --cache %j with a path that is no directory gets the URLs, and warns once, or not at all with -s",
  async (options, warning) => {
    await using server = await startScriptedServer(async (peer) => {
      while (await peer.readLine());
      peer.send("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello");
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const result = await runCommandInProcess(["get", "--cache", "/dev/null/x", ...options, url, url]);
    expect(result).toMatchObject({ exitCode: 0, stdout: "hellohello" });
    expect(result.stderr).toMatch(warning);
  },
);

it("get --gopher-ttl SECONDS stores a Gopher response in the directory of --cache", async () => {
  const directory = createTemporaryFolder();
  await using server = await startScriptedServer(async (peer) => {
    await peer.readLine();
    peer.send("hello\r\n.\r\n");
  });
  const url = `gopher://127.0.0.1:${server.port}/0/a`;
  const port = ["--allow-port", `gopher:${server.port}`];
  const get = (...options: string[]) =>
    runCommandInProcess(["get", "-v", "--cache", directory, ...port, ...options, url]);
  const ended = [
    await get("--gopher-ttl", "60"),
    await get("--gopher-ttl", "0.5e"),
    await get("--gopher-ttl", "60"),
  ];
  expect(ended.map(({ stdout }) => stdout)).toEqual(["hello\r\n", "", "hello\r\n"]);
  expect(ended[1]?.stderr).toContain("--gopher-ttl needs a number of seconds");
  expect(ended[2]?.stderr).toMatch(/^\* cache hit, age \d s$/m);
  expect(server.connections).toHaveLength(1);
  await get();
  expect(server.connections).toHaveLength(2);
});

it("get --gopher-ttl without --cache is a usage error", async () => {
  const { exitCode, stderr } = await runCommandInProcess(["get", "--gopher-ttl", "5", "gopher://h.example/"]);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining("--gopher-ttl needs --cache DIR") as string,
  ]);
});
