import { startForbiddenServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { runCommandInProcess } from "../command-in-process.ts";

describe("--public-only", () => {
  it.each([
    [["get"], "", "the address 127.0.0.1 is refused: loopback"],
    [["get", "-O"], "", "the address 127.0.0.1 is refused: loopback"],
    [["get", "-I"], "", "the address 127.0.0.1 is refused: loopback"],
    [["get", "--input-file", "-"], "input", "the address 127.0.0.1 is refused: loopback"],
    [["ls"], "", "the address 127.0.0.1 is refused: loopback"],
  ])("the command %j fails for a private address, without a connection", async (args, inputKind, message) => {
    await using server = await startForbiddenServer();
    const url = `http://127.0.0.1:${server.port}/x`;
    const outcome = await runCommandInProcess(
      [...args, "--public-only", ...(inputKind === "" ? [url] : [])],
      inputKind === "" ? {} : { input: [`${url}\n`] },
    );
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr).toContain("without --public-only");
    expect(outcome.exitCode).not.toBe(0);
    expect(server.connections).toHaveLength(0);
  });

  it("get --public-only refuses a file URL", async () => {
    const { exitCode, stderr, stdout } = await runCommandInProcess([
      "get",
      "--public-only",
      "file:///package.json",
    ]);
    expect([exitCode, stdout]).toEqual([9, ""]);
    expect(stderr).toContain("--public-only refuses file: URLs");
  });

  it("the help of get lists --public-only", async () => {
    expect((await runCommandInProcess(["--help", "get"])).stdout).toContain("--public-only");
  });
});
