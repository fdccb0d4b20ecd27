import { startScriptedServer } from "@anyscheme/core/testing";
import { startInetutilsTelnetd } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { describe, expect, it } from "vitest";
import { expectRestoredTerminal, hasScriptProgram, runOnTerminal } from "./run-on-terminal.ts";

/** Returns the arguments that open the Telnet service at a port. */
const openService = (port: number): string[] => [
  "open",
  "--allow-port",
  `telnet:${port}`,
  `telnet://127.0.0.1:${port}/`,
];

describe.skipIf(!hasScriptProgram)("open on a pseudo-terminal (script of util-linux)", () => {
  it("open sends lines while the service does not echo, and single keys while the service echoes", async () => {
    const lines: (string | undefined)[] = [];
    await using server = await startScriptedServer(async (peer) => {
      peer.send("name: ");
      lines.push(await peer.readLine());
      peer.send("\xff\xfb\x01password: ");
      lines.push((await peer.readBytes(11)).toString("latin1"));
      peer.send("\xff\xfc\x01\r\nagain: ");
      lines.push((await peer.readBytes(8)).toString("latin1"));
    });
    const { exit, screen } = await runOnTerminal(openService(server.port), [
      ["name: ", "alicx\x7fe\r"],
      ["password: ", "Needle\r"],
      ["again: ", "bob\r"],
    ]);
    expect(exit).toBe(0);
    // In line mode, the terminal sends the corrected line with LF. In raw mode, the terminal sends each key,
    // including CR.
    expect(lines).toEqual(["alice", "\xff\xfd\x01Needle\r\0", "\xff\xfe\x01bob\r\n"]);
    expect(screen).toContain("again: bob");
    expect(screen).not.toContain("Needle");
    expect(screen).toContain("Connection closed by the service.");
    expectRestoredTerminal(screen);
  });

  const endings: [how: string, echo: boolean, types: string, exit: number, shows: RegExp][] = [
    ["Ctrl-] while the service echoes", true, "\x1d", 0, /Connection closed/],
    ["Ctrl-] in a line", false, "x\x1d\r", 0, /Connection closed/],
    ["Ctrl-D at the beginning of a line", false, "\x04", 0, /Connection closed/],
    ["Ctrl-C while the service does not echo", false, "\x03", 130, /interrupted/],
  ];
  it.each(endings)("open ends after %s, and restores the terminal", async (_, echo, types, exit, shows) => {
    await using server = await startScriptedServer(async (peer) => {
      peer.send(echo ? "\xff\xfb\x01ready " : "ready ");
      await peer.closed;
    });
    const seen = await runOnTerminal(openService(server.port), [["ready ", types]]);
    expect(seen).toEqual({ exit, screen: expect.stringMatching(shows) as string });
    expectRestoredTerminal(seen.screen);
    await server.connections[0]?.closed;
  });

  it("open sends Ctrl-C to the service while the service echoes", async () => {
    let key: Buffer | undefined;
    await using server = await startScriptedServer(async (peer) => {
      peer.send("\xff\xfb\x01ready ");
      key = await peer.readBytes(4);
    });
    expect(await runOnTerminal(openService(server.port), [["ready ", "\x03"]])).toMatchObject({ exit: 0 });
    expect(key?.toString("latin1")).toBe("\xff\xfd\x01\x03");
  });

  it("open restores the terminal when the service resets the connection", async () => {
    await using server = await startScriptedServer(async (peer) => {
      peer.send("\xff\xfb\x01ready ");
      await peer.readBytes(4);
      peer.reset();
    });
    const { exit, screen } = await runOnTerminal(openService(server.port), [["ready ", "x"]]);
    expect({ exit, screen }).toEqual({ exit: 18, screen: expect.stringContaining("incomplete: ") as string });
    expectRestoredTerminal(screen);
  });

  it("open sends the window size and the terminal type that the service requests", async () => {
    let sizes = "";
    await using server = await startScriptedServer(async (peer) => {
      peer.send("\xff\xfd\x1f\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0ready ");
      sizes = (await peer.readBytes(26)).toString("latin1");
      await peer.closed;
    });
    const before = "stty rows 31 columns 101; ";
    await runOnTerminal(openService(server.port), [["ready ", "\x1d\r"]], before);
    expect(sizes).toBe("\xff\xfb\x1f\xff\xfa\x1f\0\x65\0\x1f\xff\xf0\xff\xfb\x18\xff\xfa\x18\0vt100\xff\xf0");
  });
});

describeIfServerAvailable("telnetd", "open on a pseudo-terminal with the telnetd of GNU inetutils", () => {
  it.skipIf(!hasScriptProgram)(
    "open logs a user in, and the terminal does not show the password",
    async () => {
      await using server = await startInetutilsTelnetd();
      const { exit, screen } = await runOnTerminal(openService(server.port), [
        ["login: ", "bob\r"],
        ["Password: ", "secret\r"],
        ["$ ", "hello\r"],
        ["$ ", "exit\r"],
      ]);
      expect({ exit, screen }).toEqual({
        exit: 0,
        screen: expect.stringContaining("you said: hello") as string,
      });
      expect(screen).toContain("TERM=vt100");
      expect(screen).not.toContain("secret");
      expect(await server.receivedLogins()).toEqual([["bob", "secret"]]);
      expectRestoredTerminal(screen);
    },
  );
});
