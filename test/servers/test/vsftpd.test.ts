import { once } from "node:events";
import { expect, it } from "vitest";
import { describeWithServer } from "../src/describe-server.ts";
import { loopbackHasIpv6 } from "../src/loopback.ts";
import { startVsftpd, vsftpdCanHaveUsers } from "../src/vsftpd/vsftpd.ts";
import { converse, logIn } from "./ftp-conversation.ts";
import { expectToStop } from "./processes.ts";

describeWithServer("vsftpd", "vsftpd", () => {
  it("serves a file to anonymous and logs what arrived", async () => {
    await using server = await startVsftpd({ files: { "pub/a.txt": "one\ntwo\n" } });
    await using client = await logIn(server.port);
    const folder = server.chrooted ? "/" : server.root;
    expect(await client.say("PWD")).toContain(`257 "${folder}"`);
    expect(await client.say("CWD pub")).toMatch(/^250/);
    expect(await client.say("TYPE A")).toMatch(/^200/);
    expect(await client.fetch("RETR a.txt")).toMatchObject({
      data: "one\r\ntwo\r\n",
      last: "226 Transfer complete.",
    });
    expect(await server.commands(7)).toEqual([
      "USER anonymous",
      "PASS <password>",
      "PWD",
      "CWD pub",
      "TYPE A",
      "EPSV",
      "RETR a.txt",
    ]);
    await expectToStop(server);
  });

  it.each([
    { tls: "none", address: loopbackHasIpv6 ? "::1" : "127.0.0.1" },
    { tls: "explicit", address: "127.0.0.1" },
    { tls: "implicit", address: "127.0.0.1" },
  ] as const)("starts with TLS $tls on $address", async ({ tls, address }) => {
    await using server = await startVsftpd({ tls, address });
    await using client = await converse(server.port, { host: address, tls: tls === "implicit" });
    const offersTls = (await client.say("FEAT")).includes("AUTH TLS");
    expect(offersTls).toBe(tls !== "none");
  });

  it.runIf(vsftpdCanHaveUsers)("knows named users", async () => {
    await using server = await startVsftpd({ anonymous: false, users: { bob: "secret", "a/b": "p%q" } });
    await using bob = await logIn(server.port, { user: "bob", password: "secret" });
    expect((await bob.fetch("RETR hello.txt")).data).toBe("hello\r\n");
    await using other = await logIn(server.port, { user: "a/b", password: "p%q" });
    expect(await other.say("PWD")).toMatch(/^257/);
    await expect(logIn(server.port, { user: "bob", password: "wrong" })).rejects.toThrow("530");
    await expect(logIn(server.port)).rejects.toThrow("530");
  });

  it.skipIf(vsftpdCanHaveUsers)("says that named users need root", async () => {
    await expect(startVsftpd({ users: { bob: "secret" } })).rejects.toThrow("only as root");
  });

  it("runs twice at once, each with its own files", async () => {
    const servers = await Promise.all(
      ["first", "second"].map((text) => startVsftpd({ files: { "which.txt": text } })),
    );
    for (const [index, server] of servers.entries()) {
      await using client = await logIn(server.port);
      expect((await client.fetch("RETR which.txt")).data).toBe(["first", "second"][index]);
    }
    await Promise.all(servers.map(expectToStop));
  });

  it("ends open sessions when it stops", async () => {
    await using server = await startVsftpd();
    await using client = await logIn(server.port);
    const closed = once(client.socket, "close");
    await server.stop();
    await closed;
    expect(await client.say("NOOP").catch(String)).toContain("closed");
  });

  it("takes further settings", async () => {
    await using server = await startVsftpd({ settings: { max_clients: "1" } });
    await using first = await logIn(server.port);
    await expect(logIn(server.port)).rejects.toThrow();
    expect(await first.say("NOOP")).toMatch(/^200/);
  });

  it("fails with the program's words when it does not start", async () => {
    const settings = { no_such_setting: "YES" };
    await expect(startVsftpd({ settings })).rejects.toThrow("unrecognised variable in config file");
  });
});
