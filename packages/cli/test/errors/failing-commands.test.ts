import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedServer, startForbiddenServer, type LoopbackServer } from "@anyscheme/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { type TestServers, startTestServers } from "../test-servers.ts";
import { runCommandInProcess } from "../command-in-process.ts";

let testServers: TestServers;
let untouchedServer: LoopbackServer;
let misbehavingServers: { http: LoopbackServer; ftp: LoopbackServer; silent: LoopbackServer };

beforeAll(async () => {
  testServers = await startTestServers();
  untouchedServer = await startForbiddenServer();
  misbehavingServers = {
    http: await startScriptedServer(async (peer) => {
      for (let line = await peer.readLine(); line; line = await peer.readLine());
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + "x".repeat(5000));
    }),
    ftp: await startScriptedServer(async (peer) => {
      const data = await startScriptedServer((client) => client.send("x".repeat(5000)));
      const replies: Record<string, string> = {
        USER: "230 in",
        EPSV: `229 (|||${data.port}|)`,
        RETR: "150 here it comes",
        TYPE: "200 ok",
      };
      peer.send("220 ready\r\n");
      for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
        peer.send(`${replies[line.slice(0, 4)] ?? "500 what"}\r\n`);
        if (line.startsWith("RETR")) break;
      }
      peer.send("426 the disk broke\r\n");
      await peer.closed;
      await data.stop();
    }),
    silent: await startScriptedServer(async (peer) => {
      while ((await peer.readLine()) !== undefined);
    }),
  };
  afterAll(() =>
    Promise.all([untouchedServer, ...Object.values(misbehavingServers)].map((server) => server.stop())),
  );
});

interface FailingCommandRow {
  readonly name: string;
  readonly args: () => string[];
  readonly exitCode: number;
  readonly message: RegExp;
  /** True when the command must fail before it opens a connection. */
  readonly failsBeforeConnecting?: true;
}

const formatHostPort = (server: LoopbackServer): string => `127.0.0.1:${server.port}`;

const failingCommandRows: readonly FailingCommandRow[] = [
  {
    name: "an unknown scheme",
    args: () => [`x-none://${formatHostPort(untouchedServer)}/a`],
    exitCode: 1,
    message:
      /^unknown-scheme: the scheme x-none is not registered: .*\(registered: ftp, http, https, gopher, gophers, file, mailto, news, [^)]*\)$/,
    failsBeforeConnecting: true,
  },
  {
    name: "a malformed URL",
    args: () => [`ftp://${formatHostPort(untouchedServer)}/a\\b`],
    exitCode: 3,
    message: /^backslash: a backslash is read in two ways/,
    failsBeforeConnecting: true,
  },
  {
    name: "a raw CR LF",
    args: () => [`ftp://${formatHostPort(untouchedServer)}/a\r\nDELE b`],
    exitCode: 3,
    message: /^control: /,
    failsBeforeConnecting: true,
  },
  {
    name: "an encoded CR LF in a path",
    args: () => [`ftp://${formatHostPort(untouchedServer)}/a%0D%0ADELE%20b`],
    exitCode: 3,
    message: /^refused-characters: the name contains the control byte %0D/,
    failsBeforeConnecting: true,
  },
  {
    name: "an encoded CR LF in a selector",
    args: () => [
      `gopher://${formatHostPort(untouchedServer)}/0a%0D%0Ab`,
      "--allow-port",
      `gopher:${untouchedServer.port}`,
    ],
    exitCode: 3,
    message: /^refused-characters: /,
    failsBeforeConnecting: true,
  },
  {
    name: "a refused port",
    args: () => [`gopher://${formatHostPort(untouchedServer)}/0a`],
    exitCode: 7,
    message: /^refused-port: .*\(--allow-port gopher:\d+ allows it\)$/,
    failsBeforeConnecting: true,
  },
  { name: "port 0", args: () => ["ftp://127.0.0.1:0/a"], exitCode: 7, message: /^refused-port: / },
  {
    name: "a port of another protocol",
    args: () => ["http://127.0.0.1:25/"],
    exitCode: 7,
    message: /^refused-port: /,
  },
  {
    name: "an address in a form that looks like another address",
    args: () => ["http://0x7f.1/"],
    exitCode: 3,
    message: /^bad-host-number: /,
  },
  {
    name: "a URL longer than the limit",
    args: () => [`ftp://h/${"a".repeat(70_000)}`],
    exitCode: 3,
    message: /^too-long: /,
  },
  {
    name: "a missing file (ftp)",
    args: () => [`ftp://${formatHostPort(testServers.ftp)}/nothing`],
    exitCode: 78,
    message: /^not-found: the server answered RETR nothing with: 550/,
  },
  {
    name: "a missing folder (ftp)",
    args: () => [`ftp://${formatHostPort(testServers.ftp)}/no/file`],
    exitCode: 78,
    message: /^not-found: /,
  },
  {
    name: "a missing page (http)",
    args: () => [`http://${formatHostPort(testServers.http)}/nothing`],
    exitCode: 22,
    message: /^not-found: the server answered 404/,
  },
  { name: "a missing file (file)", args: () => ["file:///nothing"], exitCode: 37, message: /^not-found: / },
  {
    name: "a file name with an encoded slash",
    args: () => ["file:///..%2Fx"],
    exitCode: 3,
    message: /^refused-characters: /,
  },
  {
    name: "a wrong password",
    args: () => [`ftp://joe:Needle2@${formatHostPort(testServers.ftp)}/hello.txt`],
    exitCode: 67,
    message: /^permission-denied: the server answered PASS \*\*\*\* with: 530/,
  },
  {
    name: "a missing password without a terminal",
    args: () => [`ftp://joe@${formatHostPort(testServers.ftp)}/hello.txt`],
    exitCode: 67,
    message:
      /^authentication-required: .*\(use --user NAME\[:PASSWORD\], or enter the password at a terminal\)$/,
  },
  {
    name: "an HTTP server that closes the connection within the body",
    args: () => [`http://${formatHostPort(misbehavingServers.http)}/`],
    exitCode: 18,
    message: /^incomplete: /,
  },
  {
    name: "an FTP server that aborts the transfer",
    args: () => [`ftp://${formatHostPort(misbehavingServers.ftp)}/file.bin`],
    exitCode: 18,
    message: /^incomplete: .*426 the disk broke/,
  },
  {
    name: "a server that sends nothing",
    args: () => [`http://${formatHostPort(misbehavingServers.silent)}/`, "--max-time", "0.2"],
    exitCode: 28,
    message: /^timeout: the request took longer than the 0.2 s of --max-time: http:/,
  },
  {
    name: "a TLS connection to a server without TLS",
    args: () => [`https://${formatHostPort(testServers.http)}/`],
    exitCode: 35,
    message: /^unavailable: TLS with 127\.0\.0\.1 failed/,
  },
];

describe.each(failingCommandRows)(
  "$name",
  ({ args, exitCode: expectedExitCode, message, failsBeforeConnecting: unsent }) => {
    it("the command exits with the code of the error, reports one error, and writes no file", async () => {
      const folder = createTemporaryFolder();
      const before = untouchedServer.connections.length;
      const { exitCode, stdout, stderr, io } = await runCommandInProcess([
        "get",
        ...args(),
        "--file-root",
        folder,
        "-o",
        join(folder, "f"),
      ]);
      const [line = "", ...rest] = stderr.trimEnd().split("\n");
      expect({ code: exitCode, line, stdout }).toEqual({
        code: expectedExitCode,
        line: expect.stringMatching(/^anyscheme: /),
        stdout: "",
      });
      expect(line.slice("anyscheme: ".length)).toMatch(message);
      // The report of a syntax error has three more lines: the URL, the mark and the suggestion.
      expect(rest).toHaveLength(expectedExitCode === 3 && rest.length > 0 ? 3 : 0);
      expect(stderr).not.toMatch(/Needle|\n\s+at |node:internal/);
      expect(readdirSync(folder)).toEqual([]);
      expect(io.listenerCount).toBe(0);
      if (unsent) expect(untouchedServer.connections).toHaveLength(before);
    });
  },
);

describe("get fails for an output file that cannot be written", () => {
  it.each<[name: string, file: (folder: string) => string, reported: RegExp]>([
    [
      "a file in a missing folder",
      (folder) => join(folder, "none", "f"),
      /cannot write .*: ENOENT: no such file or directory$/,
    ],
    [
      "a folder",
      (folder) => folder,
      /cannot write .*: the output path is a directory; give the name of a file$/,
    ],
  ])("get reports %s as the output file before it sends the request", async (_, file, message) => {
    const before = untouchedServer.connections.length;
    const { exitCode, stderr } = await runCommandInProcess([
      "get",
      `http://${formatHostPort(untouchedServer)}/`,
      "-o",
      file(createTemporaryFolder()),
    ]);
    expect({ exitCode, message: message.test(stderr.trimEnd()) }).toEqual({ exitCode: 23, message: true });
    expect(untouchedServer.connections).toHaveLength(before);
  });

  it("get -o keeps an existing file when the download is incomplete", async () => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, "f"), "old");
    const { exitCode } = await runCommandInProcess([
      "get",
      `http://${formatHostPort(misbehavingServers.http)}/`,
      "-o",
      join(folder, "f"),
    ]);
    expect({ exitCode, kept: existsSync(join(folder, "f")), files: readdirSync(folder) }).toEqual({
      exitCode: 18,
      kept: true,
      files: ["f"],
    });
  });
});

it("an interrupt ends the request, leaves no file, and sets the exit code 130", async () => {
  const folder = createTemporaryFolder();
  const url = `http://${formatHostPort(misbehavingServers.silent)}/`;
  const { exitCode, stderr, io } = await runCommandInProcess(["get", "-v", "-o", join(folder, "f"), url], {
    interruptAtText: "> GET",
  });
  expect({
    exitCode,
    last: stderr.trimEnd().split("\n").at(-1),
    files: readdirSync(folder),
    listeners: io.listenerCount,
  }).toEqual({
    exitCode: 130,
    last: "anyscheme: interrupted",
    files: [],
    listeners: 0,
  });
  await misbehavingServers.silent.connections.at(-1)?.closed;
});

it("an interrupt ends the downloads of all URLs, not just of the first", async () => {
  const { exitCode, stderr } = await runCommandInProcess(
    [
      "get",
      "-v",
      `http://${formatHostPort(misbehavingServers.silent)}/`,
      `http://${formatHostPort(testServers.http)}/hello.txt`,
    ],
    { interruptAtText: "> GET" },
  );
  expect({ exitCode, gets: stderr.match(/> GET/g) }).toEqual({ exitCode: 130, gets: ["> GET"] });
});
