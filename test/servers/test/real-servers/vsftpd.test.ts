import { once } from "node:events";
import { expect, it } from "vitest";
import { describeIfServerAvailable } from "../../src/describe-if-server-available.ts";
import { loopbackHasIpv6 } from "../../src/loopback.ts";
import { startVsftpd, vsftpdSupportsNamedUsers } from "../../src/vsftpd/vsftpd.ts";
import { connectToFtpWithoutLogin, connectToFtpAndLogIn } from "../test-servers/connect-to-ftp.ts";
import { stopServerAndExpectCleanup } from "./stop-server-and-expect-cleanup.ts";

describeIfServerAvailable("vsftpd", "vsftpd", () => {
  it("vsftpd serves a file to an anonymous user and logs the received commands", async () => {
    await using server = await startVsftpd({ files: { "pub/a.txt": "one\ntwo\n" } });
    await using client = await connectToFtpAndLogIn(server.port);
    const folder = server.chrooted ? "/" : server.root;
    expect(await client.sendCommand("PWD")).toContain(`257 "${folder}"`);
    expect(await client.sendCommand("CWD pub")).toMatch(/^250/);
    expect(await client.sendCommand("TYPE A")).toMatch(/^200/);
    expect(await client.transferData("RETR a.txt")).toMatchObject({
      data: "one\r\ntwo\r\n",
      finalReply: "226 Transfer complete.",
    });
    expect(await server.receivedCommands(7)).toEqual([
      "USER anonymous",
      "PASS <password>",
      "PWD",
      "CWD pub",
      "TYPE A",
      "EPSV",
      "RETR a.txt",
    ]);
    await stopServerAndExpectCleanup(server);
  });

  it.each([
    { tls: "none", address: loopbackHasIpv6 ? "::1" : "127.0.0.1" },
    { tls: "explicit", address: "127.0.0.1" },
    { tls: "implicit", address: "127.0.0.1" },
  ] as const)(
    "vsftpd on $address lists AUTH TLS in the reply to FEAT unless TLS is none (TLS: $tls)",
    async ({ tls, address }) => {
      await using server = await startVsftpd({ tls, address });
      await using client = await connectToFtpWithoutLogin(server.port, {
        host: address,
        tls: tls === "implicit",
      });
      const offersTls = (await client.sendCommand("FEAT")).includes("AUTH TLS");
      expect(offersTls).toBe(tls !== "none");
    },
  );

  it.runIf(vsftpdSupportsNamedUsers)(
    "vsftpd logs in named users, and refuses wrong passwords and anonymous users",
    async () => {
      await using server = await startVsftpd({ anonymous: false, users: { bob: "secret", "a/b": "p%q" } });
      await using bob = await connectToFtpAndLogIn(server.port, { user: "bob", password: "secret" });
      expect((await bob.transferData("RETR hello.txt")).data).toBe("hello\r\n");
      await using other = await connectToFtpAndLogIn(server.port, { user: "a/b", password: "p%q" });
      expect(await other.sendCommand("PWD")).toMatch(/^257/);
      await expect(connectToFtpAndLogIn(server.port, { user: "bob", password: "wrong" })).rejects.toThrow(
        "530",
      );
      await expect(connectToFtpAndLogIn(server.port)).rejects.toThrow("530");
    },
  );

  it.skipIf(vsftpdSupportsNamedUsers)("startVsftpd throws for named users without root", async () => {
    await expect(startVsftpd({ users: { bob: "secret" } })).rejects.toThrow("only as root");
  });

  it("two vsftpd servers run at once with different files", async () => {
    const servers = await Promise.all(
      ["first", "second"].map((text) => startVsftpd({ files: { "which.txt": text } })),
    );
    for (const [index, server] of servers.entries()) {
      await using client = await connectToFtpAndLogIn(server.port);
      expect((await client.transferData("RETR which.txt")).data).toBe(["first", "second"][index]);
    }
    await Promise.all(servers.map(stopServerAndExpectCleanup));
  });

  it("stop() ends the open sessions of vsftpd", async () => {
    await using server = await startVsftpd();
    await using client = await connectToFtpAndLogIn(server.port);
    const closed = once(client.socket, "close");
    await server.stop();
    await closed;
    expect(await client.sendCommand("NOOP").catch(String)).toContain("closed");
  });

  it("startVsftpd applies additional settings, such as max_clients", async () => {
    await using server = await startVsftpd({ settings: { max_clients: "1" } });
    await using first = await connectToFtpAndLogIn(server.port);
    await expect(connectToFtpAndLogIn(server.port)).rejects.toThrow();
    expect(await first.sendCommand("NOOP")).toMatch(/^200/);
  });

  it("startVsftpd throws an error with the output of vsftpd when vsftpd does not start", async () => {
    const settings = { no_such_setting: "YES" };
    await expect(startVsftpd({ settings })).rejects.toThrow("unrecognised variable in config file");
  });
});
