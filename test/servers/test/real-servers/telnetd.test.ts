import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { describeIfServerAvailable } from "../../src/describe-if-server-available.ts";
import { startBusyboxTelnetd, startInetutilsTelnetd } from "../../src/telnetd/telnetd.ts";
import { stopServerAndExpectCleanup } from "./stop-server-and-expect-cleanup.ts";

const [IAC, WILL, DO, WONT, DONT] = [255, 251, 253, 252, 254];

/**
 * Refuses every Telnet option and sends a line at each prompt. Returns all received output until the server
 * closes the connection.
 */
function answerPrompts(port: number, answers: readonly [prompt: string, line: string][]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port });
    const remaining = [...answers];
    let shown = "";
    socket.on("data", (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at++) {
        if (bytes[at] !== IAC) {
          shown += String.fromCharCode(bytes[at] ?? 0);
          continue;
        }
        const [verb, option] = [bytes[at + 1], bytes[at + 2] ?? 0];
        if (verb === WILL || verb === DO)
          socket.write(Uint8Array.of(IAC, verb === WILL ? DONT : WONT, option));
        at += 2;
      }
      const [prompt, line] = remaining[0] ?? [];
      if (prompt === undefined || !shown.endsWith(prompt)) return;
      remaining.shift();
      socket.write(`${line}\r\n`);
    });
    socket.once("error", reject).once("close", () => resolve(shown));
  });
}

describe.each([
  ["telnetd", startInetutilsTelnetd],
  ["busybox", startBusyboxTelnetd],
] as const)("the Telnet server of %s", (name, start) => {
  describeIfServerAvailable(name, name, () => {
    it("telnetd accepts the right password, repeats each line, and refuses a wrong password", async () => {
      await using server = await start();
      const shown = await answerPrompts(server.port, [
        ["login: ", "bob"],
        ["Password: ", "secret"],
        ["$ ", "hello"],
        ["$ ", "exit"],
      ]);
      expect(shown).toMatch(/Welcome bob, TERM=[^]*you said: hello\r\n/);
      expect(await server.receivedLogins()).toEqual([["bob", "secret"]]);
      const refused = await answerPrompts(server.port, [
        ["login: ", "bob"],
        ["Password: ", ""],
      ]);
      // A telnetd may drop the last output of the login script, such as "Login incorrect".
      expect(refused).not.toContain("Welcome");
      expect(await server.receivedLogins()).toEqual([
        ["bob", "secret"],
        ["bob", ""],
      ]);
      await stopServerAndExpectCleanup(server);
    });
  });
});
