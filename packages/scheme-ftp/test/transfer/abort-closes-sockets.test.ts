import { type AccessError, createClient, anyAddress } from "@anyscheme/core";
import {
  type ScriptedReply,
  staySilentUntilClientCloses,
  startScriptedFtpServer,
} from "../scripted-ftp-server.ts";
import { ftp } from "@anyscheme/scheme-ftp";
import { describe, expect, it } from "vitest";

/** Returns the number of open sockets of the process after destroyed sockets have closed. */
async function countOpenSockets(): Promise<number> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  return process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
}

const UNANSWERED_COMMANDS = ["greeting", "USER", "PASS", "CWD", "TYPE", "EPSV", "RETR"] as const;

describe("an abort during the wait for a reply closes all sockets", () => {
  it.each(UNANSWERED_COMMANDS)(
    "the client closes all sockets when the caller aborts during the wait for the reply to %s",
    async (command) => {
      const before = await countOpenSockets();
      const abort = new AbortController();
      const silence: ScriptedReply = () => abort.abort(new Error("enough"));
      {
        await using server = await startScriptedFtpServer(
          command === "greeting" ? { greeting: silence } : { replies: { [command]: silence } },
        );
        const client = createClient({ schemes: [ftp({ idleTimeoutMs: 0 })], policy: anyAddress() });
        const access = client.dereference(`ftp://127.0.0.1:${server.port}/dir/a.bin` as "ftp://h/", {
          signal: abort.signal,
        });
        await expect(access).rejects.toMatchObject({ code: "aborted" });
        await Promise.all(server.controlServer.connections.map(({ closed }) => closed));
      }
      expect(await countOpenSockets()).toBe(before);
    },
  );
});

describe("an abort or the end of a resource closes all sockets", () => {
  it.each(["unread", "being read", "closed"])(
    "the client closes all sockets of a file whose body is %s",
    async (state) => {
      const before = await countOpenSockets();
      const abort = new AbortController();
      {
        await using server = await startScriptedFtpServer({
          serveData(peer) {
            peer.send("hel");
            return staySilentUntilClientCloses(peer);
          },
        });
        const client = createClient({ schemes: [ftp({ idleTimeoutMs: 0 })], policy: anyAddress() });
        const file = await client.dereference(`ftp://127.0.0.1:${server.port}/a.bin` as "ftp://h/", {
          signal: abort.signal,
        });
        if (file.kind !== "content") throw new Error("no file");
        const reader = file.body.getReader();
        if (state === "being read")
          expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("hel");
        const rest = reader.read().then(
          () => undefined,
          (error: AccessError) => error.code,
        );
        if (state === "closed") await file.close();
        else abort.abort();
        if (state !== "unread") expect(await rest).toBe("aborted");
        await rest;
        await expect(file.completeness).rejects.toMatchObject({ code: "aborted" });
        await Promise.all(
          [...server.controlServer.connections, ...server.dataServer.connections].map(({ closed }) => closed),
        );
      }
      expect(await countOpenSockets()).toBe(before);
    },
  );

  it("the client closes all sockets when the caller aborts a listing, or ends its loop over the entries early", async () => {
    const before = await countOpenSockets();
    {
      await using server = await startScriptedFtpServer({
        serveData(peer) {
          peer.send("a\r\nb\r\n");
          return staySilentUntilClientCloses(peer);
        },
      });
      const client = createClient({ schemes: [ftp({ idleTimeoutMs: 0 })], policy: anyAddress() });
      const abort = new AbortController();
      const url = `ftp://127.0.0.1:${server.port}/;type=d` as "ftp://h/";
      const aborted = await client.dereference(url, { signal: abort.signal });
      abort.abort();
      await Promise.all(
        [...server.controlServer.connections, ...server.dataServer.connections].map(({ closed }) => closed),
      );
      const left = await client.dereference(url);
      if (aborted.kind !== "directory" || left.kind !== "directory") throw new Error("no directory");
      const reading = (async () => {
        for await (const _ of aborted);
      })();
      await expect(reading).rejects.toMatchObject({ code: "aborted" });
      for await (const { name } of left) {
        expect(name).toBe("a");
        break;
      }
      await Promise.all(
        [...server.controlServer.connections, ...server.dataServer.connections].map(({ closed }) => closed),
      );
    }
    expect(await countOpenSockets()).toBe(before);
  });
});
