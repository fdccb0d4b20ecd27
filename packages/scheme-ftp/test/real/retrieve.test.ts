import { type AccessError, createClient, anyAddress } from "@anyscheme/core";
import { startRecordingProxy } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { type RunningFtpServer, loopbackHasIpv6 } from "@anyscheme/servers";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SentStepRecorder } from "../scripted-ftp-server.ts";
import {
  createClientForServer,
  readContentOrListingAsText,
  describeOnEachServer,
  dereferenceToTextOrErrorCode,
  createServerUrl,
} from "./describe-on-servers.ts";

const binaryContent = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) & 0xff));

const servedFiles = {
  "hello.txt": "one\ntwo\n\nfour",
  "data.bin": binaryContent,
  "secret.bin": "nobody may read this",
  "pub/a;b.txt": "a\n",
  "pub/sp ace/x": "x",
  "pub/déjà": "vu",
  "pub/deep/er/x": "deep",
};

const LOOPBACK_ADDRESSES = loopbackHasIpv6 ? (["127.0.0.1", "::1"] as const) : (["127.0.0.1"] as const);

describeOnEachServer("an anonymous user retrieves files and listings", ["anonymous"], (row) => {
  describe.each(LOOPBACK_ADDRESSES)("the server listens on the address %s", (address) => {
    let server: RunningFtpServer;
    beforeAll(async () => {
      server = await row.start({ files: servedFiles, address });
      chmodSync(join(server.root, "secret.bin"), 0o000);
    });
    afterAll(() => server.stop());

    const names = "unknown a;b.txt\nunknown deep\nunknown déjà\nunknown sp ace";
    const list = "directory deep\ndirectory sp ace\nfile a;b.txt 2\nfile déjà 2";
    it.each<[string, string]>([
      ["/hello.txt", "one\ntwo\n\nfour"],
      ["/hello.txt;type=a", "one\ntwo\n\nfour"],
      ["/hello.txt;type=i", "one\ntwo\n\nfour"],
      ["/data.bin", binaryContent.toString("latin1")],
      ["/pub/a%3Bb.txt;type=i", "a\n"],
      ["/pub%2Fsp%20ace/x", "x"],
      ["/pub/sp%20ace/x", "x"],
      ["/%2Fpub/d%C3%A9j%C3%A0", "vu"],
      ["/pub/deep/er/x", "deep"],
      ["/pub;type=d", names],
      ["/pub/;type=d", names],
      ["/pub/", list],
      ["/missing", "not-found"],
      ["/missing/x", "not-found"],
      ["/pub/missing/x", "not-found"],
    ])("the client retrieves %s with the command bytes that its plan contains", async (path, expected) => {
      await using tap = await startRecordingProxy(server.port, { address });
      await using client = createClientForServer(server, { idleTimeoutMs: 0 });
      const url = createServerUrl({ address, port: tap.port }, path);
      const sentSteps = new SentStepRecorder();
      const resource = client.dereference(url, { trace: sentSteps.onTraceEvent });
      const plan = await resource.then(({ plan: its }) => its).catch(() => client.plan(url));
      expect(await resource.then(readContentOrListingAsText).catch(({ code }: AccessError) => code)).toBe(
        expected,
      );
      await tap.connections[0]?.closed;
      const sent = tap.connections[0]?.received.toString("latin1");
      if (expected === "not-found") expect(sentSteps.sentSteps.at(-1)?.description).toBe("QUIT");
      else expect(sent).toBe(sentSteps.getSentBytes(plan));
    });

    it("the client reports a file without read permission, and reuses the session", async () => {
      await using client = createClientForServer(server);
      expect(await dereferenceToTextOrErrorCode(client, createServerUrl(server, "/secret.bin"))).toMatch(
        /^(?:permission-denied|not-found)$/,
      );
      expect(await dereferenceToTextOrErrorCode(client, createServerUrl(server, "/hello.txt"))).toContain(
        "two",
      );
    });

    it("the client sends CWD with an empty argument, and reports the reply of the server", async () => {
      await using tap = await startRecordingProxy(server.port, { address });
      await using client = createClientForServer(server);
      const code = await dereferenceToTextOrErrorCode(
        client,
        createServerUrl({ address, port: tap.port }, "//hello.txt"),
      );
      expect(code).toBe(row.resultOfNullCwd === "home" ? "one\ntwo\n\nfour" : row.resultOfNullCwd);
      expect(tap.connections[0]?.received.toString("latin1")).toContain("PWD\r\nCWD \r\n");
    });

    it("the client opens a directory with singlecwd after multicwd has failed, and with a set cwdStrategy", async () => {
      await using client = createClientForServer(server, { cwdStrategy: "adaptive" });
      const resource = await client.dereference(createServerUrl(server, "/pub//deep/er/x"));
      expect(resource).toMatchObject({ cwdStrategy: "singlecwd" });
      expect(await readContentOrListingAsText(resource)).toBe("deep");
      for (const strategy of ["singlecwd", "absolute"] as const) {
        await using other = createClientForServer(server, { cwdStrategy: strategy });
        const found = await other.dereference(createServerUrl(server, "/pub/deep/er/x"));
        expect(found).toMatchObject({ cwdStrategy: strategy });
        expect(await readContentOrListingAsText(found)).toBe("deep");
      }
    });

    it("the client retrieves ranges of a file", async () => {
      await using client = createClientForServer(server);
      const url = createServerUrl(server, "/data.bin");
      const part = (start: number, end?: number): string =>
        binaryContent.subarray(start, end).toString("latin1");
      expect(await dereferenceToTextOrErrorCode(client, url, { range: { start: 299_990 } })).toBe(
        part(299_990),
      );
      expect(
        await dereferenceToTextOrErrorCode(client, url, { range: { start: 5, endExclusive: 100_005 } }),
      ).toBe(part(5, 100_005));
      expect(await dereferenceToTextOrErrorCode(client, url, { range: { start: 300_000 } })).toBe("");
      expect(await dereferenceToTextOrErrorCode(client, url, { range: { start: 300_001 } })).toBe(
        "out-of-range",
      );
      expect(
        await dereferenceToTextOrErrorCode(client, createServerUrl(server, "/hello.txt"), {
          range: { start: 4, endExclusive: 7 },
        }),
      ).toBe("two");
    });

    it("the client retrieves the URLs of all entries on one connection", async () => {
      await using tap = await startRecordingProxy(server.port, { address });
      await using client = createClientForServer(server);
      const seen: string[] = [];
      const visit = async (url: string): Promise<void> => {
        const resource = await client.dereference(url);
        if (resource.kind === "content") {
          seen.push(`${new URL(url).pathname} ${(await resource.bytes()).length}`);
          return;
        }
        if (resource.kind !== "directory") throw new TypeError(resource.kind);
        const urls: string[] = [];
        for await (const { url: inside, modified } of resource) {
          urls.push(inside?.href ?? "");
          expect(modified?.getTime()).toBeGreaterThan(Date.now() - 86_400_000 * 2);
        }
        for (const inside of urls.toSorted()) await visit(inside);
      };
      await visit(createServerUrl({ address, port: tap.port }, "/pub/"));
      expect(seen).toEqual([
        "/pub/a%3Bb.txt 2",
        "/pub/d%C3%A9j%C3%A0 2",
        "/pub/deep/er/x 4",
        "/pub/sp%20ace/x 1",
      ]);
      expect(tap.connections.length).toBe(1);
    });
  });

  it("the client logs in with the e-mail address as the anonymous password", async () => {
    await using server = await row.start({ files: servedFiles });
    const client = createClient({ schemes: [ftp()], policy: anyAddress(), email: "me@here.dom" });
    const resource = await client.dereference(createServerUrl(server, "/data.bin"));
    expect(await readContentOrListingAsText(resource)).toBe(binaryContent.toString("latin1"));
    await client.destroy();
  });
});

describeOnEachServer(
  "the client uses PASV if the server refuses EPSV",
  ["anonymous", "PASV alone"],
  (row) => {
    it("the client retrieves a file with PASV", async () => {
      await using server = await row.start({ files: servedFiles, deniedCommands: ["EPSV"] });
      await using client = createClientForServer(server);
      expect(await dereferenceToTextOrErrorCode(client, createServerUrl(server, "/data.bin"))).toBe(
        binaryContent.toString("latin1"),
      );
      expect(await dereferenceToTextOrErrorCode(client, createServerUrl(server, "/pub/sp%20ace/x"))).toBe(
        "x",
      );
    });
  },
);
