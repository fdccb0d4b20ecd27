import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { startBuiltCommand } from "../../run-built-command.ts";
import { createTemporaryFolder } from "../../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../../command-in-process.ts";

/** Starts a server that sends its responses when a given number of requests have arrived. */
function startServerThatWaitsForRequests(count: number): Promise<LoopbackServer & { most(): number }> {
  let waiting: (() => void)[] = [];
  let under = 0;
  let most = 0;
  return startScriptedServer(async (peer) => {
    const path = (await peer.readLine())?.split(" ")[1] ?? "";
    while (await peer.readLine());
    most = Math.max(most, ++under);
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < count) return;
      for (const go of waiting) go();
      waiting = [];
    });
    under--;
    const body = `this is ${path}\n`;
    peer.send(
      `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  }).then((server) => Object.assign(server, { most: () => most }));
}

it("get -O downloads at most three files of one host in parallel, and writes a line of JSON for each", async () => {
  await using server = await startServerThatWaitsForRequests(3);
  const folder = createTemporaryFolder();
  const urls = ["a", "b", "c", "d", "e", "f"].map((name) => `http://127.0.0.1:${server.port}/${name}`);
  const command = startBuiltCommand(["get", "-O", "--json", ...urls], { cwd: folder });
  const { exitCode, stdout, stderr } = await command.ended;
  expect({ exitCode, stderr, most: server.most() }).toEqual({ exitCode: 0, stderr: "", most: 3 });
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { saved: string });
  expect(lines.map(({ saved }) => saved).toSorted()).toEqual(["a", "b", "c", "d", "e", "f"]);
  expect(readFileSync(join(folder, "f"), "utf8")).toBe("this is /f\n");
});

it("get writes the bodies of several URLs to standard output in their order", async () => {
  await using server = await startServerThatWaitsForRequests(1);
  const urls = ["a", "b", "c"].map((name) => `http://127.0.0.1:${server.port}/${name}`);
  const { stdout } = await runCommandInProcess(["get", ...urls]);
  expect({ stdout, most: server.most() }).toEqual({
    stdout: "this is /a\nthis is /b\nthis is /c\n",
    most: 1,
  });
});

it("an interrupt ends all parallel transfers of get -O, and leaves no partial file", async () => {
  await using server = await startScriptedServer(async (peer) => {
    while (await peer.readLine());
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
    peer.send(Buffer.alloc(2_000_000));
    await peer.closed;
  });
  const folder = createTemporaryFolder();
  const urls = ["a", "b", "c", "d", "e"].map((name) => `http://127.0.0.1:${server.port}/${name}`);
  const command = startBuiltCommand(["get", "-O", "--progress", ...urls], { cwd: folder });
  await once(command.stderr, "data");
  command.kill("SIGINT");
  const { exitCode, stderr } = await command.ended;
  expect({ exitCode, left: readdirSync(folder), messages: stderr.match(/anyscheme: .*/g) }).toEqual({
    exitCode: 130,
    left: [],
    messages: ["anyscheme: interrupted"],
  });
});

it("get -s writes no messages, and the exit code reports the failure", async () => {
  await using server = await startServerThatWaitsForRequests(1);
  const { exitCode, stdout, stderr } = await runCommandInProcess([
    "get",
    "-s",
    "ftp://h/a\\b",
    `http://127.0.0.1:${server.port}/a`,
  ]);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 3, stdout: "this is /a\n", stderr: "" });
});
