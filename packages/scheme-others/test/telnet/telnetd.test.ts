import { createClient, anyAddress } from "@anyscheme/core";
import { telnet } from "@anyscheme/scheme-others/telnet";
import { startInetutilsTelnetd } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { expect, it } from "vitest";
import type { TelnetTestSessionOptions } from "./telnet-test-session.ts";

/** Sends a line after each prompt. Returns all output of the server with one character per byte. */
async function runLoginDialogue(
  port: number,
  answers: readonly (readonly [prompt: string, line: string])[],
  lineEnd = "\r\n",
  { acceptTelnetOptions, ...options }: TelnetTestSessionOptions = {},
): Promise<string> {
  await using client = createClient({
    schemes: [telnet({ acceptTelnetOptions })],
    policy: anyAddress({ allowPorts: { telnet: [port] } }),
  });
  await using service = await client.dereference(`telnet://bob:wrong@127.0.0.1:${port}/`);
  await using session = await service.connect(options);
  const writer = session.writable.getWriter();
  const remainingAnswers = [...answers];
  let output = "";
  for await (const piece of session.readable) {
    output += Buffer.from(piece).toString("latin1");
    const [prompt, line] = remainingAnswers[0] ?? [];
    if (prompt === undefined || line === undefined || !output.endsWith(prompt)) continue;
    remainingAnswers.shift();
    if (line === "size") session.resize(132, 43);
    await writer.write(Buffer.from(`${line}${lineEnd}`, "latin1"));
  }
  expect(remainingAnswers).toEqual([]);
  return output;
}

const LOGIN_DIALOGUE = [
  ["login: ", "bob"],
  ["Password: ", "secret"],
] as const;

describeIfServerAvailable("telnetd", "telnet sessions with telnetd of GNU inetutils", () => {
  it("the client sends the input of the user, but not the login of the URL", async () => {
    await using server = await startInetutilsTelnetd();
    const output = await runLoginDialogue(server.port, [...LOGIN_DIALOGUE, ["$ ", "hello"], ["$ ", "exit"]]);
    expect(output).toContain("you said: hello\r\n");
    expect(output).not.toContain("secret");
    expect(await server.receivedLogins()).toEqual([["bob", "secret"]]);
  });

  it("the client sends the terminal type and window size", async () => {
    await using server = await startInetutilsTelnetd();
    const answers = [...LOGIN_DIALOGUE, ["$ ", "size"], ["$ ", "exit"]] as const;
    expect(await runLoginDialogue(server.port, answers)).toContain("TERM=network, size 0 0\r\n");
    const options = { terminalType: "xterm", terminalSize: { columns: 80, rows: 24 } };
    const output = await runLoginDialogue(server.port, answers, "\r", options);
    expect(output).toContain("TERM=xterm, size 24 80\r\n");
    expect(output).toContain("\nsize 43 132\r\n");
  });

  it.each<
    [accept: TelnetTestSessionOptions["acceptTelnetOptions"], lineEnd: string, typed: string, arrived: string]
  >([
    [[], "\r\n", "hello", "hello"],
    [["echo", "suppress-go-ahead"], "\r", "hello", "hello"],
    // The server's terminal accepts only seven bits if the option binary is not enabled.
    [["echo"], "\r\n", "gr\xfc\xdfe", "gr|_e"],
    [["binary"], "\r", "gr\xfc\xdfe \xff.", "gr\xfc\xdfe \xff."],
  ])(
    "a session with the Telnet options %j and the line end %j transmits the text %j as %j",
    async (accept, lineEnd, typed, arrived) => {
      await using server = await startInetutilsTelnetd();
      const answers = [...LOGIN_DIALOGUE, ["$ ", typed], ["$ ", "ff"], ["$ ", "exit"]] as const;
      const output = await runLoginDialogue(server.port, answers, lineEnd, { acceptTelnetOptions: accept });
      expect(output).toContain(`you said: ${arrived}`);
      // The server doubles the byte 255, and the client removes the second byte.
      expect(output).toContain("bytes: \xff\xff.");
    },
  );
});
