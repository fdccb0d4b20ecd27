import { startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { parseRetryOption } from "../../../src/args/parse-option-values.ts";
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

it.each([
  [[], "anyscheme: retry 1 in "],
  [["-s"], ""],
])("get --retry 1 %j warns of a retry, except with -s", async (args, warning) => {
  let count = 0;
  await using server = await startScriptedServer(async (peer) => {
    while (await peer.readLine());
    const status = count++ === 0 ? "503 Busy\r\nRetry-After: 0" : "200 OK";
    peer.send(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const { exitCode, stderr } = await runCommandInProcess(["get", "--retry", "1", ...args, url]);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(warning === "" ? /^$/ : new RegExp(`^${warning}\\d+ ms after: .*503`));
});

it("parseRetryOption returns the number of retries, and a maximum wait of ten minutes", () => {
  expect(parseRetryOption({ retry: "5" })).toEqual({ maxRetries: 5, maxBackoffMs: 600_000 });
});
