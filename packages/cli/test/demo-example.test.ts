import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";

const demoFile = fileURLToPath(new URL("../../../examples/dist/demo.js", import.meta.url));

/** Runs the built demo. Resolves to the output of the demo on standard output and standard error, in order. */
function runDemo(args: readonly string[]): Promise<{ exit: number | null; shown: string }> {
  const child = spawn(process.execPath, [demoFile, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let shown = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  return new Promise((resolve) => child.once("close", (exit) => resolve({ exit, shown })));
}

it("the demo shows the plan, the trace and the result for URLs of seven schemes", async () => {
  const { exit, shown } = await runDemo([]);
  expect({ exit, shown }).toEqual({ exit: 0, shown: expect.any(String) });
  for (const scheme of ["ftp", "gopher", "http", "wais", "nntp", "prospero", "file"]) {
    expect(shown).toMatch(new RegExp(`^\\$ anyscheme plan '?${scheme}:`, "m"));
    expect(shown).toMatch(new RegExp(`^\\$ anyscheme get -v .*${scheme}:`, "m"));
  }
  for (const line of [
    "> RETR hello.txt",
    "> /pub<cr><lf>",
    "> GET /moved HTTP/1.1",
    "  1 text   hello.txt",
    "<title>Hello</title>",
    "> OVER 1-",
  ]) {
    expect(shown.split("\n")).toContain(line);
  }
  expect(shown.match(/^Hello from a server/gm)).toHaveLength(3);
});

it("the demo reports a URL with a refused port and fails", async () => {
  const { exit, shown } = await runDemo(["gopher://127.0.0.1:7070/"]);
  expect(exit).toBe(1);
  expect(shown).toContain("anyscheme: refused-port: ");
  expect(shown).toContain("gopher://127.0.0.1:7070/: exit code 7\n");
});

it("the demo accepts the option that the advice of an error names", async () => {
  await using server = await startScriptedServer(async (peer) => {
    await peer.readLine();
    peer.send("Hello\r\n.\r\n");
  });
  const url = `gopher://127.0.0.1:${server.port}/0/x`;
  const [, advised = ""] = /\((--allow-port \S+) allows it\)/.exec((await runDemo([url])).shown) ?? [];
  expect(advised).toBe(`--allow-port gopher:${server.port}`);
  const { exit, shown } = await runDemo([...advised.split(" "), url]);
  expect({ exit, shown }).toEqual({ exit: 0, shown: expect.stringMatching(/^Hello\r?$/m) });
  expect(shown).toContain(`$ anyscheme get -v ${advised} ${url}`);
});
