import { type ScriptedPeer, startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { LfToCrlfConverter, parseTermVariable } from "../../src/services/interactive-session.ts";
import { startBuiltCommand } from "../run-built-command.ts";
import { runCommandInProcess } from "../command-in-process.ts";

const openTelnetArguments = (port: number, login = ""): string[] => [
  "open",
  "--allow-port",
  `telnet:${port}`,
  `telnet://${login}127.0.0.1:${port}/`,
];

describe("open connects a telnet URL without a terminal", () => {
  it("open shows the suggested login, sends standard input, and writes the output of the service", async () => {
    await using server = await startScriptedServer(async (peer) => {
      peer.send("\xff\xfb\x01name: ");
      const name = (await peer.readLine())?.replace("\xff\xfd\x01", "");
      peer.send(`hello ${name}\r\n`);
      await peer.closed;
      peer.send("bye\r\n");
    });
    const args = [...openTelnetArguments(server.port, "joe:n33dle@"), "--close-after", "0"];
    const { exitCode, stdout, stderr } = await runCommandInProcess(args, { input: ["ali", "ce\r", "\n"] });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "name: hello alice\r\nbye\r\n" });
    expect(stderr).toBe(
      `telnet service at 127.0.0.1 port ${server.port}\nsuggested user: joe\n` +
        "suggested password: see the URL\n",
    );
    const sent = server.connections[0]?.received.toString("latin1") ?? "";
    expect(sent).toContain("alice\r\n");
    expect(sent).not.toMatch(/joe|n33dle/);
  });

  it("open waits for the output after its input, and ends when the service is silent", async () => {
    let answer = (): void => undefined;
    let hear = (): void => undefined;
    const heard = new Promise<void>((resolve) => (hear = resolve));
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      const asked = new Promise<string>((resolve) => (answer = () => resolve("one answer")));
      hear();
      peer.send(`${await Promise.race([asked, peer.closed.then(() => "too late")])}\r\n`);
      await peer.closed;
    });
    const command = startBuiltCommand([...openTelnetArguments(server.port), "--close-after", "0.2"], {
      isStdinOpen: true,
    });
    command.stdin.end("a question\n");
    await heard;
    answer();
    expect(await command.ended).toMatchObject({ exitCode: 0, stdout: "one answer\r\n" });
  });

  it.each([
    ["the service closes the connection", (peer: ScriptedPeer) => peer.end()],
    [
      "the service negotiates a Telnet option and closes the connection",
      (peer: ScriptedPeer) => peer.send("\xff\xfd\x27"),
    ],
  ])("open fails when %s without sending data", async (_, script) => {
    await using server = await startScriptedServer(script);
    const { exitCode, stdout, stderr } = await runCommandInProcess(
      openTelnetArguments(server.port, "joe:n33dle@"),
      {
        input: ["x\n"],
      },
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 8, stdout: "" });
    expect(stderr).toMatch(
      /anyscheme: unavailable: the service closed the connection without sending data: telnet:\/\/joe:\*+@/,
    );
  });

  it.each(["-1", "soon", "", "1e3"])("the command rejects --close-after %j", async (seconds) => {
    const outcome = await runCommandInProcess(["open", "--close-after", seconds, "telnet://a/"]);
    expect(outcome).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--close-after") as string,
    });
  });

  it("open escapes control characters of the service when standard output is a terminal", async () => {
    await using server = await startScriptedServer((peer) =>
      peer.send("\x1b]0;title\x07a\x1b[2J\r\nb\tc\x9b"),
    );
    const { stdout } = await runCommandInProcess(openTelnetArguments(server.port), { terminal: true });
    expect(stdout).toBe("\\x1b]0;title\\x07a\\x1b[2J\r\nb\tc\ufffd");
  });

  it("open escapes control characters in the suggested login", async () => {
    await using server = await startScriptedServer((peer) => peer.end());
    const { stderr } = await runCommandInProcess(openTelnetArguments(server.port, "%1B%5B2Jjoe@"));
    expect(stderr).toContain("suggested user: \\x1b[2Jjoe\n");
  });

  it("open -v traces the Telnet options, and never the typed text", async () => {
    await using server = await startScriptedServer(async (peer) => {
      peer.send("\xff\xfd\x18");
      await peer.readBytes(11);
    });
    const command = startBuiltCommand(["-v", ...openTelnetArguments(server.port)], { isStdinOpen: true });
    command.stdin.write("secret\n");
    const { stderr } = await command.ended;
    expect(stderr).toContain("< DO TERMINAL-TYPE\n> WONT TERMINAL-TYPE\n");
    expect(stderr).not.toContain("secret");
  });

  it("open ends when the service closes the connection while standard input is open", async () => {
    await using server = await startScriptedServer((peer) => peer.send("bye"));
    const command = startBuiltCommand(openTelnetArguments(server.port), { isStdinOpen: true });
    expect(await command.ended).toMatchObject({ exitCode: 0, stdout: "bye" });
  });

  it.each<[signal: NodeJS.Signals, exitCode: number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("open ends after the signal %s", async (signal, exit) => {
    await using server = await startScriptedServer(async (peer) => {
      peer.send("hello");
      await peer.closed;
    });
    const command = startBuiltCommand(openTelnetArguments(server.port), { isStdinOpen: true });
    await new Promise((resolve) => command.stdout.once("data", resolve));
    command.kill(signal);
    expect(await command.ended).toMatchObject({ exitCode: exit, stdout: "hello" });
    await server.connections[0]?.closed;
  });

  it.each<[args: string[], exitCode: number, reported: RegExp]>([
    [["open", "telnet://127.0.0.1:PORT/"], 7, /refused-port: .*--allow-port telnet:PORT allows it/],
    [["open", "telnet://127.0.0.1:25/"], 7, /refused-port/],
    [
      ["open", "--allow-port", "telnet:1", "telnet://127.0.0.1:1/"],
      7,
      /unavailable: .*\(ECONNREFUSED\): telnet:/,
    ],
    [["open", "telnet://127.0.0.1/x"], 3, /bad-path/],
    [["open", "http://127.0.0.1:PORT/"], 2, /is a file or directory; use get/],
    [["open", "ftp://bob:n33dle@127.0.0.1:PORT/x"], 2, /is a file or directory; use get/],
    [["open", "file:///etc/passwd"], 2, /is a file or directory; use get/],
    [["open", "gopher://127.0.0.1:PORT/0x"], 2, /is a file or directory; use get/],
    [["open", "nonsense:x"], 1, /unknown-scheme/],
    [["open"], 2, /open needs a URL/],
    [["open", "telnet://a/", "telnet://b/"], 2, /one URL/],
    [["open", "-o", "x", "telnet://a/"], 2, /open has no option --output/],
  ])("the command line %j exits with %i, without a connection", async (args, exit, reported) => {
    await using tripwire = await startForbiddenServer();
    const put = (text: string): string => text.replaceAll("PORT", String(tripwire.port));
    const outcome = await runCommandInProcess(args.map(put));
    expect(outcome).toMatchObject({ exitCode: exit, stdout: "" });
    expect(outcome.stderr).toMatch(new RegExp(put(reported.source)));
    expect(outcome.stderr).not.toContain("n33dle");
    expect(tripwire.connections).toHaveLength(0);
  });

  it("open ends after --max-time", async () => {
    await using server = await startScriptedServer((peer) => peer.closed);
    const command = startBuiltCommand([...openTelnetArguments(server.port), "--max-time", "0.1"], {
      isStdinOpen: true,
    });
    const { exitCode, stderr } = await command.ended;
    expect({ exitCode, stderr }).toEqual({
      exitCode: 28,
      stderr: expect.stringContaining("the request took longer than the 0.1 s") as string,
    });
  });
});

describe("get supports telnet and mailto URLs", () => {
  it("get of a telnet or mailto URL prints its components, and opens no connection", async () => {
    expect(await runCommandInProcess(["get", "telnet://joe@host.dom/"])).toMatchObject({
      exitCode: 0,
      stdout: "telnet service at host.dom port 23\nsuggested user: joe\n",
    });
    expect(await runCommandInProcess(["get", "mailto:a@h?subject=x"])).toMatchObject({
      exitCode: 0,
      stdout: "mailbox of a@h\nsubject: x\n",
    });
  });

  it("get --json describes a telnet service without the password", async () => {
    const { stdout } = await runCommandInProcess(["get", "--json", "telnet://joe:n33dle@host.dom/"]);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "service", host: "host.dom", port: 23, user: "joe" });
    expect(stdout).not.toContain("n33dle");
  });
});

describe("open converts line ends in the data for a service", () => {
  it.each([
    ["a\nb\n", "a\r\nb\r\n"],
    ["a\r\nb", "a\r\nb"],
    ["\n\n", "\r\n\r\n"],
    ["\r\r\n\r", "\r\r\n\r"],
    ["a\r", "a\r"],
    ["", ""],
  ])("open sends the input %j as %j", (typed, sent) => {
    for (let at = 0; at <= typed.length; at++) {
      const converter = new LfToCrlfConverter();
      const chunks = [typed.slice(0, at), typed.slice(at)].map((text) => converter.push(Buffer.from(text)));
      expect(Buffer.concat([...chunks, converter.end()]).toString()).toBe(sent);
    }
  });

  it("parseTermVariable returns the value of TERM only if it is a valid terminal type", () => {
    expect(["xterm-256color", "", "a b", "x".repeat(41), undefined].map(parseTermVariable)).toEqual([
      "xterm-256color",
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
