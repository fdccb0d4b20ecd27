import { once } from "node:events";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mainFile, runCommand, startCommand } from "./command.ts";
import { testFolder } from "./folder.ts";

let endless: LoopbackServer;
beforeAll(async () => {
  endless = await startScriptedServer(async (peer) => {
    for (let line = await peer.line(); line; line = await peer.line());
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100000000\r\n\r\n");
    peer.send(Buffer.alloc(3_000_000, "x\n"));
    await peer.closed;
  });
  afterAll(() => endless.stop());
});

describe("the command as a process", () => {
  it("exits as it says, with data and everything else apart", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "f"), "data");
    expect(await runCommand(["get", "-v", "file:///f"], { cwd: folder })).toMatchObject({
      exit: 0,
      out: "data",
    });
    expect(await runCommand(["get", "file:///g"], { cwd: folder })).toMatchObject({
      exit: 37,
      out: "",
      err: expect.stringMatching(/^anyscheme: not-found: [^\n]*\n$/),
    });
    expect(await runCommand(["frob"])).toMatchObject({ exit: 2, out: "" });
  });

  it("runs through a symbolic link", async () => {
    const link = join(testFolder(), "anyscheme");
    symlinkSync(mainFile, link);
    expect(await runCommand(["--version"], { file: link })).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/^anyscheme \d/),
      err: "",
    });
  });

  it("ends quietly when the reader of its output goes away", async () => {
    const command = startCommand(["get", `http://127.0.0.1:${endless.port}/`]);
    await once(command.stdout, "data");
    command.stdout.destroy();
    expect(await command.ended).toMatchObject({ exit: 23, err: "" });
  });

  it("has told what is wrong when the disk is full", async () => {
    const command = startCommand(["get", "-o", "/dev/full", `http://127.0.0.1:${endless.port}/`]);
    expect(await command.ended).toMatchObject({
      exit: 23,
      err: "anyscheme: cannot write /dev/full: ENOSPC: no space left on device\n",
    });
  });

  it("never asks without a terminal", async () => {
    const server = await startScriptedServer(async (peer) => {
      peer.send("220 ready\r\n");
      await peer.line();
      peer.send("331 who are you\r\n");
      await peer.closed;
    });
    const { exit, err } = await runCommand(["get", `ftp://joe@127.0.0.1:${server.port}/f`]);
    expect({ exit, err }).toEqual({
      exit: 67,
      err: expect.stringContaining("anyscheme: needs-credentials: "),
    });
    await server.stop();
  });

  it.each<[signal: NodeJS.Signals, exit: number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("leaves nothing half-written after %s", async (signal, exit) => {
    const folder = testFolder();
    const command = startCommand(["get", "-v", "-o", "f", `http://127.0.0.1:${endless.port}/`], {
      cwd: folder,
    });
    await sees(command.stderr, "HTTP/1.1 200");
    command.kill(signal);
    expect(await command.ended).toMatchObject({ exit, signal: null });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("ends after SIGINT though nobody reads its output", async () => {
    const command = startCommand(["get", "-v", `http://127.0.0.1:${endless.port}/`]);
    command.stdout.pause();
    await sees(command.stderr, "HTTP/1.1 200");
    command.kill("SIGINT");
    const [exit] = (await once(command, "exit")) as [number];
    expect(exit).toBe(130);
  });
});

async function sees(stream: NodeJS.ReadableStream, text: string): Promise<void> {
  let seen = "";
  while (!seen.includes(text)) seen += String((await once(stream, "data"))[0]);
}
