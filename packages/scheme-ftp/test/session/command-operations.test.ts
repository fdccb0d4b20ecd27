import { type Client, createClient, anyAddress } from "@anyscheme/core";
import { ftp, type FtpOptions } from "@anyscheme/scheme-ftp";
import { afterEach, describe, expect, it } from "vitest";
import { type ScriptedFtpServer, startScriptedFtpServer } from "../scripted-ftp-server.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

const done = "250 done\r\n";

async function start(
  options: FtpOptions = {},
): Promise<[ScriptedFtpServer, Client, (path: string) => string]> {
  const answers = { DELE: done, RMD: done, MKD: "257 made\r\n", RNFR: "350 to?\r\n", RNTO: done };
  const server = await startScriptedFtpServer({ replies: answers });
  const client = createClient({ schemes: [ftp(options)], policy: anyAddress() }) as unknown as Client;
  open.push(server, client);
  return [server, client, (path) => `ftp://127.0.0.1:${server.port}${path}`];
}

const CHANGES: readonly [
  string,
  (client: Client, at: (path: string) => string) => Promise<unknown>,
  string,
][] = [
  ["delete", (client, at) => client.delete(at("/a.bin")), "DELE a.bin\r\n"],
  ["delete of a directory", (client, at) => client.delete(at("/dir/")), "RMD dir\r\n"],
  ["mkdir", (client, at) => client.mkdir(at("/dir/")), "MKD dir\r\n"],
  ["rename", (client, at) => client.rename(at("/a.bin"), at("/b.bin")), "RNFR a.bin\r\nRNTO b.bin\r\n"],
];

describe.each(CHANGES)("the operation %s uses a pooled session", (_, change, commands) => {
  it("the session returns to the pool and serves the next request", async () => {
    const [server, client, at] = await start();
    await change(client, at);
    const resource = await client.dereference(at("/c.bin"));
    expect(resource.kind === "content" && (await resource.text())).toBe("hello");
    await change(client, at);
    expect(server.control.connections.length).toBe(1);
    const wire = server.control.connections[0]?.received.toString("latin1") ?? "";
    expect(wire.match(/USER/g)?.length).toBe(1);
    expect(wire.split(commands).length).toBe(3);
    expect(wire).not.toContain("QUIT");
  });

  it("the session ends with QUIT if idleTimeoutMs is 0", async () => {
    const [server, client, at] = await start({ idleTimeoutMs: 0 });
    await change(client, at);
    await server.control.connections[0]?.closed;
    expect(server.control.connections[0]?.received.toString("latin1")).toMatch(/\r\nQUIT\r\n$/);
  });
});
