import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { promisify } from "node:util";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtCommandFile, runBuiltCommand, startBuiltCommand } from "./run-built-command.ts";
import { createTemporaryFolder } from "../../../test/fixtures/temporary-folder.ts";

let endlessServer: LoopbackServer;
beforeAll(async () => {
  endlessServer = await startScriptedServer(async (peer) => {
    for (let line = await peer.readLine(); line; line = await peer.readLine());
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100000000\r\n\r\n");
    peer.send(Buffer.alloc(3_000_000, "x\n"));
    await peer.closed;
  });
  afterAll(() => endlessServer.stop());
});

describe("the command runs as a process", () => {
  it("the command exits with the code of the error, and separates data from messages", async () => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, "f"), "data");
    expect(await runBuiltCommand(["get", "-v", "file:///f"], { cwd: folder })).toMatchObject({
      exitCode: 0,
      stdout: "data",
    });
    expect(await runBuiltCommand(["get", "file:///g"], { cwd: folder })).toMatchObject({
      exitCode: 37,
      stdout: "",
      stderr: expect.stringMatching(/^anyscheme: not-found: [^\n]*\n$/),
    });
    expect(await runBuiltCommand(["frob"])).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it("the command runs through a symbolic link", async () => {
    const link = join(createTemporaryFolder(), "anyscheme");
    symlinkSync(builtCommandFile, link);
    expect(await runBuiltCommand(["--version"], { commandFile: link })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^anyscheme \d/),
      stderr: "",
    });
  });

  it("get ends without a message when the reader closes the pipe", async () => {
    const command = startBuiltCommand(["get", `http://127.0.0.1:${endlessServer.port}/`]);
    await once(command.stdout, "data");
    command.stdout.destroy();
    expect(await command.ended).toMatchObject({ exitCode: 23, stderr: "" });
  });

  it("get reports a full disk", async () => {
    const command = startBuiltCommand(["get", "-o", "/dev/full", `http://127.0.0.1:${endlessServer.port}/`]);
    expect(await command.ended).toMatchObject({
      exitCode: 23,
      stderr: "anyscheme: cannot write /dev/full: ENOSPC: no space left on device\n",
    });
  });

  it("get -o keeps the old file when the new file exceeds the file size limit of the process", async () => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, "large"), Buffer.alloc(1_000_000, "x\n"));
    writeFileSync(join(folder, "saved"), "before");
    // The unit of `ulimit -f` is 512 or 1024 bytes, depending on the shell.
    const script = 'ulimit -f 200; exec "$0" "$@"';
    const args = [process.execPath, builtCommandFile, "get", "-o", "saved", "file:///large"];
    await expect(promisify(execFile)("sh", ["-c", script, ...args], { cwd: folder })).rejects.toMatchObject({
      code: 23,
      stderr: `anyscheme: cannot write ${join(folder, "saved")}: EFBIG: file too large\n`,
    });
    expect(readFileSync(join(folder, "saved"), "utf8")).toBe("before");
    expect(readdirSync(folder).toSorted()).toEqual(["large", "saved"]);
  });

  it("get never prompts the user without a terminal", async () => {
    const server = await startScriptedServer(async (peer) => {
      peer.send("220 ready\r\n");
      await peer.readLine();
      peer.send("331 who are you\r\n");
      await peer.closed;
    });
    const { exitCode, stderr } = await runBuiltCommand(["get", `ftp://joe@127.0.0.1:${server.port}/f`]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 67,
      stderr: expect.stringContaining("anyscheme: authentication-required: "),
    });
    await server.stop();
  });

  it.each<[signal: NodeJS.Signals, exitCode: number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("get -o leaves no partial file after the signal %s", async (signal, exit) => {
    const folder = createTemporaryFolder();
    const command = startBuiltCommand(["get", "-v", "-o", "f", `http://127.0.0.1:${endlessServer.port}/`], {
      cwd: folder,
    });
    await waitForOutput(command.stderr, "HTTP/1.1 200");
    command.kill(signal);
    expect(await command.ended).toMatchObject({ exitCode: exit, signal: null });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("get ends after SIGINT when no process reads its output", async () => {
    const command = startBuiltCommand(["get", "-v", `http://127.0.0.1:${endlessServer.port}/`]);
    command.stdout.pause();
    await waitForOutput(command.stderr, "HTTP/1.1 200");
    command.kill("SIGINT");
    const [exit] = (await once(command, "exit")) as [number];
    expect(exit).toBe(130);
  });
});

async function waitForOutput(stream: NodeJS.ReadableStream, text: string): Promise<void> {
  let seen = "";
  while (!seen.includes(text)) seen += String((await once(stream, "data"))[0]);
}

describe("extract and lint run as processes", () => {
  it("extract reads standard input, whole and in chunks", async () => {
    for (const pieces of [["a <URL:ftp://h/\nb> "], ["a <URL:ftp:/", "/h/\nb> "]]) {
      const command = startBuiltCommand(["extract"], { isStdinOpen: true });
      for (const piece of pieces) command.stdin.write(piece);
      command.stdin.end();
      expect(await command.ended).toMatchObject({ exitCode: 0, stdout: "ftp://h/b\n", stderr: "" });
    }
  });

  it("extract and lint find no URL in an empty standard input", async () => {
    expect(await runBuiltCommand(["extract"])).toMatchObject({ exitCode: 1, stdout: "", stderr: "" });
    expect(await runBuiltCommand(["lint", "-"])).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  it("extract prints a URL as soon as the URL arrives", async () => {
    const command = startBuiltCommand(["extract"], { isStdinOpen: true });
    command.stdin.write("http://h/ ");
    await waitForOutput(command.stdout, "http://h/\n");
    command.stdin.end();
    expect(await command.ended).toMatchObject({ exitCode: 0 });
  });

  it.each(["extract", "lint"])(
    "the command %s ends without a message when the reader closes the pipe",
    async (name) => {
      const command = startBuiltCommand([name], { isStdinOpen: true });
      command.stdin.on("error", () => undefined);
      const stopped = writeUntilClosed(command.stdin, "see http://h/~a\n".repeat(4096), Infinity);
      await once(command.stdout, "data");
      command.stdout.destroy();
      expect(await command.ended).toMatchObject({ exitCode: 23, stderr: "" });
      await stopped;
    },
  );

  it.runIf(process.platform === "linux").each([["extract", "--json"], ["lint"]])(
    "the command %s needs less than 24 MiB more memory for 50 MB of text than for 5 MB",
    async (...args) => {
      const command = startBuiltCommand(args, { isStdinOpen: true });
      const line = "<URL:http://host.example/a\n   /b~> and words: words that are none, and ";
      const block = `${line}${"text ".repeat(200)}\n`.repeat(1000);
      await writeUntilClosed(command.stdin, block, 5);
      command.stdin.write("ftp://first.example/~ ");
      await waitForOutput(command.stdout, args[0] === "lint" ? ":10001:" : "first.example");
      const before = readPeakMemory(command.pid);
      await writeUntilClosed(command.stdin, block, 45);
      command.stdin.write("\nftp://last.example/~ ");
      await waitForOutput(command.stdout, args[0] === "lint" ? ":100002:" : "last.example");
      expect(readPeakMemory(command.pid) - before).toBeLessThan(24 << 20);
      command.stdin.end();
      expect(await command.ended).toMatchObject({ exitCode: args[0] === "lint" ? 1 : 0, stderr: "" });
    },
  );
});

/** Writes a block of text as often as `times` says, with backpressure. Stops when the reader closes the pipe. */
async function writeUntilClosed(stream: Writable, block: string, times: number): Promise<void> {
  const closed = new Promise((resolve) => stream.once("close", resolve));
  for (let time = 0; time < times && !stream.destroyed; time++) {
    if (!stream.write(block))
      await Promise.race([new Promise((resolve) => stream.once("drain", resolve)), closed]);
  }
}

/** Returns the peak memory of a process, in bytes. */
function readPeakMemory(pid: number | undefined): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) * 1024;
}
