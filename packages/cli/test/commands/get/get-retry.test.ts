import { startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { parseRetry } from "../../../src/args/parse-option-values.ts";
import { runCommandInProcess } from "../../command-in-process.ts";

it.each([
  [["--retry", "3"], 130, "* retry 1 in "],
  [["--retry", "0"], 22, "the server answered 503"],
  [[], 22, "the server answered 503"],
])("get %j of a busy server exits with %i", async (args, exit, text) => {
  await using server = await startScriptedServer(async (peer) => {
    while (await peer.readLine());
    peer.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
  });
  const outcome = await runCommandInProcess(["get", "-v", ...args, `http://127.0.0.1:${server.port}/`], {
    interruptAtText: "* retry",
  });
  expect(outcome.exitCode).toBe(exit);
  expect(outcome.stderr).toContain(text);
  expect(server.connections).toHaveLength(1);
});

it("--retry repeats a request as often as curl, with waits of at most ten minutes", () => {
  expect(parseRetry({ retry: "5" })).toEqual({ maxRetries: 5, maxTimeoutMs: 600_000 });
});
