import { type Client, createClient, type Resource, anyAddress } from "@anyscheme/core";
import type { ScriptedPeer } from "@anyscheme/core/testing";
import { ftp, type FtpOptions } from "@anyscheme/scheme-ftp";
import { afterEach, describe, expect, it } from "vitest";
import {
  type FtpScript,
  type ScriptedFtpServer,
  staySilentUntilClientCloses,
  startScriptedFtpServer,
} from "../scripted-ftp-server.ts";

const testResources: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of testResources.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

async function startServerAndClient(
  script: FtpScript = {},
  options: FtpOptions = {},
): Promise<[ScriptedFtpServer, Client]> {
  const server = await startScriptedFtpServer(script);
  const client = createClient({ schemes: [ftp(options)], policy: anyAddress() }) as unknown as Client;
  testResources.push(server, client);
  return [server, client];
}

const createServerUrl = ({ port }: ScriptedFtpServer, path = "/a.bin"): string =>
  `ftp://127.0.0.1:${port}${path}`;

async function readContentText(resource: Resource): Promise<string> {
  if (resource.kind !== "content") throw new TypeError(resource.kind);
  return resource.text();
}

describe("a file is complete when the server has sent the number of bytes in the SIZE reply", () => {
  it.each([
    ["a length equal to the length in the SIZE reply", "213 5\r\n", "hello"],
    ["a length above the length in the SIZE reply, because a file may grow", "213 4\r\n", "hello"],
    ["any length if the SIZE reply is invalid", "213 many\r\n", "hello"],
  ])("the client accepts the transfer of a file with %s", async (_, answer, expected) => {
    const [server, client] = await startServerAndClient({ replies: { SIZE: answer } });
    expect(await readContentText(await client.dereference(createServerUrl(server)))).toBe(expected);
  });

  it("the client reports a file with fewer bytes than the SIZE reply as incomplete, even if the server confirms the transfer", async () => {
    const [server, client] = await startServerAndClient({ replies: { SIZE: "213 6\r\n" } });
    const resource = await client.dereference(createServerUrl(server));
    expect(resource).toMatchObject({ size: 6 });
    await expect(readContentText(resource)).rejects.toMatchObject({
      code: "incomplete",
      reason: "the server sent 5 of 6 bytes",
    });
  });

  it("the client does not transfer a file that has not changed since ifModifiedSince", async () => {
    const [server, client] = await startServerAndClient({ replies: { MDTM: "213 20260101000000\r\n" } });
    const since = (text: string): Promise<Resource> =>
      client.dereference(createServerUrl(server), { ifModifiedSince: new Date(text) });
    expect(await since("2026-01-01T00:00:00Z")).toMatchObject({
      kind: "not-modified",
      modified: new Date("2026-01-01T00:00:00Z"),
    });
    expect(await readContentText(await since("2025-12-31T23:59:59Z"))).toBe("hello");
    expect(server.controlServer.connections.length).toBe(1);
  });

  it("the client rejects a range of a file with ;type=a before it connects", async () => {
    const [server, client] = await startServerAndClient();
    const reading = client.dereference(createServerUrl(server, "/a.txt;type=a"), { range: { start: 1 } });
    await expect(reading).rejects.toMatchObject({ code: "unsupported" });
    expect(server.controlServer.connections.length).toBe(0);
  });
});

describe("a range of a file is requested with REST", () => {
  const TEN = "213 10\r\n";
  const part = (count: number): FtpScript => ({
    replies: { SIZE: TEN, REST: "350 ok\r\n" },
    serveData: (peer) => peer.send("x".repeat(count)),
  });

  it.each<[string, object, number, number]>([
    ["a range in the middle", { start: 2, endExclusive: 5 }, 8, 3],
    ["a range from the beginning", { start: 0, endExclusive: 5 }, 10, 5],
    ["a range to the end", { start: 2 }, 8, 8],
    ["a range that ends at the end", { start: 2, endExclusive: 10 }, 8, 8],
    ["a range beyond the end", { start: 2, endExclusive: 99 }, 8, 8],
    ["an open-ended range that begins at the end", { start: 10 }, 0, 0],
    ["a range that begins at the end", { start: 10, endExclusive: 20 }, 0, 0],
  ])("the client returns the size of %s of the file", async (_, range, sent, size) => {
    const [server, client] = await startServerAndClient(part(sent));
    const resource = await client.dereference(createServerUrl(server), { range: range as { start: number } });
    expect(resource).toMatchObject({ kind: "content", size, totalSize: 10 });
    expect(await readContentText(resource)).toBe("x".repeat(size));
  });

  it("the client returns a range without a size if the server does not support SIZE", async () => {
    const [server, client] = await startServerAndClient({ ...part(8), replies: { REST: "350 ok\r\n" } });
    const resource = await client.dereference(createServerUrl(server), { range: { start: 2 } });
    expect(resource).toMatchObject({ kind: "content", size: undefined, totalSize: undefined });
    expect((await readContentText(resource)).length).toBe(8);
  });

  it.each<[string, FtpScript["replies"], totalSize?: number]>([
    ["the SIZE reply", { SIZE: TEN }, 10],
    ["the SIZE reply for an empty file", { SIZE: "213 0\r\n" }, 0],
    ["the reply of proftpd to RETR", { REST: "350 ok\r\n", RETR: "554 REST: invalid a.bin argument\r\n" }],
    [
      "the reply of pure-ftpd to RETR",
      {
        REST: "350 Restarting at 11\r\n",
        RETR: "554-Restart offset 11 is too large for file size 10.\r\n554 Restart offset reset to 0\r\n",
      },
    ],
    ["the reply 551 to RETR", { REST: "350 ok\r\n", RETR: "551 Restart offset is too large\r\n" }],
    ["the reply to REST", { REST: "554 no\r\n" }],
  ])("a range after the end of the file is out-of-range because of %s", async (_, answers, totalSize) => {
    const [server, client] = await startServerAndClient({ replies: { ...answers } });
    const expected = { code: "out-of-range", ...(totalSize !== undefined && { totalSize }) };
    const range = { start: 11 };
    for (let count = 0; count < 2; count++)
      await expect(client.dereference(createServerUrl(server), { range })).rejects.toMatchObject(expected);
    expect(server.controlServer.connections.length).toBe(1);
  });

  it("the client rejects a range with out-of-range if the server states no size and sends nothing", async () => {
    const script = { replies: { REST: "350 ok\r\n" }, serveData: () => undefined };
    const [server, client] = await startServerAndClient(script);
    for (const range of [{ start: 11 }, { start: 11, endExclusive: 12 }]) {
      const resource = await client.dereference(createServerUrl(server), { range });
      await expect(readContentText(resource)).rejects.toMatchObject({
        code: "out-of-range",
        reason: "the range begins at 11, and the server sent no data",
      });
    }
    expect(server.controlServer.connections.length).toBe(1);
  });
});

describe("the option resume continues a transfer after a lost connection", () => {
  const breaking = (answers: FtpScript["replies"]): FtpScript => {
    let count = 0;
    return {
      replies: { SIZE: "213 10\r\n", MDTM: "213 20260101000000\r\n", REST: "350 ok\r\n", ...answers },
      serveData: (peer) => peer.send(count++ === 0 ? "hello" : "WORLD"),
      transferEndReply: (peer: ScriptedPeer) => (count === 1 ? peer.reset() : peer.send("226 done\r\n")),
    };
  };
  const resume = { maxRetries: 1, backoffMs: 1 };

  it("the client resumes a transfer at the first missing byte", async () => {
    const [server, client] = await startServerAndClient(breaking({}));
    const resource = await client.dereference(createServerUrl(server), { resume });
    expect(await readContentText(resource)).toBe("helloWORLD");
    const [, second] = server.controlServer.connections;
    expect(second?.received.toString("latin1")).toMatch(
      /SIZE a\.bin\r\nMDTM a\.bin\r\nEPSV\r\nREST 5\r\nRETR a\.bin/,
    );
  });

  const TIME = "213 20260101000000\r\n";
  it.each<[string, FtpScript["replies"], number, string, string]>([
    [
      "a file that has another modification time",
      { MDTM: createSuccessiveReplies(TIME, "213 20260101000001\r\n") },
      2,
      "incomplete",
      "changed since its transfer began: its modification time is 2026-01-01T00:00:01.000Z, and was 2026-01-01T00:00:00.000Z",
    ],
    [
      "a file that has grown",
      { SIZE: createSuccessiveReplies("213 10\r\n", "213 11\r\n") },
      2,
      "incomplete",
      "changed since its transfer began: the file has 11 bytes, and had 10 before",
    ],
    [
      "a file that has become shorter than the received part",
      { SIZE: createSuccessiveReplies("213 10\r\n", "213 3\r\n") },
      2,
      "incomplete",
      "changed since its transfer began: the file has 3 bytes, and had 10 before",
    ],
    [
      "a file that no longer exists",
      { SIZE: createSuccessiveReplies("213 10\r\n", "550 no such file\r\n") },
      2,
      "not-found",
      "no such file",
    ],
    [
      "a file that temporarily has no modification time",
      { MDTM: createSuccessiveReplies(TIME, "450 later\r\n") },
      2,
      "incomplete",
      "no longer states size and time",
    ],
    ["a file that has no modification time", { MDTM: "502 no\r\n" }, 1, "incomplete", "lost"],
    ["a file that has no size", { SIZE: "502 no\r\n" }, 1, "incomplete", "lost"],
  ])("the client does not resume %s", async (_, answers, connections, code, what) => {
    const [server, client] = await startServerAndClient(breaking(answers));
    const resource = await client.dereference(createServerUrl(server), {
      resume: { maxRetries: 3, backoffMs: 1 },
    });
    await expect(readContentText(resource)).rejects.toMatchObject({
      code,
      reason: expect.stringContaining(what) as string,
    });
    expect(server.controlServer.connections.length).toBe(connections);
    // The client requests no further bytes on the second connection.
    expect(server.controlServer.connections[1]?.received.toString("latin1") ?? "").not.toMatch(/RETR|REST/);
  });

  it("the client does not restart a transfer if the server does not support REST", async () => {
    const [server, client] = await startServerAndClient(breaking({ REST: "502 no\r\n" }));
    const resource = await client.dereference(createServerUrl(server), { resume });
    await expect(readContentText(resource)).rejects.toMatchObject({ code: "unsupported" });
  });
});

describe("the client sends NOOP during a long transfer", () => {
  it.each<[string, string]>([
    ["positive", "200 here\r\n"],
    ["negative", "500 what?\r\n"],
  ])("the client completes a transfer in which the reply to NOOP is %s", async (_, answer) => {
    let asked = (): void => undefined;
    const noop = new Promise<void>((resolve) => (asked = resolve));
    const [server, client] = await startServerAndClient(
      {
        async serveData(peer) {
          peer.send("hel");
          await noop;
          peer.send("lo");
        },
        // The server reads commands while it sends the file.
        replies: {
          RETR: "150 here it comes\r\n",
          NOOP(peer) {
            peer.send(`${answer}226 done\r\n`);
            asked();
          },
        },
      },
      { keepAliveIntervalMs: 5 },
    );
    expect(await readContentText(await client.dereference(createServerUrl(server)))).toBe("hello");
  });

  it("the client ends a stalled transfer with a timeout although the server replies to NOOP", async () => {
    let noops = 0;
    const [server, client] = await startServerAndClient(
      {
        serveData(peer) {
          peer.send("hel");
          return staySilentUntilClientCloses(peer);
        },
        replies: {
          RETR: "150 here it comes\r\n",
          NOOP(peer) {
            noops++;
            peer.send("200 here\r\n");
          },
        },
      },
      { keepAliveIntervalMs: 5 },
    );
    const resource = await client.dereference(createServerUrl(server), { limits: { idleTimeoutMs: 200 } });
    await expect(readContentText(resource)).rejects.toMatchObject({
      code: "timeout",
      limit: "idleTimeoutMs",
    });
    expect(noops).toBeGreaterThan(1);
  });

  it("the client completes a transfer without a reply to NOOP", async () => {
    let asked = (): void => undefined;
    const noop = new Promise<void>((resolve) => (asked = resolve));
    const [server, client] = await startServerAndClient(
      {
        async serveData(peer) {
          await noop;
          peer.send("hello");
        },
        replies: {
          RETR: "150 here it comes\r\n",
          NOOP(peer) {
            peer.send("226 done\r\n");
            asked();
          },
        },
      },
      { keepAliveIntervalMs: 5 },
    );
    expect(await readContentText(await client.dereference(createServerUrl(server)))).toBe("hello");
  });
});

describe("the client rejects clear text after AUTH TLS", () => {
  it.each(["explicit", "opportunistic"] as const)(
    "the client rejects a reply that was injected before %s TLS",
    async (tls) => {
      const [server, client] = await startServerAndClient(
        { replies: { AUTH: "234 go ahead\r\n230 already logged in\r\n" } },
        { tls },
      );
      await expect(client.dereference(createServerUrl(server))).rejects.toMatchObject({ code: "protocol" });
      await server.controlServer.connections[0]?.closed;
      expect(server.controlServer.connections[0]?.received.toString("latin1")).toBe("AUTH TLS\r\n");
    },
  );

  it("the client ends the request if the server refuses explicit TLS", async () => {
    const [server, client] = await startServerAndClient(
      { replies: { AUTH: "500 what?\r\n" } },
      { tls: "explicit" },
    );
    await expect(client.dereference(createServerUrl(server))).rejects.toMatchObject({ code: "unsupported" });
    await server.controlServer.connections[0]?.closed;
    expect(server.controlServer.connections[0]?.received.toString("latin1")).toBe("AUTH TLS\r\n");
  });
});

describe("an upload reports the reply of the server", () => {
  it.each([
    ["552 Quota exceeded", "unavailable", "552 Quota exceeded"],
    ["553 bad name", "permission-denied", "553 bad name"],
    ["226 stored", "unavailable", "closed the data connection"],
  ])(
    "the client reports the failure of an upload whose data connection is closed before the reply %j",
    async (reply, code, what) => {
      const [server, client] = await startServerAndClient({
        serveData: async (peer) => {
          await peer.readBytes(1);
          peer.reset();
        },
        replies: {
          async STOR(peer) {
            peer.send("150 send\r\n");
            await expect.poll(() => server.dataServer.connections.length).toBe(1);
            await server.dataServer.connections[0]?.closed;
            peer.send(`${reply}\r\n`);
          },
        },
      });
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (;;) yield new Uint8Array(100_000);
      }
      await expect(client.put(createServerUrl(server), endless())).rejects.toMatchObject({
        code,
        reason: expect.stringContaining(what) as string,
      });
    },
  );

  it("the client completes an upload that takes longer than firstByteTimeoutMs", async () => {
    const [server, client] = await startServerAndClient({
      serveData: staySilentUntilClientCloses,
      replies: {
        async STOR(peer) {
          peer.send("150 send\r\n");
          await server.dataServer.connections[0]?.closed;
          peer.send("226 stored\r\n");
        },
      },
    });
    const limits = { firstByteTimeoutMs: 300 };
    async function* slow(): AsyncGenerator<Uint8Array> {
      const begunMs = performance.now();
      while (performance.now() < begunMs + 2 * limits.firstByteTimeoutMs) {
        await new Promise(setImmediate);
        yield new Uint8Array(10);
      }
    }
    const { bytesWritten: bytes } = await client.put(createServerUrl(server), slow(), { limits });
    expect(bytes).toBeGreaterThan(0);
  });

  it("the client ends an upload that the server refuses during the transfer, and does not repeat it", async () => {
    const [server, client] = await startServerAndClient({
      serveData: staySilentUntilClientCloses,
      replies: { STOR: "150 send\r\n552 disk full\r\n" },
    });
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        await new Promise(setImmediate);
        yield new Uint8Array(1000);
      }
    }
    await expect(client.put(createServerUrl(server), endless())).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(server.controlServer.connections.length).toBe(1);
  });
});

/** Returns a handler that sends the next of the given replies for each command, and then repeats the last reply. */
function createSuccessiveReplies(...answers: readonly string[]): (peer: ScriptedPeer) => void {
  let count = 0;
  return (peer) => peer.send(answers[Math.min(count++, answers.length - 1)] ?? "");
}
