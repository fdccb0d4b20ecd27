import { AccessError, type AccessErrorCode, type Step } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { startFtpTestServer } from "@anyscheme/servers";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adaptAdviceToCommandLine } from "../../src/errors/adapt-advice.ts";
import { LIMIT_OPTION_DEFINITIONS } from "../../src/args/limit-options.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../command-in-process.ts";
import { ALL_LIMITS } from "../../../../test/fixtures/all-limits.ts";

function createAccessError(code: AccessErrorCode, advice: string | undefined, limit?: string): AccessError {
  const step = {
    action: "connect",
    spec: "",
    description: "",
    target: { host: "h", port: 7070 },
  } as Step;
  const at = { operationName: "dereference", url: "gopher://h:7070/", mask: (text: string) => text };
  return new AccessError(code, "it", { advice, limit, step }, at);
}

describe("error messages of the command contain advice for the command line", () => {
  it.each<[code: AccessErrorCode, advice: string | undefined, expected: string | undefined]>([
    ["refused-port", 'allow it with allowPorts: { "gopher": [7070] }', "--allow-port gopher:7070 allows it"],
    [
      "refused-address",
      'allow it with allowAddresses: ["10.0.0.1"]',
      "to dereference this URL, pass it to a command of its own, without --public-only",
    ],
    [
      "refused-redirect",
      'the policy option allowSchemeRedirects: { http: ["ftp"] } allows it',
      "to dereference this URL, pass it to a command of its own, without --public-only",
    ],
    ["refused-characters", "the option allowForms permits the answers of a form", "use: anyscheme form URL"],
    [
      "unsupported",
      'name one: news({ servers: ["news.example.org"] })',
      'name a news server with --news-server HOST or in NNTPSERVER, or use an "nntp:" URL',
    ],
    [
      "unsupported",
      "the option groups of each server selects its groups",
      "the setting newsServers lists the groups of each server",
    ],
    [
      "permission-denied",
      'the server requires TLS: use the option tls: "explicit"',
      "the server requires TLS: use --tls explicit",
    ],
    [
      "permission-denied",
      'use an "nntps:" URL, a news server with scheme: "nntps", or the option startTls: "require"',
      'use an "nntps:" URL',
    ],
    [
      "unavailable",
      "if you trust its issuer, add its certificate with the option ca",
      "if you trust the issuer of the certificate, add the issuer's certificate with --cacert FILE",
    ],
    ["refused-characters", "the option allowControlCharacters allows it", undefined],
    ["limit", "the option chunkBytes may be at most 100", undefined],
    ["permission-denied", "give the folder to read from: file({ root })", undefined],
    ["refused-address", "use anyAddress() for it", undefined],
    [
      "unknown-scheme",
      "registered: ftp, http; install @anyscheme/scheme-x and register x()",
      "registered: ftp, http; --scheme FILE adds a scheme from a module",
    ],
    ["unsupported", "use ;type=d to list the names only", "use ;type=d to list the names only"],
    [
      "authentication-required",
      "give the client an option credentials",
      "use --user NAME[:PASSWORD], or enter the password at a terminal",
    ],
    ["authentication-required", undefined, "use --user NAME[:PASSWORD], or enter the password at a terminal"],
    [
      "authentication-required",
      'the server refused the login for the realm "r"',
      'the server refused the login for the realm "r"; check the user name and the password',
    ],
    [
      "permission-denied",
      "check the user name and password in the URL or the option credentials",
      "the server refused this login; check the user name and the password",
    ],
    ["not-found", undefined, undefined],
    ["protocol", undefined, undefined],
  ])("adaptAdviceToCommandLine for the code %s changes the advice %j to %j", (code, advice, expected) => {
    expect(adaptAdviceToCommandLine(createAccessError(code, advice))).toBe(expected);
  });

  it.each(Object.keys(ALL_LIMITS))(
    "the advice for the limit %s names its option, if the command has one",
    (name) => {
      const row = LIMIT_OPTION_DEFINITIONS.find(({ clientLimitName }) => clientLimitName === name);
      const expected = adaptAdviceToCommandLine(createAccessError("limit", `the limit ${name} is 5`, name));
      expect(expected).toBe(
        row ? `the limit is 5; the option --${row.name} changes the limit` : "the limit is 5",
      );
    },
  );

  it("adaptAdviceToCommandLine never returns a name of the library for any advice in the sources", () => {
    const packages = new URL("../../..", import.meta.url).pathname;
    const sources = readdirSync(packages, { recursive: true, encoding: "utf8" })
      .filter((path) => /^[\w-]+\/src\/.*\.ts$/.test(path) && !/^(?:cli|gateway)\/|\/testing\//.test(path))
      .map((path) => readFileSync(join(packages, path), "utf8"));
    const literals = sources.flatMap((text) =>
      [...text.matchAll(/\badvice\b[^;]*?(["'`])((?:(?!\1).)+)\1/g)].map(([, , advice = ""]) => advice),
    );
    expect(literals.length).toBeGreaterThan(20);
    for (const advice of literals)
      expect(adaptAdviceToCommandLine(createAccessError("unsupported", advice)) ?? "").not.toMatch(
        /allowPorts|\(\{|[a-z][A-Z]\w+:/,
      );
  });

  it("the error for a missing file of a file URL names the root", async () => {
    const { stderr } = await runCommandInProcess(["get", "file:///no/such/file"]);
    expect(stderr).toBe(
      "anyscheme: not-found: no such file or directory: file:///no/such/file " +
        "(the root of file: URLs is the current folder; --file-root DIR changes the root)\n",
    );
  });

  it("the error for a scheme without ranges names --continue-at", async () => {
    const file = join(createTemporaryFolder(), "f");
    const { exitCode, stderr } = await runCommandInProcess([
      "get",
      "-C",
      "-",
      "-o",
      file,
      "gopher://127.0.0.1/0/a",
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 4,
      stderr:
        "anyscheme: unsupported: the scheme gopher does not support --continue-at: gopher://127.0.0.1/0/a\n",
    });
  });

  it("the error for a wrong password of --user says that the server refused the login", async () => {
    await using ftp = await startFtpTestServer({ files: {}, anonymous: false, users: { joe: "right" } });
    const { stderr } = await runCommandInProcess(["get", "-u", "joe:bad", `ftp://127.0.0.1:${ftp.port}/a`]);
    expect(stderr).toMatch(
      /^anyscheme: permission-denied: the server answered PASS \*{4} \(from the credentials\) with: "?530 .*\(the server refused this login; check the user name and the password\)\n$/,
    );
    await using http = await startScriptedServer(async (peer) => {
      while (await peer.readLine());
      peer.send(
        'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="r"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
      );
    });
    const answer = await runCommandInProcess(["get", "-u", "joe:bad", `http://127.0.0.1:${http.port}/`]);
    expect(answer.stderr).toMatch(
      /\(the server refused the login for the realm "[^"]*"; check the user name and the password\)\n$/,
    );
  });

  it("the error for a news URL without a news server has advice", async () => {
    const { stderr } = await runCommandInProcess(["get", "news:misc.test"]);
    expect(stderr).toBe(
      "anyscheme: unsupported: no news server is configured: news:misc.test " +
        '(name a news server with --news-server HOST or in NNTPSERVER, or use an "nntp:" URL)\n',
    );
  });
});
