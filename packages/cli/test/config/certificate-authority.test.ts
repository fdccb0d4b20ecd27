import { startNginx, startVsftpd } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { describe, expect, it } from "vitest";
import { runBuiltCommand } from "../run-built-command.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

const servedFiles = { "pub/hello.txt": "hello\n" };

describeIfServerAvailable("vsftpd", "--cacert, with vsftpd and TLS", () => {
  it.each(["explicit", "implicit"] as const)(
    "--cacert with %s FTP over TLS trusts only the certificate in the file",
    async (tls) => {
      await using server = await startVsftpd({ tls, files: servedFiles });
      await using other = await startVsftpd({ tls });
      const url = `ftp://127.0.0.1:${server.port}/pub/hello.txt;type=i`;
      const get = (...ca: string[]) => runBuiltCommand(["get", "--tls", tls, ...ca, url]);
      const ended = await Promise.all([
        get("--cacert", server.certificatePath ?? ""),
        get("--cacert", other.certificatePath ?? ""),
        get(),
      ]);
      const refused = {
        exitCode: 60,
        stdout: "",
        stderr: expect.stringMatching(/^anyscheme: unavailable: TLS with 127\.0\.0\.1 failed/) as string,
      };
      expect(ended).toMatchObject([{ exitCode: 0, stdout: "hello\n", stderr: "" }, refused, refused]);
      const said = await server.receivedCommands(1);
      // No login is sent to a server with an untrusted certificate.
      expect(said.filter((command) => command.startsWith("USER"))).toEqual(["USER anonymous"]);
      const listed = await runBuiltCommand([
        "ls",
        "--tls",
        tls,
        "--cacert",
        server.certificatePath ?? "",
        `ftp://127.0.0.1:${server.port}/pub/`,
      ]);
      expect(listed).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/^file +6 {2}.* {2}hello\.txt\n$/),
      });
    },
  );
});

describeIfServerAvailable("nginx", "--cacert, with nginx and TLS", () => {
  it("--cacert with https trusts only the certificate in the file", async () => {
    await using server = await startNginx({ files: { "hello.txt": "hello\n" } });
    await using other = await startNginx();
    const url = `https://127.0.0.1:${server.tlsPort}/hello.txt`;
    const get = (...ca: string[]) => runBuiltCommand(["get", ...ca, url]);
    const ended = await Promise.all([
      get("--cacert", server.certificatePath),
      get("--cacert", other.certificatePath),
      get(),
    ]);
    expect(ended.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual([
      [0, "hello\n"],
      [60, ""],
      [60, ""],
    ]);
  });
});

describe("--cacert", () => {
  it("a missing --cacert file is a usage error", async () => {
    const cwd = createTemporaryFolder();
    expect(
      await runBuiltCommand(["get", "--cacert", "none.pem", "ftp://127.0.0.1:2121/a"], { cwd }),
    ).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringContaining(
        "the file of --cacert cannot be read: ENOENT: no such file or directory: none.pem\n",
      ) as string,
    });
  });
});
