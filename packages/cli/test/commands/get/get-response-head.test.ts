import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { runCommandInProcess } from "../../command-in-process.ts";
import { createTemporaryFolder } from "../../../../../test/fixtures/temporary-folder.ts";

/** Starts a server that answers with the status in the path, a cookie and, except to HEAD, a body. */
function startServerWithCookie(): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    const [method = "", path = ""] = (await peer.readLine())?.split(" ") ?? [];
    while (await peer.readLine());
    const head = `HTTP/1.1 ${path.slice(1)} Fine\r\nETag: "v1"\r\nSet-Cookie: id=hunter2\r\nContent-Length: 4\r\n\r\n`;
    peer.send(method === "HEAD" ? head : `${head}done`);
  });
}

const HEADERS = 'etag: "v1"\nset-cookie: id=hunter2\ncontent-length: 4\n\n';

it.each([
  [["-I"], 200, 0, `HTTP/1.1 200 Fine\n${HEADERS}`],
  [["--head"], 404, 22, `HTTP/1.1 404 Fine\n${HEADERS}`],
  [["-i"], 200, 0, `HTTP/1.1 200 Fine\n${HEADERS}done`],
  [["--include"], 404, 22, `HTTP/1.1 404 Fine\n${HEADERS}done`],
  [["-i", "-o", "-"], 200, 0, `HTTP/1.1 200 Fine\n${HEADERS}done`],
])(
  "get %j of a response with status %i exits with %i and writes the head",
  async (args, status, exit, output) => {
    await using server = await startServerWithCookie();
    const url = `http://127.0.0.1:${server.port}/${status}`;
    const { exitCode, stdout, stderr } = await runCommandInProcess(["get", ...args, url]);
    expect({ exitCode, stdout }).toEqual({ exitCode: exit, stdout: output });
    expect(stderr).toBe(exit === 0 ? "" : `anyscheme: the server answered 404 Fine: ${url}\n`);
  },
);

it("get -I -o writes the head to the file", async () => {
  await using server = await startServerWithCookie();
  const file = join(createTemporaryFolder(), "head");
  await runCommandInProcess(["get", "-I", "-o", file, `http://127.0.0.1:${server.port}/200`]);
  expect(readFileSync(file, "utf8")).toBe(`HTTP/1.1 200 Fine\n${HEADERS}`);
});

it.each([["get"], ["get", "-I"]])(
  "the output of %j with --json has the status and the headers",
  async (...command) => {
    await using server = await startServerWithCookie();
    const url = `http://127.0.0.1:${server.port}/200`;
    const { stdout } = await runCommandInProcess([...command, "--json", url]);
    const description = JSON.parse(stdout) as { size?: number };
    // A response to HEAD has no body, whose size could be stated.
    expect(description.size).toBe(command.includes("-I") ? undefined : 4);
    expect(description).toMatchObject({
      status: 200,
      headers: { etag: ['"v1"'], "set-cookie": ["id=hunter2"], "content-length": ["4"] },
    });
  },
);

it("get -v shows the headers of request and response, and masks secrets", async () => {
  await using server = await startServerWithCookie();
  const url = `http://127.0.0.1:${server.port}/200`;
  const { stderr } = await runCommandInProcess(["get", "-v", "-H", "accept-language: de", url]);
  expect(stderr).toContain("> accept-language: de\n");
  expect(stderr).toContain('< HTTP/1.1 200 Fine\n< etag: "v1"\n< set-cookie: ****\n< content-length: 4\n');
  for (const name of ["Authorization", "X-Functions-Key", "x-otp"]) {
    const secret = await runCommandInProcess(["get", "-v", "-H", `${name}: hunter2`, url]);
    expect(secret.stderr).toContain(`> ${name.toLowerCase()}: ****\n`);
    expect(secret.stderr).not.toContain("hunter2");
  }
});

it.each([
  [["-I", "ftp://h.example/f"], "--head needs an http or https URL, and not ftp; use ls"],
  [["-I", "-X", "GET", "http://h.example/"], "--head cannot be used with --request or --data"],
  [["-I", "-C", "1", "-o", "f", "http://h.example/"], "--head and --continue-at exclude each other"],
  [["-i", "-O", "http://h.example/f"], "--include writes to standard output"],
  [["-i", "--json", "http://h.example/f"], "--include writes to standard output"],
])("get %j is a usage error", async (args, message) => {
  const { exitCode, stderr } = await runCommandInProcess(["get", ...args]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});
