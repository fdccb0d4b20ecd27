import { startFtpTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { expectRestoredTerminal, hasScriptProgram, runOnTerminal } from "./run-on-terminal.ts";

describe.skipIf(!hasScriptProgram)("the password prompt on a pseudo-terminal (script of util-linux)", () => {
  const rows: [name: string, typed: string, exit: number, shows: RegExp][] = [
    ["a correct password", "Needle\r", 0, /hello/],
    ["a password with corrected keys", "wrong\u0015Needlx\u007fe\r", 0, /hello/],
    ["a pasted password with a tab and a second line", "Nee\tdle\r\nNeed\r", 0, /hello/],
    ["a bracketed paste", "\u001b[200~Needle\u001b[201~\r", 0, /hello/],
    ["a password with a cursor key", "Nedle\u001b[D\u001b[D\u001b[De\r", 0, /hello/],
    ["a wrong password", "Needless\r", 67, /permission-denied: .*530/],
    ["Ctrl-D", "\u0004", 67, /authentication-required/],
    ["Ctrl-C", "Need\u0003", 130, /interrupted/],
  ];
  it.each(rows)("askLine restores the terminal after %s", async (_, typed, exit, shows) => {
    await using server = await startFtpTestServer({ files: { "f.txt": "hello" }, users: { joe: "Needle" } });
    const url = `ftp://joe@127.0.0.1:${server.port}/f.txt`;
    const seen = await runOnTerminal(["get", url], [["Password for", typed]]);
    expect(seen).toEqual({ exit, screen: expect.stringMatching(shows) });
    expect(seen.screen).not.toContain("Need");
    expectRestoredTerminal(seen.screen);
  });
});
