import { type Client, createClient, anyAddress } from "@anyscheme/core";
import { ftp, type FtpOptions } from "@anyscheme/scheme-ftp";
import { afterEach, describe, expect, it } from "vitest";
import { type FtpScript, type ScriptedFtpServer, startScriptedFtpServer } from "../scripted-ftp-server.ts";

const testResources: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of testResources.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

const DONE_REPLY = "250 done\r\n";

async function startServerAndClient(
  options: FtpOptions = {},
  replies: FtpScript["replies"] = {},
): Promise<[ScriptedFtpServer, Client, (path: string) => string]> {
  const answers = {
    DELE: DONE_REPLY,
    RMD: DONE_REPLY,
    MKD: "257 made\r\n",
    RNFR: "350 to?\r\n",
    RNTO: DONE_REPLY,
    ...replies,
  };
  const server = await startScriptedFtpServer({ replies: answers });
  const client = createClient({ schemes: [ftp(options)], policy: anyAddress() }) as unknown as Client;
  testResources.push(server, client);
  return [server, client, (path) => `ftp://127.0.0.1:${server.port}${path}`];
}

const COMMAND_OPERATIONS: readonly [
  string,
  (client: Client, at: (path: string) => string) => Promise<unknown>,
  string,
][] = [
  ["delete", (client, at) => client.delete(at("/a.bin")), "DELE a.bin\r\n"],
  ["delete of a directory", (client, at) => client.delete(at("/dir/")), "RMD dir\r\n"],
  ["mkdir", (client, at) => client.mkdir(at("/dir/")), "MKD dir\r\n"],
  ["rename", (client, at) => client.rename(at("/a.bin"), at("/b.bin")), "RNFR a.bin\r\nRNTO b.bin\r\n"],
];

describe.each(COMMAND_OPERATIONS)("the operation %s uses a pooled session", (_, change, commands) => {
  it("the session returns to the pool and serves the next request", async () => {
    const [server, client, at] = await startServerAndClient();
    await change(client, at);
    const resource = await client.dereference(at("/c.bin"));
    expect(resource.kind === "content" && (await resource.text())).toBe("hello");
    await change(client, at);
    expect(server.controlServer.connections.length).toBe(1);
    const wire = server.controlServer.connections[0]?.received.toString("latin1") ?? "";
    expect(wire.match(/USER/g)?.length).toBe(1);
    expect(wire.split(commands).length).toBe(3);
    expect(wire).not.toContain("QUIT");
  });

  it("the session ends with QUIT if idleTimeoutMs is 0", async () => {
    const [server, client, at] = await startServerAndClient({ idleTimeoutMs: 0 });
    await change(client, at);
    await server.controlServer.connections[0]?.closed;
    expect(server.controlServer.connections[0]?.received.toString("latin1")).toMatch(/\r\nQUIT\r\n$/);
  });
});

describe("the operation stat on a server without MLST", () => {
  const modified = new Date("2024-02-29T12:00:00Z");
  it.each<[string, FtpScript["replies"], object]>([
    ["a size", { SIZE: "213 5\r\n", MDTM: "213 20240229120000\r\n" }, { kind: "content", size: 5, modified }],
    [
      "a time and no size",
      { SIZE: "500 what?\r\n", MDTM: "213 20240229120000\r\n", CWD: "550 no directory\r\n" },
      { kind: "content", size: undefined, modified },
    ],
    [
      "a size, and a time that the server temporarily does not state",
      { SIZE: "213 5\r\n", MDTM: "451 local error\r\n" },
      { kind: "content", size: 5, modified: undefined },
    ],
    [
      "a time, and a size that the server temporarily does not state",
      { SIZE: "451 local error\r\n", MDTM: "213 20240229120000\r\n", CWD: "550 no directory\r\n" },
      { kind: "content", size: undefined, modified },
    ],
    [
      "a size and a time that the server temporarily does not state",
      { SIZE: "451 local error\r\n", MDTM: "451 local error\r\n", CWD: "550 no directory\r\n" },
      { code: "unavailable", reason: "the server answered SIZE a.bin with: 451 local error" },
    ],
    [
      "neither a size nor a time, and is a directory",
      { SIZE: "550 no file\r\n", MDTM: "550 no file\r\n" },
      { kind: "directory" },
    ],
    [
      "neither a size nor a time, and is not a directory",
      { SIZE: "550 no file\r\n", MDTM: "550 no file\r\n", CWD: "550 no directory\r\n" },
      { code: "not-found" },
    ],
    [
      "neither a size nor a time, because the server does not know the commands SIZE and MDTM",
      { SIZE: "500 what?\r\n", MDTM: "500 what?\r\n", CWD: "550 no directory\r\n" },
      { code: "unsupported", reason: "the server has no command that shows whether the file exists" },
    ],
    [
      "a time, and to which the server denies access",
      { SIZE: "550 no file\r\n", MDTM: "213 20240229120000\r\n", CWD: "550 permission denied\r\n" },
      { code: "permission-denied" },
    ],
  ])("stat returns the result or throws the error for a name that has %s", async (_, replies, expected) => {
    const [, client, at] = await startServerAndClient({}, { MLST: "500 what?\r\n", ...replies });
    expect(await client.stat(at("/a.bin")).catch((error: unknown) => error)).toMatchObject(expected);
  });
});
