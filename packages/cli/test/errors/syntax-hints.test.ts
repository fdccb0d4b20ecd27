import { describe, expect, it } from "vitest";
import { runCommandInProcess } from "../command-in-process.ts";

const getLastLine = (text: string): string | undefined => text.trimEnd().split("\n").at(-1);

describe("the error message for a common mistake names the repaired URL", () => {
  it.each([
    ["http:/example.com", 'write "http://example.com"'],
    ["http:example.com/x", 'write "http://example.com/x"'],
    ["http:\\\\example.com/x", 'write "http://example.com/x"'],
    ["HTTPS:/example.com:8443/x?q#f", 'write "HTTPS://example.com:8443/x?q#f"'],
    ["ftp:/joe:secret@h/x", 'write "ftp://joe:******@h/x"'],
    ["gopher:[::1]/1", 'write "gopher://[::1]/1"'],
    ["http:80/x", 'write "//" after the colon'],
    ["http:?q", 'write "//" after the colon'],
    ["file:c:/x", 'write "//" after the colon'],
    ["joe@example.com", 'write "mailto:joe@example.com"'],
    ["/etc/motd", 'begin with a scheme, as in "ftp://"'],
  ])("the message for %s ends with the advice: %s", async (text, advice) => {
    for (const command of ["parse", "get"]) {
      const { exitCode, stderr } = await runCommandInProcess([command, text]);
      expect(exitCode).toBe(3);
      expect(getLastLine(stderr)).toBe(advice);
    }
  });

  it.each([
    ["example.com/x", 'write "http://example.com/x"'],
    ["ftp.example/x", 'write "ftp://ftp.example/x"'],
  ])("the message for %s with --strict ends with the advice: %s", async (text, advice) => {
    const { exitCode, stderr } = await runCommandInProcess(["parse", "--strict", text]);
    expect(exitCode).toBe(3);
    expect(getLastLine(stderr)).toBe(advice);
  });

  it("the message for a host and a port with --strict names the repaired URL", async () => {
    const { exitCode, stderr } = await runCommandInProcess(["get", "--strict", "localhost:8080/x"]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^anyscheme: unknown-scheme: .*: localhost:8080\/x \(write "http:\/\/localhost:8080\/x"\)\n$/,
    );
  });

  it.each(["example.com", "example.com/x", "localhost:8080/x"])(
    "the message for a command line that begins with %s names the missing command",
    async (text) => {
      expect((await runCommandInProcess([text])).stderr).toContain("the command is missing before the URL");
    },
  );
});

it("the message for a login without a scheme masks the password", async () => {
  const { exitCode, stderr } = await runCommandInProcess(["get", "joe:secret@example.com/x"]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^anyscheme: unknown-scheme: the scheme joe is not registered: joe:\*+@example\.com\/x /,
  );
});

describe("a typed URL that parsers read in two ways is refused with both readings", () => {
  const both =
    "RFC 1738 reads the host as evil, but RFC 3986 and the WHATWG URL Standard read the host as good";

  it.each([
    "ftp://good?@evil/",
    "http://good?x@evil/a@b",
    "telnet://good:21?@evil:23",
    "ftp://a@good?@evil#@b",
  ])("the message for %s in modern mode names both hosts", async (text) => {
    for (const command of ["parse", "plan"]) {
      const { exitCode, stderr } = await runCommandInProcess([command, text]);
      expect(exitCode).toBe(3);
      expect(stderr).toMatch(/^anyscheme: login-question-mark: /);
      expect(stderr.trimEnd().split("\n").slice(-2)).toEqual([both, 'write "%3F"']);
    }
  });

  it("the message for a URL with an ambiguous host shows no part of a password", async () => {
    const { stderr } = await runCommandInProcess(["get", "ftp://joe:123?4@evil/"]);
    expect(stderr).toContain(
      "RFC 1738 reads the host as evil, but RFC 3986 and the WHATWG URL Standard read the host as joe\n",
    );
    expect(stderr).not.toMatch(/12|23|34/);
  });

  it.each(["get", "ls", "form", "plan"])(
    "the command %s --strict refuses a URL in which other parsers read another host",
    async (command) => {
      const { exitCode, stdout, stderr } = await runCommandInProcess([
        command,
        "--strict",
        "ftp://good?:secret@evil/",
      ]);
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 3,
        stdout: "",
        stderr: `anyscheme: ambiguous-url: ${both}: ftp://good?:****@evil/\nwrite "%3F" for the "?" in the login\n`,
      });
    },
  );

  it("get --strict refuses a news URL whose host only other standards read", async () => {
    const { exitCode, stderr } = await runCommandInProcess(["get", "--strict", "news://h/a@b"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr:
        "anyscheme: ambiguous-url: RFC 1738 reads no host, but RFC 3986 and the WHATWG URL Standard read the host as h: news://h/a@b\n",
    });
  });

  it("parse --strict warns of the host that other parsers read", async () => {
    const { exitCode, stdout } = await runCommandInProcess(["parse", "--strict", "ftp://good?@evil/"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^warning +RFC 3986 and the WHATWG URL Standard read the host as good$/m);
  });

  it("parse --json --strict shows no part of a password in the hosts that other parsers read", async () => {
    const { stdout } = await runCommandInProcess(["parse", "--json", "--strict", "ftp://joe:123?4@evil/"]);
    expect((JSON.parse(stdout) as { parserDifferences: unknown }).parserDifferences).toEqual([
      { parser: "RFC 3986", host: "joe" },
      { parser: "WHATWG URL", host: "joe" },
    ]);
  });

  it("lint reports the question mark at which other parsers end the host", async () => {
    const { stdout } = await runCommandInProcess(["lint"], { input: ["<URL:x-any://good?@evil/>"] });
    expect(stdout).toBe(
      "-:1:18: login-question-mark: other parsers end the host at a '?' in a login (RFC 1738 §3.1); write \"%3F\"\n",
    );
  });

  it("parse --strict warns of the request target that other parsers read", async () => {
    const { stdout } = await runCommandInProcess(["parse", "--strict", "http://h/a/../b"]);
    expect(stdout).toMatch(/^warning +RFC 3986 and the WHATWG URL Standard read the request target as \/b$/m);
  });
});
