import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { runBuiltCommand } from "../../run-built-command.ts";
import { createTemporaryFolder } from "../../../../../test/fixtures/temporary-folder.ts";
import { binaryFileContent, type TestServers, startTestServers } from "../../test-servers.ts";
import { runCommandInProcess } from "../../command-in-process.ts";

let testServers: TestServers;
beforeAll(async () => {
  testServers = await startTestServers();
});

const formatFtpUrl = (path: string, login = ""): string =>
  `ftp://${login}127.0.0.1:${testServers.ftp.port}/${path}`;
const formatHttpUrl = (path: string): string => `http://127.0.0.1:${testServers.http.port}/${path}`;
const gopherArguments = (path: string): string[] => {
  const { port } = testServers.gopher;
  return [`gopher://127.0.0.1:${port}/${path}`, "--allow-port", `gopher:${port}`];
};

/** Returns the bytes that the client has sent on the last connection, after the end of the connection. */
async function readLastRequest(server: LoopbackServer): Promise<string> {
  const connection = server.connections.at(-1);
  await connection?.closed;
  return connection?.received.toString("latin1") ?? "";
}

/** Returns the bytes that `plan --json` lists for a server that requires a password and supports EPSV and LIST. */
async function readPlannedRequest(url: string): Promise<string> {
  const { stdout } = await runCommandInProcess(["plan", "--json", url]);
  const { steps } = JSON.parse(stdout) as { steps: { action: string; onReply?: string; bytes?: string }[] };
  const said = steps.filter(
    ({ action, onReply }) => action === "send" && (onReply === undefined || onReply === "331"),
  );
  return said.map(({ bytes }) => bytes).join("");
}

describe("get sends the bytes that plan lists, and writes the body to standard output", () => {
  it("get of an FTP URL sends the planned bytes", async () => {
    const { exitCode, io, stderr } = await runCommandInProcess(["get", formatFtpUrl("data.bin")]);
    expect({ exitCode, stderr, same: io.stdout.bytes.equals(binaryFileContent) }).toEqual({
      exitCode: 0,
      stderr: "",
      same: true,
    });
    expect(await readLastRequest(testServers.ftp)).toBe(await readPlannedRequest(formatFtpUrl("data.bin")));
  });

  it("get of an HTTP URL sends the planned bytes", async () => {
    const { exitCode, io, stderr } = await runCommandInProcess(["get", formatHttpUrl("data.bin")]);
    expect({ exitCode, stderr, same: io.stdout.bytes.equals(binaryFileContent) }).toEqual({
      exitCode: 0,
      stderr: "",
      same: true,
    });
    expect(await readLastRequest(testServers.http)).toBe(await readPlannedRequest(formatHttpUrl("data.bin")));
  });

  it("get of a Gopher URL sends the planned bytes", async () => {
    const [url = "", ...allow] = gopherArguments("9/data.bin");
    const { exitCode, io, stderr } = await runCommandInProcess(["get", url, ...allow]);
    expect({ exitCode, stderr, same: io.stdout.bytes.equals(binaryFileContent) }).toEqual({
      exitCode: 0,
      stderr: "",
      same: true,
    });
    expect(await readLastRequest(testServers.gopher)).toBe(await readPlannedRequest(url));
  });

  it("get of a file URL writes the file", async () => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, "data.bin"), binaryFileContent);
    const { exitCode, io } = await runCommandInProcess(["get", "file:///data.bin", "--file-root", folder]);
    expect({ exitCode, same: io.stdout.bytes.equals(binaryFileContent) }).toEqual({
      exitCode: 0,
      same: true,
    });
    expect(
      (
        await runCommandInProcess(["get", pathToFileURL(join(folder, "data.bin")).href, "--file-root", "/"])
      ).io.stdout.bytes.equals(binaryFileContent),
    ).toBe(true);
  });

  it("get writes several URLs in order, and the first failure sets the exit code", async () => {
    const { exitCode, stdout, stderr } = await runCommandInProcess([
      "get",
      formatHttpUrl("hello.txt"),
      formatFtpUrl("nothing"),
      formatHttpUrl("nothing"),
      ...gopherArguments("0/hello.txt"),
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 78, stdout: "Hello, world\r\nHello, world\r\n" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
  });
});

it("get --json describes each resource and reads no body", async () => {
  const { exitCode, stdout } = await runCommandInProcess([
    "get",
    "--json",
    formatHttpUrl("data.bin"),
    formatFtpUrl("data.bin"),
    formatFtpUrl("pub/"),
  ]);
  expect(exitCode).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    {
      url: formatHttpUrl("data.bin"),
      kind: "content",
      status: 200,
      headers: expect.objectContaining({ "content-length": ["300000"] }) as object,
      mediaType: "application/octet-stream",
      size: 300_000,
      modified: "2026-01-01T00:00:00.000Z",
      redirectChain: [],
    },
    {
      url: formatFtpUrl("data.bin"),
      kind: "content",
      mediaType: "application/octet-stream",
      size: 300_000,
      redirectChain: [],
    },
    { url: formatFtpUrl("pub/"), kind: "directory", redirectChain: [] },
  ]);
});

describe("get writes to an output file", () => {
  it("get -o --json writes the file, and reports its name in JSON", async () => {
    const file = join(createTemporaryFolder(), "f");
    writeFileSync(file, "old");
    const { exitCode, stdout } = await runCommandInProcess([
      "get",
      "--json",
      "-o",
      file,
      formatHttpUrl("moved"),
    ]);
    expect(exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("Hello, world\r\n");
    expect(JSON.parse(stdout)).toEqual({
      url: formatHttpUrl("hello.txt"),
      kind: "content",
      status: 200,
      headers: expect.objectContaining({ "content-length": ["14"] }) as object,
      mediaType: "text/plain; charset=utf-8",
      size: 14,
      modified: "2026-01-01T00:00:00.000Z",
      redirectChain: [{ fromUrl: formatHttpUrl("moved"), reason: "redirect" }],
      received: 14,
      completeness: "verified",
      saved: file,
    });
  });

  it("get -o writes the listing of a directory to the file", async () => {
    const file = join(createTemporaryFolder(), "f");
    expect((await runCommandInProcess(["get", "-o", file, formatFtpUrl("pub/")])).exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toMatch(/^file +3 {2}.* {2}a b\.txt\n/m);
  });

  it("get -o writes through a symbolic link and does not replace a device", async () => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, "target"), "old");
    symlinkSync("target", join(folder, "link"));
    symlinkSync("/dev/null", join(folder, "null"));
    await runCommandInProcess(["get", "-o", join(folder, "link"), formatHttpUrl("hello.txt")]);
    expect(
      (await runCommandInProcess(["get", "-o", join(folder, "null"), formatHttpUrl("hello.txt")])).exitCode,
    ).toBe(0);
    expect(readFileSync(join(folder, "target"), "utf8")).toBe("Hello, world\r\n");
    expect(["link", "null"].map((name) => lstatSync(join(folder, name)).isSymbolicLink())).toEqual([
      true,
      true,
    ]);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  it("get -O rejects the second of two URLs with the same file name before its request", async () => {
    const before = testServers.http.connections.length;
    const folder = createTemporaryFolder();
    const urls = [`ftp://127.0.0.1:${testServers.ftp.port}/hello.txt`, formatHttpUrl("hello.txt")];
    const { exitCode, stderr } = await runBuiltCommand(["get", "-O", ...urls], { cwd: folder });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "anyscheme: another URL is already saved as hello.txt\nsee: anyscheme --help get\n",
    });
    expect(readFileSync(join(folder, "hello.txt"), "utf8")).toBe("Hello, world\r\n");
    expect(testServers.http.connections).toHaveLength(before);
  });

  it("get -O rejects a URL without a file name before the request", async () => {
    const before = testServers.http.connections.length;
    const { exitCode, stderr } = await runCommandInProcess(["get", "-O", formatHttpUrl("")]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining("the URL has no file name"),
    });
    expect(testServers.http.connections).toHaveLength(before);
  });
});

describe("get writes to a terminal", () => {
  it("get writes text unchanged to a terminal", async () => {
    expect((await runCommandInProcess(["get", formatHttpUrl("hello.txt")], { terminal: true })).stdout).toBe(
      "Hello, world\r\n",
    );
  });

  // Sequences that set the title, the clipboard and the colour, in C0 and C1 form, and that reverse the text.
  const hostileText =
    "a\u001b]0;title\u0007\u001b]52;c;AA==\u001b\\\u001b[31m\u009b31m\u202etxt\tb\r\nc\rd\b\u007f\n";
  const shownText =
    "a\\x1b]0;title\\x07\\x1b]52;c;AA==\\x1b\\\\x1b[31m\\x9b31m\\u{202e}txt\tb\r\nc\\x0dd\\x08\\x7f\n";

  it.each<[args: string[], terminal: boolean, written: string]>([
    [["get"], true, shownText],
    [["get", "-v"], true, shownText],
    [["get", "-i"], true, shownText],
    [["get", "-o", "-"], true, hostileText],
    [["get"], false, hostileText],
    [["get", "-o", "-"], false, hostileText],
  ])(
    "%j, where stdout is a terminal: %s, writes control sequences of a body as %j",
    async (args, terminal, written) => {
      for (const type of ["text/plain; charset=utf-8", "text/html", "message/rfc822", "image/png"]) {
        await using server = await startScriptedServer(async (peer) => {
          while (await peer.readLine());
          peer.send(
            `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n${Buffer.from(hostileText).toString("latin1")}`,
          );
        });
        const { io, exitCode } = await runCommandInProcess([...args, `http://127.0.0.1:${server.port}/`], {
          terminal,
        });
        expect([exitCode, io.stdout.text.endsWith(written)]).toEqual([0, true]);
        if (written === shownText)
          expect(io.stdout.text).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]/);
      }
    },
  );

  it("get saves control sequences to a file unchanged, also with -C", async () => {
    await using server = await startScriptedServer(async (peer) => {
      while (await peer.readLine());
      peer.send(`HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n\u001b[m`);
    });
    const file = join(createTemporaryFolder(), "f");
    const url = `http://127.0.0.1:${server.port}/`;
    for (const args of [
      ["-o", file],
      ["-o", file, "-C", "0"],
    ]) {
      expect((await runCommandInProcess(["get", ...args, url], { terminal: true })).exitCode).toBe(0);
      expect(readFileSync(file, "utf8")).toBe("\u001b[m");
    }
  });

  it("get writes binary data to a terminal only with -o -", async () => {
    const refused = await runCommandInProcess(["get", formatHttpUrl("data.bin")], { terminal: true });
    expect(refused).toMatchObject({ exitCode: 23, stdout: "" });
    expect(refused.stderr).toContain("cannot write binary data to the terminal: use -o - to write it anyway");
    expect(
      (
        await runCommandInProcess(["get", "-o", "-", formatHttpUrl("data.bin")], { terminal: true })
      ).io.stdout.bytes.equals(binaryFileContent),
    ).toBe(true);
  });

  it.each<[args: string[], terminal: boolean, shown: boolean]>([
    [[], true, true],
    [["-v"], true, false],
    [["--no-progress"], true, false],
    [[], false, false],
    [["--progress"], false, true],
  ])(
    "get with the options %j, where stderr is a terminal: %s, shows progress: %s",
    async (args, terminal, shown) => {
      const file = join(createTemporaryFolder(), "f");
      const { stderr } = await runCommandInProcess(["get", "-o", file, formatHttpUrl("data.bin"), ...args], {
        terminal,
      });
      expect(stderr.includes("KiB/s") || stderr.includes("MiB/s") || stderr.includes("B of")).toBe(shown);
      if (shown) expect(stderr).toMatch(/\r\u001b\[K$/);
    },
  );

  it("get prompts for a missing password without echo", async () => {
    const { exitCode, stdout, stderr, io } = await runCommandInProcess(
      ["get", "-v", formatFtpUrl("hello.txt", "joe@")],
      {
        answers: ["Needle"],
      },
    );
    expect({ exitCode, stdout, questions: io.questions }).toEqual({
      exitCode: 0,
      stdout: "Hello, world\r\n",
      questions: [{ question: `Password for joe at ftp://127.0.0.1:${testServers.ftp.port}: `, echo: false }],
    });
    expect(stderr).not.toContain("Needle");
    expect(io.listenerCount).toBe(0);
  });
});

it("get -v shows the sent and received lines", async () => {
  const { stderr } = await runCommandInProcess(["get", "-v", formatFtpUrl("pub/a%20b.txt")]);
  const lines = stderr.trimEnd().split("\n");
  expect(lines[0]).toBe(`* connect 127.0.0.1 port ${testServers.ftp.port}`);
  expect(lines).toEqual(
    expect.arrayContaining(["> USER anonymous", "> CWD pub", "> RETR a b.txt", "> QUIT"]),
  );
  expect(lines.every((line) => /^[*<>] /.test(line))).toBe(true);
});

describe("ls", () => {
  it("ls lists an FTP directory by MLSD, and escapes control characters in names", async () => {
    const long = await runCommandInProcess(["ls", formatFtpUrl("pub/")]);
    expect(long.stdout.split("\n").map((line) => line.replace(/ +/g, " "))).toEqual([
      "file 1 2026-01-01 00:00 \\x1b[31mred",
      "file 3 2026-01-01 00:00 a b.txt",
      "",
    ]);
    expect(await readLastRequest(testServers.ftp)).not.toContain("RETR");
  });

  it("ls formats a Gopher menu with numbered links", async () => {
    const { exitCode, stdout } = await runCommandInProcess(["ls", ...gopherArguments("")]);
    expect({ exitCode, lines: stdout.split("\n") }).toEqual({
      exitCode: 0,
      lines: expect.arrayContaining([
        expect.stringMatching(/^ {2}\d menu {3}pub$/),
        expect.stringMatching(/^ {2}\d text {3}hello\.txt$/),
        expect.stringMatching(/^ {2}\d search Search the names$/),
      ]) as unknown,
    });
  });

  it("ls lists a file as one entry", async () => {
    expect((await runCommandInProcess(["ls", formatHttpUrl("hello.txt")])).stdout).toBe(
      "file                 14  2026-01-01 00:00  hello.txt\n",
    );
  });

  it("ls --json writes one line of JSON for each entry", async () => {
    const { stdout } = await runCommandInProcess(["ls", "--json", formatFtpUrl("pub/")]);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toContainEqual({
      name: "a b.txt",
      kind: "file",
      size: 3,
      modified: "2026-01-01T00:00:00.000Z",
      url: formatFtpUrl("pub/a%20b.txt"),
    });
  });
});

describe("plan", () => {
  it("plan numbers the protocol steps and names the section of each", async () => {
    const { exitCode, stdout } = await runCommandInProcess([
      "plan",
      "ftp://joe:Needle@host.example/pub/f.txt;type=i",
    ]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("\n 2  connect   §3.1            host.example port 21\n");
    expect(stdout).toMatch(/^ ?\d+ {2}send {6}§3\.2\.1 +PASS \*{4} \(on reply 331\)$/m);
    expect(stdout).not.toContain("Needle");
  });

  it("plan writes § before a section number, and not before an RFC number", async () => {
    const { stdout } = await runCommandInProcess(["plan", "telnet://host.example/"]);
    expect(stdout).toMatch(/^ ?\d+ {2}open +RFC 854 +an interactive session$/m);
  });

  it("plan applies the option --type", async () => {
    expect((await runCommandInProcess(["plan", "--type", "d", "ftp://h/pub"])).stdout).toMatch(/NLST pub/);
  });
});
