import type { AccessContext } from "@anyscheme/core/plugin";
import { expect, it } from "vitest";
import { FtpCredentials } from "../../src/session/credentials.ts";
import { FtpSessionPool } from "../../src/session/pool.ts";
import { ftpSyntax } from "../../src/syntax.ts";

it("the pool stores a limited number of users whose password a server required", async () => {
  const serverState = new FtpSessionPool({}).getServerState({ host: "h", port: 21 });
  const context = {
    requestCredentials: () => Promise.resolve({ password: "p" }),
  } as unknown as AccessContext<unknown>;
  for (let user = 0; user < 2_000; user++) {
    const url = ftpSyntax.parse(`ftp://user${user}@h/`);
    const credentials = new FtpCredentials({ url, serverState, context, email: undefined });
    await credentials.requestSecret("password");
    const key = credentials.getSessionPoolKey();
    // The pool finds the session of the user who has logged in last.
    expect(await credentials.getPoolKeys()).toContain(key);
    expect(serverState.usersPromptedForPassword.size).toBeLessThanOrEqual(1_024);
  }
});
