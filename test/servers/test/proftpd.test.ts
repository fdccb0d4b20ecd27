import { expect, it } from "vitest";
import { describeWithServer } from "../src/describe-server.ts";
import { proftpdCanBeAnonymous, startProftpd } from "../src/proftpd/proftpd.ts";
import { converse, logIn } from "./ftp-conversation.ts";
import { expectToStop } from "./processes.ts";

describeWithServer("proftpd", "proftpd", () => {
  it("serves named users of any name, and stops", async () => {
    await using server = await startProftpd({ users: { "a/b c": "p%q" } });
    await using client = await logIn(server.port, { user: "a/b c", password: "p%q" });
    expect((await client.fetch("RETR hello.txt")).data).toBe("hello\r\n");
    await expect(logIn(server.port, { user: "a/b c", password: "wrong" })).rejects.toThrow("530");
    await expectToStop(server);
  });

  it.each(["none", "explicit", "implicit"] as const)("starts with TLS %s", async (tls) => {
    await using server = await startProftpd({ tls });
    await using client = await converse(server.port, { tls: tls === "implicit" });
    expect((await client.say("FEAT")).includes("AUTH TLS")).toBe(tls !== "none");
  });

  it.runIf(proftpdCanBeAnonymous)("lets anonymous users in, and refuses what it is told to", async () => {
    await using server = await startProftpd({ denied: ["EPSV"] });
    await using client = await logIn(server.port);
    expect(await client.say("EPSV")).toMatch(/^5/);
    expect(await client.say("PASV")).toMatch(/^227/);
  });
});
