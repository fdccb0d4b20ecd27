import { expect, it } from "vitest";
import { describeWithServer } from "../src/describe-server.ts";
import { pureftpdCanRun, startPureftpd } from "../src/pureftpd/pureftpd.ts";
import { converse, logIn } from "./ftp-conversation.ts";
import { expectToStop } from "./processes.ts";

describeWithServer("pure-ftpd", "pure-ftpd", () => {
  it.runIf(pureftpdCanRun)("serves anonymous and named users of any name, and stops", async () => {
    await using server = await startPureftpd({ users: { "a/b:c d": "p%q" } });
    await using named = await logIn(server.port, { user: "a/b:c d", password: "p%q" });
    expect((await named.fetch("RETR hello.txt")).data).toBe("hello\r\n");
    await using anonymous = await converse(server.port);
    expect(await anonymous.say("USER anonymous")).toMatch(/^230/);
    await expectToStop(server);
  });

  it.runIf(pureftpdCanRun).each(["none", "explicit"] as const)("starts with TLS %s", async (tls) => {
    await using server = await startPureftpd({ tls });
    await using client = await converse(server.port);
    expect(await client.say("AUTH TLS")).toMatch(tls === "none" ? /^5/ : /^234/);
  });

  it("has no implicit TLS", async () => {
    await expect(startPureftpd({ tls: "implicit" })).rejects.toThrow(pureftpdCanRun ? "implicit" : "root");
  });
});
