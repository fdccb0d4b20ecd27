import { type AccessError, createClient, anyAddress } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import type { RunningFtpServer } from "@anyscheme/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createClientForServer,
  readContentOrListingAsText,
  describeOnEachServer,
  dereferenceToTextOrErrorCode,
  createServerUrl,
} from "./describe-on-servers.ts";
import type { TestedFtpServerFeature } from "./tested-ftp-servers.ts";

const servedFiles = { "hello.txt": "hello\n", "incoming/": "" };

const LOGIN_NAMES: readonly (readonly [name: string, needs?: TestedFtpServerFeature])[] = [
  ["bob"],
  ["b@b"],
  ["a/b"],
  ["p%q"],
  ["semi;x"],
  ["with space", "user:space"],
  ["co:lon", "user:colon"],
  ["ünï", "user:non-ASCII"],
];

describeOnEachServer("users log in", ["users"], (row) => {
  const known = LOGIN_NAMES.filter(
    ([, needs]) => needs === undefined || row.missingFeatures[needs] === undefined,
  );
  let server: RunningFtpServer;
  beforeAll(async () => {
    server = await row.start({
      files: servedFiles,
      users: Object.fromEntries(known.map(([name]) => [name, "p@ss/w%rd"])),
    });
  });
  afterAll(() => server.stop());

  describe.each(LOGIN_NAMES.map(([name, needs]) => ({ name, needs })))(
    "an FTP server that has the user $name",
    ({ name, needs }) => {
      const reason = needs && row.missingFeatures[needs];
      const login = `${encodeURIComponent(name)}:p%40ss%2Fw%25rd@`;
      if (reason === undefined) {
        it("the client logs in with a user name and password from the URL", async () => {
          await using client = createClientForServer(server);
          expect(
            await dereferenceToTextOrErrorCode(client, createServerUrl(server, "/hello.txt", login)),
          ).toBe("hello\n");
        });
      } else {
        it.skip(`the test run skips this user because ${reason}`, () => undefined);
      }
    },
  );

  it("the client requests the password for each request, and does not reuse a session with another password", async () => {
    const passwords = ["p@ss/w%rd", "p@ss/w%rd", "wrong"];
    let asked = 0;
    const client = createClient({
      schemes: [ftp()],
      policy: anyAddress(),
      credentials: () => ({ password: passwords[asked++] ?? "" }),
    });
    const url = createServerUrl(server, "/hello.txt", "bob@");
    const codes: string[] = [];
    for (let count = 0; count < passwords.length; count++) {
      codes.push(
        await client
          .dereference(url)
          .then(readContentOrListingAsText)
          .catch(({ code }: AccessError) => code),
      );
    }
    expect(codes).toEqual(["hello\n", "hello\n", "permission-denied"]);
    expect(asked).toBe(3);
    await client.destroy();
  });

  it.each([
    ["bob:wrong@", "permission-denied"],
    ["bob:@", "permission-denied"],
    ["bob@", "authentication-required"],
  ])("the client rejects a request with the login %s with the error %s", async (login, code) => {
    await using client = createClientForServer(server);
    expect(await dereferenceToTextOrErrorCode(client, createServerUrl(server, "/hello.txt", login))).toBe(
      code,
    );
  });
});
