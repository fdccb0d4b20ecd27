import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { binaryFileContent, type TestServers, startTestServers } from "../test-servers.ts";
import { runCommandInProcess } from "../command-in-process.ts";

let testServers: TestServers;
beforeAll(async () => {
  testServers = await startTestServers();
});

const formatFtpUrl = (path: string): string => `ftp://127.0.0.1:${testServers.ftp.port}/${path}`;

describe("get --continue-at", () => {
  it.each([
    ["the end of the local file", "-", 1000],
    ["a given byte offset", "7", 1000],
    ["byte 0 on request", "0", 1000],
    ["byte 0 if the local file does not exist", "-", 0],
    ["the end of a local file that is already complete", "-", binaryFileContent.length],
  ])("get --continue-at resumes at %s", async (_, offset, length) => {
    const file = join(createTemporaryFolder(), "data.bin");
    if (length > 0) writeFileSync(file, binaryFileContent.subarray(0, length));
    const { exitCode, stderr } = await runCommandInProcess([
      "get",
      "-C",
      offset,
      "-o",
      file,
      formatFtpUrl("data.bin"),
    ]);
    const isWhole = length === binaryFileContent.length;
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: isWhole ? `${file} is already complete\n` : "",
    });
    expect(readFileSync(file).equals(binaryFileContent)).toBe(true);
  });

  it.each(["ftp", "http"] as const)(
    "get --continue-at with %s accepts a complete file, and rejects a longer file",
    async (scheme) => {
      const file = join(createTemporaryFolder(), "data.bin");
      const from = `${scheme}://127.0.0.1:${testServers[scheme].port}/data.bin`;
      writeFileSync(file, binaryFileContent);
      expect(await runCommandInProcess(["get", "-C", "-", "-o", file, from])).toMatchObject({
        exitCode: 0,
        stdout: "",
        stderr: `${file} is already complete\n`,
      });
      expect((await runCommandInProcess(["get", "-s", "-C", "-", "-o", file, from])).stderr).toBe("");
      const longer = Buffer.concat([binaryFileContent, Buffer.from("x")]);
      writeFileSync(file, longer);
      const { exitCode, stderr } = await runCommandInProcess(["get", "-C", "-", "-o", file, from]);
      expect({ exitCode, begins: stderr.slice(0, 25) }).toEqual({
        exitCode: 33,
        begins: "anyscheme: out-of-range: ",
      });
      expect(readFileSync(file).equals(longer)).toBe(true);
    },
  );

  it.each(["ftp", "http"] as const)(
    "get --continue-at with an offset inside the file replaces the rest of the file, with %s",
    async (scheme) => {
      const file = join(createTemporaryFolder(), "hello.txt");
      const from = `${scheme}://127.0.0.1:${testServers[scheme].port}/hello.txt`;
      writeFileSync(file, "0123 and a longer end than that of the server");
      expect(await runCommandInProcess(["get", "-C", "4", "-o", file, from])).toMatchObject({
        exitCode: 0,
        stderr: "",
      });
      expect(readFileSync(file, "utf8")).toBe("0123o, world\r\n");
    },
  );

  it.each([
    ["missing", undefined, "4", "0 bytes"],
    ["shorter", "0123456789", "20", "10 bytes"],
    ["empty", "", "1", "0 bytes"],
  ])(
    "get --continue-at refuses an offset after the end of the output file (%s), and sends no request",
    async (_, content, offset, size) => {
      const before = testServers.http.connections.length;
      const file = join(createTemporaryFolder(), "c");
      if (content !== undefined) writeFileSync(file, content);
      const from = `http://127.0.0.1:${testServers.http.port}/data.bin`;
      expect(await runCommandInProcess(["get", "-C", offset, "-o", file, from])).toMatchObject({
        exitCode: 2,
        stderr: `anyscheme: --continue-at ${offset} is after the end of ${file}, which has ${size}; -C - resumes at the end\nsee: anyscheme --help get\n`,
      });
      expect(existsSync(file) ? readFileSync(file, "utf8") : undefined).toBe(content);
      expect(testServers.http.connections).toHaveLength(before);
    },
  );

  it("get --continue-at leaves the file unchanged when the request fails", async () => {
    const file = join(createTemporaryFolder(), "c");
    writeFileSync(file, "0123456789");
    const { exitCode } = await runCommandInProcess(["get", "-C", "4", "-o", file, formatFtpUrl("missing")]);
    expect([exitCode, readFileSync(file, "utf8")]).toEqual([78, "0123456789"]);
  });

  it("get -v traces sent and received lines in their order", async () => {
    const file = join(createTemporaryFolder(), "data.bin");
    writeFileSync(file, binaryFileContent.subarray(0, 5));
    const { stderr } = await runCommandInProcess([
      "get",
      "-v",
      "-C",
      "-",
      "-o",
      file,
      formatFtpUrl("data.bin"),
    ]);
    const lines = stderr.split("\n").filter((line) => /^[<>]/.test(line));
    expect(lines.map((line) => line.replace(/^(< \d+|> [A-Z]+).*/, "$1"))).toEqual([
      "< 220",
      "> USER",
      "< 331",
      "> PASS",
      "< 230",
      "> TYPE",
      "< 200",
      "> SIZE",
      "> EPSV",
      "< 213",
      "< 229",
      "> REST",
      "< 350",
      "> RETR",
      "< 150",
      "< 226",
      "> QUIT",
    ]);
    expect(stderr).toContain("* transfer");
  });

  it.each([
    [["-C", "-"], "--continue-at needs a file: --output or --remote-name"],
    [["-C", "x", "-o", "f"], "--continue-at needs a number of bytes, or - for the end of the file"],
    [["--tls", "maybe"], "--tls needs one of explicit, implicit, opportunistic"],
    [["--ftp-method", "fast"], "--ftp-method needs one of multicwd, singlecwd, absolute, adaptive"],
  ])("get with the invalid options %j reports the error %s", async (options, message) => {
    const { exitCode, stderr } = await runCommandInProcess(["get", ...options, formatFtpUrl("data.bin")]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(message);
  });
});
