import { statSync } from "node:fs";
import { join } from "node:path";
import {
  startBusyboxTelnetd,
  startGophernicus,
  startNginx,
  startInetutilsTelnetd,
  startVsftpd,
  writeWorldReadableFiles,
} from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { describe, expect, it } from "vitest";
import { runBuiltCommand, startBuiltCommand } from "../run-built-command.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

describeIfServerAvailable("nginx", "the command with nginx as the server", () => {
  it("get saves a file of nginx, and rejects an untrusted certificate", async () => {
    await using server = await startNginx();
    const cwd = createTemporaryFolder();
    const saved = await runBuiltCommand(["get", "-O", `http://127.0.0.1:${server.port}/big.bin`], { cwd });
    expect(saved).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    expect(statSync(join(cwd, "big.bin")).size).toBe(1_048_576);
    expect(await runBuiltCommand(["get", `https://localhost:${server.tlsPort}/hello.txt`])).toMatchObject({
      exitCode: 60,
      stdout: "",
      stderr: expect.stringMatching(
        /^anyscheme: unavailable: TLS with localhost failed: the certificate is self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\): https:.*\n$/,
      ),
    });
    const [first] = await server.loggedRequests(1);
    expect(first?.request).toBe("GET /big.bin HTTP/1.1");
  });
});

describeIfServerAvailable("vsftpd", "the command with vsftpd as the server", () => {
  it("ls lists a directory of vsftpd, and get downloads a file", async () => {
    await using server = await startVsftpd();
    await writeWorldReadableFiles(server.root, { "pub/a b.txt": "one\n" });
    const at = `ftp://127.0.0.1:${server.port}`;
    expect((await runBuiltCommand(["ls", `${at}/pub/`])).stdout).toMatch(/^file +4 {2}.* {2}a b\.txt\n$/);
    expect(await runBuiltCommand(["get", `${at}/pub/a%20b.txt;type=i`])).toMatchObject({
      exitCode: 0,
      stdout: "one\n",
      stderr: "",
    });
    expect(await runBuiltCommand(["get", `${at}/pub/none`])).toMatchObject({ exitCode: 78, stdout: "" });
  });
});

describeIfServerAvailable("gophernicus", "the command with gophernicus as the server", () => {
  it("ls lists a menu of gophernicus, and get downloads a text", async () => {
    await using server = await startGophernicus();
    await writeWorldReadableFiles(server.root, { "hello.txt": "hello\n" });
    const allow = ["--allow-port", `gopher:${server.port}`];
    const at = `gopher://127.0.0.1:${server.port}`;
    expect((await runBuiltCommand(["ls", ...allow, `${at}/`])).stdout).toMatch(
      /^ {11}Welcome to the test hole\n {2}1 text {3}A text file\n {2}2 menu {3}A folder\n {2}3 search Search\n/,
    );
    expect((await runBuiltCommand(["get", ...allow, `${at}/0/hello.txt`])).stdout.trimEnd()).toBe("hello");
    expect(await runBuiltCommand(["get", `${at}/0/hello.txt`])).toMatchObject({ exitCode: 7, stdout: "" });
  });
});

describe.each([
  ["telnetd", startInetutilsTelnetd],
  ["busybox", startBusyboxTelnetd],
] as const)("the command connects to the telnetd of %s", (name, start) => {
  describeIfServerAvailable(name, name, () => {
    it.each([
      ["the service ends the session", "bob\nsecret\nhello\nexit\n"],
      ["the service waits for more input", "bob\nsecret\nhello\n"],
    ])("open logs in to telnetd with lines of standard input: %s", async (_, input) => {
      await using server = await start();
      const args = ["open", "--allow-port", `telnet:${server.port}`, "--close-after", "1"];
      const command = startBuiltCommand([...args, `telnet://127.0.0.1:${server.port}/`], {
        isStdinOpen: true,
      });
      command.stdin.end(input);
      const { exitCode, stdout } = await command.ended;
      expect(stdout).toContain("you said: hello\r\n");
      expect([exitCode, await server.receivedLogins()]).toEqual([0, [["bob", "secret"]]]);
    });
  });
});
