import { type Client, createClient, anyAddress } from "@anyscheme/core";
import type { PutOptions } from "@anyscheme/core/plugin";
import type { ScriptedPeer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { afterEach, describe, expect, it } from "vitest";
import {
  type FtpScript,
  type ScriptedFtpServer,
  staySilentUntilClientCloses,
  SentStepRecorder,
  startScriptedFtpServer,
} from "../scripted-ftp-server.ts";

const testResources: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of testResources.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

/** Starts a scripted FTP server on which an upload fails. */
async function startServerAndClient(script: FtpScript): Promise<[ScriptedFtpServer, Client, string]> {
  const server = await startScriptedFtpServer({
    serveData: staySilentUntilClientCloses,
    ...script,
    replies: {
      STOR: "150 send\r\n",
      DELE: "250 gone\r\n",
      RNFR: "350 and the new name\r\n",
      RNTO: "250 renamed\r\n",
      ...script.replies,
    },
  });
  const client = createClient({ schemes: [ftp()], policy: anyAddress() }) as unknown as Client;
  testResources.push(server, client);
  return [server, client, `ftp://127.0.0.1:${server.port}/dir/a.bin`];
}

/** Returns the commands with a file or directory name as argument that each control connection received. */
function receivedCommands(server: ScriptedFtpServer): string[] {
  return server.controlServer.connections.map(({ received }) =>
    received
      .toString("latin1")
      .split("\r\n")
      .filter((line) => /^(?:CWD|STOR|RNFR|RNTO|DELE)/.test(line))
      .join("|"),
  );
}

const ATOMIC_PUT: PutOptions = { atomic: true };
const PARTIAL_FILE_NAME = "a.bin.anyscheme-part";

/** Yields bytes without end. */
async function* generateEndlessBytes(): AsyncGenerator<Uint8Array> {
  for (;;) {
    await new Promise(setImmediate);
    yield new Uint8Array(1000);
  }
}

describe("a failed atomic upload removes its partial file", () => {
  it.each<[string, FtpScript, string]>([
    ["the disk is full", { replies: { STOR: "150 send\r\n552 disk full\r\n" } }, "unavailable"],
    ["the server aborts the transfer", { replies: { STOR: "150 send\r\n426 broken\r\n" } }, "unavailable"],
  ])("the client removes the partial file of an atomic upload when %s", async (_, script, code) => {
    const [server, client, url] = await startServerAndClient(script);
    const sentSteps = new SentStepRecorder();
    const { onTraceEvent: trace } = sentSteps;
    await expect(client.put(url, generateEndlessBytes(), { ...ATOMIC_PUT, trace })).rejects.toMatchObject({
      code,
    });
    expect(receivedCommands(server)).toEqual([`CWD dir|STOR ${PARTIAL_FILE_NAME}|DELE ${PARTIAL_FILE_NAME}`]);
    expect(sentSteps.sentSteps.at(-1)).toMatchObject({
      description: `DELE ${PARTIAL_FILE_NAME} (after a failed put)`,
      onReply: "5",
    });
  });

  it.each(["RNFR", "RNTO"])(
    "the client removes the partial file when the server refuses %s, and reuses the session",
    async (command) => {
      const stored = (peer: ScriptedPeer): void => peer.send("150 send\r\n226 stored\r\n");
      const [server, client, url] = await startServerAndClient({
        replies: { STOR: stored, [command]: "553 not allowed\r\n" },
      });
      await expect(client.put(url, "hello", ATOMIC_PUT)).rejects.toMatchObject({ code: "permission-denied" });
      expect(receivedCommands(server)[0]).toMatch(new RegExp(`DELE ${PARTIAL_FILE_NAME}$`));
      await client.dereference(`ftp://127.0.0.1:${server.port}/dir/`);
      expect(server.controlServer.connections.length).toBe(1);
    },
  );

  it("the client removes the partial file after the reply to STOR when the body fails", async () => {
    let done = (): void => undefined;
    const over = new Promise<void>((resolve) => (done = resolve));
    const [server, client, url] = await startServerAndClient({
      serveData: async (peer) => {
        await staySilentUntilClientCloses(peer);
        done();
      },
      replies: {
        async STOR(peer) {
          peer.send("150 send\r\n");
          await over;
          peer.send("226 stored\r\n");
        },
      },
    });
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1000);
      throw new Error("the upload has no more data");
    }
    await expect(client.put(url, failing(), ATOMIC_PUT)).rejects.toThrow("the upload has no more data");
    expect(receivedCommands(server)).toEqual([`CWD dir|STOR ${PARTIAL_FILE_NAME}|DELE ${PARTIAL_FILE_NAME}`]);
  });

  it("the client removes the partial file when the caller aborts the upload", async () => {
    const abort = new AbortController();
    let deleted = (): void => undefined;
    const removed = new Promise<void>((resolve) => (deleted = resolve));
    const [server, client, url] = await startServerAndClient({
      replies: {
        STOR(peer) {
          peer.send("150 send\r\n");
          abort.abort();
          peer.send("426 broken\r\n");
        },
        DELE(peer) {
          peer.send("250 gone\r\n");
          deleted();
        },
      },
    });
    const put = client.put(url, generateEndlessBytes(), { ...ATOMIC_PUT, signal: abort.signal });
    await expect(put).rejects.toMatchObject({ code: "aborted" });
    await removed;
    expect(receivedCommands(server)).toEqual([`CWD dir|STOR ${PARTIAL_FILE_NAME}|DELE ${PARTIAL_FILE_NAME}`]);
  });

  it.each<[string, (peer: ScriptedPeer) => void]>([
    ["before the transfer", (peer) => peer.reset()],
    [
      "during the transfer",
      (peer) => {
        peer.send("150 send\r\n");
        peer.reset();
      },
    ],
  ])(
    "the client removes the partial file on another connection when the control connection breaks %s",
    async (_, STOR) => {
      const [server, client, url] = await startServerAndClient({ replies: { STOR } });
      await expect(client.put(url, generateEndlessBytes(), ATOMIC_PUT)).rejects.toMatchObject({
        code: "incomplete",
      });
      expect(receivedCommands(server)).toEqual([
        `CWD dir|STOR ${PARTIAL_FILE_NAME}`,
        `CWD dir|DELE ${PARTIAL_FILE_NAME}`,
      ]);
    },
  );

  it("the client throws the error of the upload if the server also refuses DELE", async () => {
    const [server, client, url] = await startServerAndClient({
      replies: { STOR: "150 send\r\n552 disk full\r\n", DELE: "550 not yours\r\n" },
    });
    await expect(client.put(url, generateEndlessBytes(), ATOMIC_PUT)).rejects.toMatchObject({
      code: "unavailable",
      reason: expect.stringContaining("disk full") as string,
    });
    expect(server.controlServer.connections.length).toBe(1);
  });
});

describe("a failed upload without a partial file sends no DELE command", () => {
  it.each<[string, FtpScript["replies"], PutOptions]>([
    ["an atomic upload whose STOR command the server refuses", { STOR: "553 not allowed\r\n" }, ATOMIC_PUT],
    ["a failed upload without the option atomic", { STOR: "150 send\r\n552 disk full\r\n" }, {}],
  ])("the client sends no DELE command after %s", async (_, answers, options) => {
    const [server, client, url] = await startServerAndClient({ ...(answers && { replies: answers }) });
    await expect(client.put(url, generateEndlessBytes(), options)).rejects.toMatchObject({
      name: "AccessError",
    });
    expect(receivedCommands(server)[0]).toMatch(/STOR [^|]*$/);
    expect(server.controlServer.connections.length).toBe(1);
  });
});
