import { expect, it } from "vitest";
import { describeIfServerAvailable } from "../../src/describe-if-server-available.ts";
import { proftpdSupportsAnonymous, startProftpd } from "../../src/proftpd/proftpd.ts";
import { connectToFtpWithoutLogin, connectToFtpAndLogIn } from "../test-servers/connect-to-ftp.ts";
import { stopServerAndExpectCleanup } from "./stop-server-and-expect-cleanup.ts";

describeIfServerAvailable("proftpd", "proftpd", () => {
  it("proftpd logs in users whose names contain a space and a slash", async () => {
    await using server = await startProftpd({ users: { "a/b c": "p%q" } });
    await using client = await connectToFtpAndLogIn(server.port, { user: "a/b c", password: "p%q" });
    expect((await client.transferData("RETR hello.txt")).data).toBe("hello\r\n");
    await expect(connectToFtpAndLogIn(server.port, { user: "a/b c", password: "wrong" })).rejects.toThrow(
      "530",
    );
    await stopServerAndExpectCleanup(server);
  });

  it.each(["none", "explicit", "implicit"] as const)(
    "proftpd lists AUTH TLS in the reply to FEAT unless TLS is none (TLS: %s)",
    async (tls) => {
      await using server = await startProftpd({ tls });
      await using client = await connectToFtpWithoutLogin(server.port, { tls: tls === "implicit" });
      expect((await client.sendCommand("FEAT")).includes("AUTH TLS")).toBe(tls !== "none");
    },
  );

  it.runIf(proftpdSupportsAnonymous)(
    "proftpd accepts anonymous users, and refuses the commands in deniedCommands",
    async () => {
      await using server = await startProftpd({ deniedCommands: ["EPSV"] });
      await using client = await connectToFtpAndLogIn(server.port);
      expect(await client.sendCommand("EPSV")).toMatch(/^5/);
      expect(await client.sendCommand("PASV")).toMatch(/^227/);
    },
  );
});
