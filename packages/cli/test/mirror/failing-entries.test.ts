import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../command-in-process.ts";
import { startBuiltCommand } from "../run-built-command.ts";
import { readFolderContents } from "./read-folder-contents.ts";

/**
 * Starts a Gopher server with a menu of texts. The callback `answer` returns the response for a text, or undefined to
 * reset the connection.
 */
async function startTextServer(
  names: readonly string[],
  answer: (name: string) => string | undefined,
): Promise<LoopbackServer> {
  const server = await startScriptedServer(async (peer) => {
    const selector = (await peer.readLine()) ?? "";
    const listText = (name: string): string => `0${name}\t/${name}\t127.0.0.1\t${server.port}\r\n`;
    const response = selector === "" ? `${names.map(listText).join("")}.\r\n` : answer(selector.slice(1));
    if (response === undefined) peer.reset();
    else peer.send(response);
  });
  return server;
}

function createArguments({ port }: LoopbackServer, target: string): string[] {
  return ["get", "-r", "-o", target, "--allow-port", `gopher:${port}`, `gopher://127.0.0.1:${port}/`];
}

const manyNames = Array.from({ length: 40 }, (_, index) => `bad${index}`);
const REFUSAL = "3'bad' does not exist\t\terror.host\t1\r\n.\r\n";

it("get -r copies the files after many files that the server refuses", async () => {
  await using server = await startTextServer([...manyNames, "last"], (name) =>
    name === "last" ? "text\r\n.\r\n" : REFUSAL,
  );
  const target = createTemporaryFolder();
  const { exitCode, stderr } = await runCommandInProcess(createArguments(server, target));
  expect(stderr).toContain("1 saved, 0 up to date, 0 skipped, 0 external, 40 failed\n");
  expect({ exitCode, tree: readFolderContents(target) }).toEqual({
    exitCode: 78,
    tree: { last: "text\r\n" },
  });
});

it("get -r stops after 20 consecutive failures of the server, and says so", async () => {
  await using server = await startTextServer(manyNames, () => undefined);
  const { exitCode, stderr } = await runCommandInProcess(createArguments(server, createTemporaryFolder()));
  expect(stderr).toContain("the copy stopped after 20 consecutive failures\n");
  expect(stderr).toContain("0 saved, 0 up to date, 0 skipped, 0 external, 20 failed\n");
  expect(exitCode).not.toBe(0);
});

it("get -r --json stops when standard output is closed, and counts no file as failed", async () => {
  await using server = await startTextServer(manyNames, () => "text\r\n.\r\n");
  const command = startBuiltCommand([...createArguments(server, createTemporaryFolder()), "--json"]);
  command.stdout.destroy();
  const { exitCode, stderr } = await command.ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 23,
    stderr: expect.stringMatching(/^gopher:\S+ \d+ saved, 0 up to date, 0 skipped, 0 external, 0 failed\n$/),
  });
});
