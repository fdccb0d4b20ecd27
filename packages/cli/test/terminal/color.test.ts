import { expect, it } from "vitest";
import { createProcessIo } from "../../src/terminal/process-io.ts";
import { shouldColorize } from "../../src/terminal/color.ts";
import { startTestServers } from "../test-servers.ts";
import { runCommandInProcess } from "../command-in-process.ts";

it.each([
  ["auto", true, true],
  ["auto", false, false],
  ["always", false, true],
  ["never", true, false],
  [undefined, true, true],
])("--color %s on an output with colours (%s) selects colours: %s", (color, hasColors, shown) => {
  const values = color === undefined ? {} : { color };
  expect(shouldColorize(values, { ...createProcessIo().stdout, hasColors })).toBe(shown);
});

it("ls colours a directory only with --color", async () => {
  const { ftp } = await startTestServers();
  const url = `ftp://127.0.0.1:${ftp.port}/`;
  expect((await runCommandInProcess(["ls", "--color", "always", url])).stdout).toMatch(
    /^\u001b\[1m\u001b\[34mdirectory .*pub\u001b\[39m\u001b\[22m$/m,
  );
  expect((await runCommandInProcess(["ls", url])).stdout).not.toContain("\u001b");
  expect(await runCommandInProcess(["ls", "--color", "blue", url])).toMatchObject({
    exitCode: 2,
    stdout: "",
  });
});
