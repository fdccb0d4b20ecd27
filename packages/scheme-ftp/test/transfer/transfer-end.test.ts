import { type Client, createClient, type Resource, anyAddress } from "@anyscheme/core";
import type { ScriptedPeer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { describe, expect, it } from "vitest";
import {
  type FtpScript,
  type ScriptedFtpServer,
  staySilentUntilClientCloses,
  startScriptedFtpServer,
} from "../scripted-ftp-server.ts";

const ftpClient = createClient({ schemes: [ftp({ idleTimeoutMs: 0 })], policy: anyAddress() });

const createServerUrl = ({ port }: ScriptedFtpServer, path: string): string =>
  `ftp://127.0.0.1:${port}${path}`;

async function readResourceText(resource: Resource): Promise<string> {
  if (resource.kind === "content") return resource.text();
  if (resource.kind !== "directory") throw new TypeError(resource.kind);
  const names: string[] = [];
  for await (const { name } of resource) names.push(name);
  return names.join(" ");
}

/** Returns a script that refuses a transfer before or after its first bytes, and keeps the data connection open. */
function keepDataConnectionOpen(reply: string, before: boolean): FtpScript {
  let reached = (): void => undefined;
  const begun = new Promise<void>((resolve) => (reached = resolve));
  const transfer = async (peer: ScriptedPeer): Promise<void> => {
    peer.send("150 here it comes\r\n");
    await begun;
    peer.send(reply);
  };
  return {
    serveData(peer) {
      if (!before) peer.send("-rw-r--r-- 1 0 0 5 Nov 20 21:09 hello\r\nhel");
      reached();
      return staySilentUntilClientCloses(peer);
    },
    replies: { RETR: transfer, LIST: transfer },
  };
}

// The default time limits are longer than the timeout of a test.
describe("a negative reply ends the transfer although the data connection stays open", () => {
  const REPLIES = [
    "425 Unable to build data connection",
    "426 Connection closed; transfer aborted.",
    "451 Local error in processing",
    "421 Timeout",
    "550 Failed to read file.",
    "552 Exceeded storage allocation",
    "426-Failure\r\n426 writing network stream.",
  ];
  const ROWS = REPLIES.flatMap((reply) =>
    ["/a.bin", "/dir/"].flatMap((path) => [true, false].map((before) => ({ reply, path, before }))),
  );
  it.each(ROWS)(
    'the client ends the transfer of $path after the reply "$reply" (before the first byte: $before)',
    async ({ reply, path, before }) => {
      await using server = await startScriptedFtpServer(keepDataConnectionOpen(`${reply}\r\n`, before));
      const resource = await ftpClient.dereference(createServerUrl(server, path) as "ftp://h/");
      await expect(readResourceText(resource)).rejects.toMatchObject({
        code: "incomplete",
        reason: expect.stringContaining(reply.replace("\r\n", " / ")) as string,
      });
      await server.dataServer.connections[0]?.closed;
    },
  );

  it("the body delivers the bytes that arrived before the negative reply", async () => {
    await using server = await startScriptedFtpServer(keepDataConnectionOpen("451 disk\r\n", false));
    const resource = await ftpClient.dereference(createServerUrl(server, "/a.bin") as "ftp://h/");
    if (resource.kind !== "content") throw new TypeError(resource.kind);
    const chunks: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of resource) chunks.push(chunk);
    })();
    await expect(reading).rejects.toMatchObject({ code: "incomplete" });
    expect(Buffer.concat(chunks).toString()).toMatch(/hel$/);
  });

  it("the client reports a negative reply that arrived before the body was read", async () => {
    await using server = await startScriptedFtpServer(keepDataConnectionOpen("451 disk\r\n", true));
    const resource = await ftpClient.dereference(createServerUrl(server, "/a.bin") as "ftp://h/");
    await server.dataServer.connections[0]?.closed;
    await expect(readResourceText(resource)).rejects.toMatchObject({
      reason: expect.stringContaining("451 disk") as string,
    });
  });

  it("the client does not end a transfer after negative replies to NOOP", async () => {
    let asked = (): void => undefined;
    const noops = new Promise<void>((resolve) => (asked = resolve));
    let count = 0;
    const asking = createClient({
      schemes: [ftp({ idleTimeoutMs: 0, keepAliveIntervalMs: 5 })],
      policy: anyAddress(),
    });
    await using server = await startScriptedFtpServer({
      async serveData(peer) {
        peer.send("hel");
        await noops;
        peer.send("lo");
      },
      replies: {
        RETR: "150 here it comes\r\n",
        NOOP(peer) {
          peer.send(++count === 3 ? "500 what?\r\n226 done\r\n" : "500 what?\r\n");
          if (count === 3) asked();
        },
      },
    });
    expect(
      await readResourceText(await asking.dereference(createServerUrl(server, "/a.bin") as "ftp://h/")),
    ).toBe("hello");
  });
});

describe("a trace listener that throws at a command which a timer sends", () => {
  const createTracedClient = (idleTimeoutMs: number, command: string): Client =>
    createClient({
      schemes: [ftp({ idleTimeoutMs, keepAliveIntervalMs: 5 })],
      policy: anyAddress(),
      trace({ action, text }) {
        if (action === "send" && text.startsWith(command)) throw new Error("fault of the listener");
      },
    });

  it("the transfer fails if the trace listener throws at NOOP", async () => {
    await using server = await startScriptedFtpServer({
      async serveData(peer) {
        peer.send("hel");
        await server.controlServer.connections[0]?.closed;
      },
      replies: { RETR: "150 here it comes\r\n" },
    });
    const client = createTracedClient(0, "NOOP");
    const reading = client.dereference(createServerUrl(server, "/a.bin")).then(readResourceText);
    await expect(reading).rejects.toMatchObject({ code: "plugin" });
  });

  it("the pool closes the connection without QUIT if the trace listener throws at QUIT", async () => {
    await using server = await startScriptedFtpServer();
    const client = createTracedClient(5, "QUIT");
    expect(await readResourceText(await client.dereference(createServerUrl(server, "/a.bin")))).toBe("hello");
    await server.controlServer.connections[0]?.closed;
    expect(server.controlServer.connections[0]?.received.toString()).not.toContain("QUIT");
  });
});

describe("a negative reply can mean an empty listing", () => {
  it.each([
    ["proftpd", "450 No files found\r\n"],
    ["inetutils' ftpd", "550 No files found.\r\n"],
    ["a server of MVS", "550 No members found.\r\n"],
    ["another server of MVS", "550 No data sets found.\r\n"],
    ["a server that has started the transfer", "150 here\r\n450 No files found\r\n"],
    ["a server that replies with two lines", "450-/pub:\r\n450 No matching files found\r\n"],
  ])("the client returns an empty directory for the reply of %s: %j", async (_, reply) => {
    await using server = await startScriptedFtpServer({
      serveData: () => undefined,
      replies: { LIST: reply, NLST: reply, MLSD: "500 what?\r\n" },
    });
    const keeping = createClient({ schemes: [ftp()], policy: anyAddress() });
    for (const path of ["/pub/", "/pub;type=d", "/*.txt;type=d"]) {
      const resource = await keeping.dereference(createServerUrl(server, path) as "ftp://h/");
      expect(await readResourceText(resource)).toBe("");
      expect(await (resource as Extract<Resource, { kind: "directory" }>).completeness).toBe("verified");
    }
    await keeping.destroy();
    // All three requests used the same session.
    expect(server.controlServer.connections.length).toBe(1);
  });

  it.each([
    ["450 pub: No such file or directory\r\n", "/pub;type=d", "not-found"],
    ["450 No files found\r\n", "/pub", "unavailable"],
    ["550 pub: No such file or directory\r\n", "/pub;type=d", "not-found"],
    ["451 No files found: disk error\r\n", "/pub;type=d", "unavailable"],
  ])("the client reports the reply %j to the request for %s as an error", async (reply, path, code) => {
    await using server = await startScriptedFtpServer({ replies: { NLST: reply, RETR: reply } });
    await expect(ftpClient.dereference(createServerUrl(server, path) as "ftp://h/")).rejects.toMatchObject({
      code,
    });
  });
});

describe("the final reply decides the completeness of a listing", () => {
  const LINES = "-rw-r--r-- 1 0 0 5 Nov 20 21:09 hello\r\n";
  it.each([
    ["226 Directory send OK.\r\n", "verified"],
    ["250 done\r\n", "verified"],
    ["226-Options: -l \r\n226 36 matches total\r\n", "verified"],
    ["226-Options: -l \r\n226 Output truncated to 10000 matches\r\n", "truncated"],
    ["226 Output truncated to 1 matches\r\n", "truncated"],
    ["226-Listing truncated.\r\n226 Transfer complete\r\n", "truncated"],
  ])('after the final reply %j the completeness of a listing is "%s"', async (end, completeness) => {
    await using server = await startScriptedFtpServer({
      serveData: (peer) => peer.send(LINES),
      transferEndReply: end,
    });
    const resource = await ftpClient.dereference(createServerUrl(server, "/pub/") as "ftp://h/");
    if (resource.kind !== "directory") throw new TypeError(resource.kind);
    expect(await readResourceText(resource)).toBe("hello");
    expect(await resource.completeness).toBe(completeness);
  });

  it("the client reports the listing of a directory that vsftpd cannot open as incomplete", async () => {
    const end = "226 Transfer done (but failed to open directory).\r\n";
    await using server = await startScriptedFtpServer({
      serveData: () => undefined,
      transferEndReply: end,
    });
    const resource = await ftpClient.dereference(createServerUrl(server, "/pub/") as "ftp://h/");
    await expect(readResourceText(resource)).rejects.toMatchObject({
      code: "incomplete",
      reason: expect.stringContaining("failed to open directory") as string,
    });
  });
});
