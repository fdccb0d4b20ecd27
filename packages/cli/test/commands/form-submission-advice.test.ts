import { startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { runCommandInProcess } from "../command-in-process.ts";

it.each(["get", "ls"])("the command %s for a Gopher search advises how to search", async (command) => {
  await using server = await startScriptedServer(() => Promise.resolve());
  const url = `gopher://127.0.0.1:${server.port}/7/search`;
  const options = ["--allow-port", `gopher:${server.port}`];
  const { exitCode, stdout, stderr } = await runCommandInProcess([command, ...options, url]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Words to search for [text]\n" });
  expect(stderr).toBe("to search, append %09WORDS to the URL, or use: anyscheme form URL\n");
  expect((await runCommandInProcess([command, "-s", ...options, url])).stderr).toBe("");
});

it("form without a terminal advises the user to append the search words to the URL", async () => {
  await using server = await startScriptedServer(() => Promise.resolve());
  const url = `gopher://127.0.0.1:${server.port}/7/search`;
  const { exitCode, stderr } = await runCommandInProcess([
    "form",
    "--allow-port",
    `gopher:${server.port}`,
    url,
  ]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("to search without a terminal, use: anyscheme get URL%09WORDS");
});
