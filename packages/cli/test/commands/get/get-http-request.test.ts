import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { runCommandInProcess } from "../../command-in-process.ts";
import { createTemporaryFolder } from "../../../../../test/fixtures/temporary-folder.ts";

/** Starts a server that answers each request with the status in its path. */
function startStatusServer(): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    const [, path = ""] = (await peer.readLine())?.split(" ") ?? [];
    let length = 0;
    for (let line = await peer.readLine(); line; line = await peer.readLine())
      if (line.startsWith("content-length: ")) length = Number(line.slice(16));
    await peer.readBytes(length);
    peer.send(`HTTP/1.1 ${path.slice(1)} Fine\r\nContent-Length: 4\r\n\r\ndone`);
  });
}

async function runGet(
  args: readonly string[],
  status = 200,
): Promise<{ exitCode: number; stdout: string; head: string; body: string }> {
  await using server = await startStatusServer();
  const { exitCode, stdout } = await runCommandInProcess([
    "get",
    ...args,
    `http://127.0.0.1:${server.port}/${status}`,
  ]);
  const [head = "", body = ""] = server.connections[0]?.received.toString().split("\r\n\r\n") ?? [];
  return { exitCode, stdout, head, body };
}

describe("get sends HTTP requests with a method, headers and a body", () => {
  const FORM = "application/x-www-form-urlencoded";

  it.each([
    [["-d", "a=b"], "POST", FORM, "a=b"],
    [["-d", "a=b", "--data", "c=d"], "POST", FORM, "a=b&c=d"],
    [["-d", "@FILE"], "POST", FORM, "a=1b=2"],
    [["--data-binary", "@FILE"], "POST", FORM, "a=1\r\nb\0=2\n"],
    [["-X", "PUT", "-d", "{}", "-H", "Content-Type: application/json"], "PUT", "application/json", "{}"],
    [["-X", "delete"], "DELETE", undefined, ""],
    [["--request", "OPTIONS"], "OPTIONS", undefined, ""],
    [["-d", ""], "POST", FORM, ""],
  ])(
    "get with the options %j sends an HTTP request with the method %s",
    async (args, method, mediaType, sent) => {
      const file = join(createTemporaryFolder(), "data");
      writeFileSync(file, "a=1\r\nb\0=2\n");
      const { exitCode, stdout, head, body } = await runGet(args.map((text) => text.replace("FILE", file)));
      expect({ exitCode, stdout, body }).toEqual({ exitCode: 0, stdout: "done", body: sent });
      expect(head).toMatch(new RegExp(`^${method} /200 HTTP`));
      expect(/\r\ncontent-type: (.*)/.exec(head)?.[1]).toBe(mediaType);
    },
  );

  it("-H adds header fields, and an error status is a failure", async () => {
    const { exitCode, head } = await runGet(["-H", "X-A:  1 ", "-H", "x-b: c: d"], 500);
    expect(exitCode).toBe(22);
    expect(head).toContain("\r\nx-a: 1\r\nx-b: c: d");
  });

  it("plan shows the request with the length of its body", async () => {
    const { stdout } = await runCommandInProcess(["plan", "-d", "hello", "http://h.example/"]);
    expect(stdout).toContain("POST / HTTP/1.1");
    expect(stdout).toContain("the client sends the body of the request: 5 bytes");
  });
});

it.each([
  [[], 47, "", "refused-redirect"],
  [["-I"], 0, "location: /moved", ""],
  [["-i"], 0, "location: /moved", ""],
])("get --max-redirs 0 %j does not follow a redirect", async (options, exit, head, error) => {
  await using server = await startScriptedServer(async (peer) => {
    while (await peer.readLine());
    peer.send("HTTP/1.1 302 Found\r\nlocation: /moved\r\ncontent-length: 0\r\n\r\n");
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const { exitCode, stdout, stderr } = await runCommandInProcess([
    "get",
    "--max-redirs",
    "0",
    ...options,
    url,
  ]);
  expect(exitCode).toBe(exit);
  expect(stdout).toContain(head);
  expect(stderr).toContain(error);
  expect(server.connections).toHaveLength(1);
});

it("get --max-redirs 0 of a gopher URL is a usage error", async () => {
  const { exitCode, stderr } = await runCommandInProcess(["get", "--max-redirs", "0", "gopher://h.example/"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("--max-redirs 0 needs an http or https URL, and not gopher\n");
});
