import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUILT_IN_SCHEME_NAMES } from "../../src/client/scheme-packages.ts";
import { guessUrl } from "../../src/urls/guess-url.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../command-in-process.ts";

describe("the command guesses the URL of a text without a scheme", () => {
  it.each([
    ["example.com", "http://example.com"],
    ["example.com/x", "http://example.com/x"],
    ["  example.com/x\n", "http://example.com/x"],
    ["example.com/a:b?c@d", "http://example.com/a:b?c@d"],
    ["example.com?q", "http://example.com?q"],
    ["example.com#part", "http://example.com#part"],
    ["hello", "http://hello"],
    ["faß.de/x", "http://faß.de/x"],
    ["my_host:8080/x", "http://my_host:8080/x"],
    ["localhost:8080/x", "http://localhost:8080/x"],
    ["localhost:8080", "http://localhost:8080"],
    ["example.com:8080", "http://example.com:8080"],
    ["host:8080?q", "http://host:8080?q"],
    ["127.0.0.1:8080/x", "http://127.0.0.1:8080/x"],
    ["[::1]:8080/x", "http://[::1]:8080/x"],
    ["ftp.example/pub/", "ftp://ftp.example/pub/"],
    ["FTP.Example:2121/pub/", "ftp://FTP.Example:2121/pub/"],
    ["gopher.example", "gopher://gopher.example"],
    ["gopher.example/1/", "gopher://gopher.example/1/"],
    ["ftp", "http://ftp"],
    ["ftpsite.example", "http://ftpsite.example"],
  ])("the text %j is guessed as the URL %s", (text, url) => {
    expect(guessUrl(text, BUILT_IN_SCHEME_NAMES)).toBe(url);
  });

  it.each(["", " ", "/etc/motd", "//example.com/x", "./x", "../x", "~joe/x", "?q", "#part", ":8080/x"])(
    "the text %j begins with no host name and is not guessed",
    (text) => expect(guessUrl(text, BUILT_IN_SCHEME_NAMES)).toBeUndefined(),
  );

  it.each(["http://h/", "x-any:thing", "x-any:42", "tel:5551234", "mailto:joe@h", "c:/x", "c:\\x"])(
    "the text %j has a scheme and is not guessed",
    (text) => expect(guessUrl(text, BUILT_IN_SCHEME_NAMES)).toBeUndefined(),
  );

  it.each(["joe@example.com", "joe@example.com/x", "joe:secret@example.com/x", "j_e:secret@example.com"])(
    "the text %j has a login and is not guessed",
    (text) => expect(guessUrl(text, BUILT_IN_SCHEME_NAMES)).toBeUndefined(),
  );

  it("guessUrl uses the given default scheme instead of the scheme that the host name suggests", () => {
    expect(guessUrl("ftp.example/x", BUILT_IN_SCHEME_NAMES, "https")).toBe("https://ftp.example/x");
  });
});

it.each([
  ["http//h.example/x", 'write "http://h.example/x"'],
  ["FTP//h.example:21/x", 'write "FTP://h.example:21/x"'],
  ["ftp:/127.0.0.1/x", 'write "ftp://127.0.0.1/x"'],
  ["http:\\\\h.example\\x", 'write "http://h.example/x"'],
  ["ftp:/1.2/x", 'write "//" after the colon'],
])("the message for %s names the repaired URL", async (text, advice) => {
  const { exitCode, stderr } = await runCommandInProcess(["get", text]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain(`\n${advice}\n`);
});

it.each(["<URL:http://h.example/x>", "<http://h.exa\n mple/x>", " <url:h.example/x> "])(
  "plan accepts the wrapper <URL:…> or <…> in %j",
  async (text) => {
    const { exitCode, stdout } = await runCommandInProcess(["plan", text]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("GET /x HTTP/1.1");
  },
);

describe("a command adds the guessed scheme to a URL that the user typed", () => {
  const server = createServer((request, response) => response.end(`body of ${request.url}\n`));
  let port = 0;
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => server.close());

  it("get requests the guessed URLs, and reports each guess on standard error", async () => {
    expect(
      await runCommandInProcess(["get", `127.0.0.1:${port}/a`, `http://127.0.0.1:${port}/b`]),
    ).toMatchObject({
      exitCode: 0,
      stdout: "body of /a\nbody of /b\n",
      stderr: `guessed http://127.0.0.1:${port}/a; write the scheme to choose another\n`,
    });
  });

  it("get --silent guesses without a message", async () => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(["get", "-s", `127.0.0.1:${port}/a`]);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "body of /a\n", stderr: "" });
  });

  it("--proto-default sets the scheme, and the command does not report a guess", async () => {
    const { exitCode, stdout, stderr } = await runCommandInProcess([
      "parse",
      "--proto-default",
      "gopher",
      "ftp.example:7070/1",
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^scheme\s+gopher\nhost\s+ftp\.example\nport\s+7070\n/);
  });

  it.each([
    ["https://", "--proto-default needs the name of a scheme, as in https"],
    ["", "--proto-default needs the name of a scheme, as in https"],
  ])("--proto-default %j is a usage error", async (name, message) => {
    const { exitCode, stderr } = await runCommandInProcess(["get", "--proto-default", name, "h"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `anyscheme: ${message}\nsee: anyscheme --help get\n`,
    });
  });

  it("--proto-default and --strict exclude each other", async () => {
    const { exitCode, stderr } = await runCommandInProcess([
      "get",
      "--proto-default",
      "http",
      "--strict",
      "h",
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "anyscheme: --proto-default and --strict exclude each other\nsee: anyscheme --help get\n",
    });
  });

  it.each([
    ["ls", "ftp.example.invalid/pub/", "ftp://ftp.example.invalid/pub/"],
    ["plan", "gopher.example", "gopher://gopher.example"],
    ["parse", "example.com/\u001b[2J", "http://example.com/\\x1b[2J"],
    ["open", "example.com", "http://example.com"],
    ["form", "127.0.0.1:1/x", "http://127.0.0.1:1/x"],
  ])("the command %s reports the guess for %j", async (command, text, url) => {
    const { stderr } = await runCommandInProcess([command, text]);
    expect(stderr.split("\n")[0]).toBe(`guessed ${url}; write the scheme to choose another`);
  });

  it("the error message for a guessed URL marks the fault in the guessed URL", async () => {
    const { exitCode, stderr } = await runCommandInProcess(["parse", "-s", "example.com/x"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const lines = (await runCommandInProcess(["plan", "a..b/x"])).stderr.split("\n");
    expect(lines.slice(1, 4)).toEqual([
      expect.stringMatching(/^anyscheme: bad-host: /) as string,
      "  http://a..b/x",
      "         ^~~~",
    ]);
  });

  it.each([
    ["get", ["missing-scheme", 3]],
    ["plan", ["missing-scheme", 3]],
    ["parse", ["missing-scheme", 3]],
  ] as const)("the command %s --strict does not guess a scheme", async (command, [code, exit]) => {
    const result = await runCommandInProcess([command, "--strict", "example.com/x"]);
    expect(result.exitCode).toBe(exit);
    expect(result.stderr).toMatch(new RegExp(`^anyscheme: ${code}: `));
  });

  it("lint and extract do not guess schemes", async () => {
    const file = join(createTemporaryFolder(), "example.com");
    writeFileSync(file, "localhost:8080/x and example.com/x\n");
    expect(await runCommandInProcess(["extract", file])).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: "",
    });
    expect(await runCommandInProcess(["lint", file])).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  it("a scheme of --gateway is registered, and its URL is not guessed", async () => {
    const gateway = "x-any=http://gw.example/?url={url}";
    const { stderr, stdout } = await runCommandInProcess(["plan", "--gateway", gateway, "x-any:42/x"]);
    expect(stderr).toBe("");
    expect(stdout).toContain("gw.example");
    expect((await runCommandInProcess(["plan", "x-any:42/x"])).stderr).toContain(
      "guessed http://x-any:42/x;",
    );
  });

  it("the command reports a usage error before it guesses a URL", async () => {
    const { exitCode, stderr } = await runCommandInProcess(["ls", "example.com", "example.org"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "anyscheme: ls takes one URL\nsee: anyscheme --help ls\n",
    });
  });
});
