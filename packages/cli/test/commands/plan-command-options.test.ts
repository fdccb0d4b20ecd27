import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { OPTION_DEFINITIONS } from "../../src/args/options.ts";
import { runCommandInProcess } from "../command-in-process.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

it("plan accepts the connection options of get", async () => {
  const cache = join(createTemporaryFolder(), "cache");
  const options =
    "--allow-port gopher:7070 --proxy socks5://127.0.0.1 --noproxy localhost -v --max-time 5 --retry 1";
  const { exitCode, stdout, stderr } = await runCommandInProcess([
    "plan",
    ...options.split(" "),
    "--cache",
    cache,
    "--gopher-ttl=60",
    "--idle-timeout=5",
    "gopher://h.example:7070/0/x",
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain("h.example port 7070");
  expect(existsSync(cache)).toBe(false);
});

it("get has only the expected options that plan does not accept", () => {
  const names = OPTION_DEFINITIONS.filter(
    ({ commands }) => commands?.includes("get") && !commands.includes("plan"),
  ).map(({ name }) => name);
  expect(names).toEqual([
    "output",
    "remote-name",
    "clobber",
    "create-dirs",
    "remote-time",
    "parallel-max",
    "input-file",
    "include",
    "recursive",
    "progress",
    "continue-at",
    "max-depth",
    "max-files",
  ]);
});
