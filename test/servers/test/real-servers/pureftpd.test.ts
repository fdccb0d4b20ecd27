import { expect, it } from "vitest";
import { describeIfServerAvailable } from "../../src/describe-if-server-available.ts";
import { hasPrivilegesForPureftpd, startPureftpd } from "../../src/pureftpd/pureftpd.ts";
import { connectToFtpWithoutLogin, connectToFtpAndLogIn } from "../test-servers/connect-to-ftp.ts";
import { stopServerAndExpectCleanup } from "./stop-server-and-expect-cleanup.ts";

describeIfServerAvailable("pure-ftpd", "pure-ftpd", () => {
  it.runIf(hasPrivilegesForPureftpd)(
    "pure-ftpd logs in anonymous users and users whose names contain special characters",
    async () => {
      await using server = await startPureftpd({ users: { "a/b:c d": "p%q" } });
      await using named = await connectToFtpAndLogIn(server.port, { user: "a/b:c d", password: "p%q" });
      expect((await named.transferData("RETR hello.txt")).data).toBe("hello\r\n");
      await using anonymous = await connectToFtpWithoutLogin(server.port);
      expect(await anonymous.sendCommand("USER anonymous")).toMatch(/^230/);
      await stopServerAndExpectCleanup(server);
    },
  );

  it.runIf(hasPrivilegesForPureftpd).each(["none", "explicit"] as const)(
    "pure-ftpd accepts AUTH TLS as configured when TLS is %s",
    async (tls) => {
      await using server = await startPureftpd({ tls });
      await using client = await connectToFtpWithoutLogin(server.port);
      expect(await client.sendCommand("AUTH TLS")).toMatch(tls === "none" ? /^5/ : /^234/);
    },
  );

  it("startPureftpd throws for implicit TLS", async () => {
    await expect(startPureftpd({ tls: "implicit" })).rejects.toThrow(
      hasPrivilegesForPureftpd ? "implicit" : "root",
    );
  });
});
