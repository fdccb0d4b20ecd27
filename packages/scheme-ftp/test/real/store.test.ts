import type { AccessError, Client } from "@anyscheme/core";
import { type RunningFtpServer, vsftpdSupportsNamedUsers } from "@anyscheme/servers";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClientForServer, describeOnEachServer, createServerUrl } from "./describe-on-servers.ts";

const servedFiles = { "incoming/": "", "hello.txt": "hello\n" };

describeOnEachServer("the client changes files", ["users"], (row) => {
  let server: RunningFtpServer;
  let client: Client;
  let folder: string;
  const at = (path: string): string => createServerUrl(server, `/incoming/${path}`, "bob:secret@");
  beforeAll(async () => {
    server = await row.start({ files: servedFiles, users: { bob: "secret" }, writable: true });
    folder = join(server.root, "incoming");
    // The FTP server runs as the user `nobody`.
    chmodSync(folder, vsftpdSupportsNamedUsers ? 0o777 : 0o755);
    client = createClientForServer(server);
  });
  afterAll(async () => {
    await client.destroy();
    await server.stop();
  });
  const stored = (name: string): string => readFileSync(join(folder, name), "latin1");

  it("the client stores, replaces, appends to and overwrites a file", async () => {
    const large = Buffer.alloc(3_000_000, "abc");
    expect(await client.put(at("a.bin"), large)).toMatchObject({ bytesWritten: 3_000_000 });
    expect(stored("a.bin")).toBe(large.toString("latin1"));
    await client.put(at("a.bin"), "one\ntwo\n");
    expect(stored("a.bin")).toBe("one\ntwo\n");
    await client.put(at("a.bin"), [Buffer.from("three"), Buffer.from("\n")], { offset: "end" });
    expect(stored("a.bin")).toBe("one\ntwo\nthree\n");
    await client.put(at("a.bin"), "TWO\nTHREE\n", { offset: 4 });
    expect(stored("a.bin")).toBe("one\nTWO\nTHREE\n");
    await client.put(at("a.bin"), "whole", { atomic: true });
    expect(stored("a.bin")).toBe("whole");
    await client.put(at("text;type=a"), "one\ntwo\n");
    expect(stored("text")).toBe("one\ntwo\n");
    expect(readdirSync(folder).toSorted()).toEqual(["a.bin", "text"]);
  });

  it("the client removes the partial file of a failed or aborted atomic upload, and keeps the old content", async () => {
    await client.put(at("old.bin"), "old");
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(100_000);
      throw new Error("the upload has no more data");
    }
    await expect(client.put(at("old.bin"), failing(), { atomic: true })).rejects.toThrow("no more data");
    const abort = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (let count = 0; ; count++) {
        if (count === 100) abort.abort();
        yield Buffer.alloc(10_000);
      }
    }
    const put = client.put(at("old.bin"), endless(), { atomic: true, signal: abort.signal });
    await expect(put).rejects.toMatchObject({ code: "aborted" });
    // The session of the aborted upload deletes the partial file, and then serves the next request.
    await expect
      .poll(() => readdirSync(folder).filter((name) => name.startsWith("old")))
      .toEqual(["old.bin"]);
    expect(stored("old.bin")).toBe("old");
    await client.delete(at("old.bin"));
  });

  it("the client performs the operations mkdir, rename, delete and stat", async () => {
    await client.mkdir(at("new/"));
    expect(await client.stat(at("new/"))).toMatchObject({ kind: "directory" });
    expect(await client.stat(at("new"))).toMatchObject({ kind: "directory" });
    await client.put(at("new/x.txt"), "hello");
    const stat = await client.stat(at("new/x.txt"));
    expect(stat).toMatchObject({ kind: "content", size: 5, mediaType: "text/plain" });
    expect(Math.abs((stat.modified?.getTime() ?? 0) - Date.now())).toBeLessThan(600_000);
    await client.rename(at("new/x.txt"), at("new/y%20z.txt"));
    await client.rename(at("new/y%20z.txt"), at("moved.txt"));
    expect(stored("moved.txt")).toBe("hello");
    await expect(client.delete(at("new/x.txt"))).rejects.toMatchObject({ code: "not-found" });
    await client.delete(at("moved.txt"));
    await client.delete(at("new/"));
    expect(existsSync(join(folder, "new"))).toBe(false);
    await expect(client.stat(at("new/"))).rejects.toMatchObject({ code: "not-found" });
    await expect(client.stat(at("new"))).rejects.toMatchObject({ code: "not-found" });
    expect(await client.stat(createServerUrl(server, "/", "bob:secret@"))).toMatchObject({
      kind: "directory",
    });
  });

  /** The error codes of MKD, RMD and DELE for a full directory. vsftpd and pure-ftpd do not always send the reason. */
  const CODES_FOR_FULL_DIRECTORY: Readonly<Record<string, readonly string[]>> = {
    vsftpd: ["rejected", "not-found", "not-found"],
    proftpd: ["rejected", "rejected", "rejected"],
    "pure-ftpd": ["rejected", "rejected", "not-found"],
  };

  it("a full directory rejects mkdir and delete", async () => {
    await client.mkdir(at("full/"));
    await client.put(at("full/x"), "x");
    const getCode = ({ code }: AccessError): string => code;
    const codes = [
      await client.mkdir(at("full/")).catch(getCode),
      await client.delete(at("full/")).catch(getCode),
      await client.delete(at("full")).catch(getCode),
    ];
    expect(codes).toEqual(CODES_FOR_FULL_DIRECTORY[row.name]);
    await client.delete(at("full/x"));
    await client.delete(at("full/"));
  });

  it("the client rejects an upload into a missing directory", async () => {
    await expect(client.put(at("none/x"), "x")).rejects.toMatchObject({ code: "not-found" });
  });
});
