import { type AccessError, createClient, type Resource, trusted } from "@anyscheme/core";
import { startTap } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { startVsftpd, vsftpdCanHaveUsers, type VsftpdServer } from "@anyscheme/servers";
import { describeWithServer } from "@anyscheme/servers/describe-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spoken } from "./ftp-server.ts";

const binary = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) & 0xff));

const files = {
  "hello.txt": "one\ntwo\n",
  "data.bin": binary,
  "pub/a;b.txt": "a\n",
  "pub/sp ace/x": "x",
  "pub/déjà": "vu",
};

const client = createClient({
  schemes: [ftp()],
  policy: trusted(),
  credentials: () => ({ password: "pass word" }),
});

async function contentOf(resource: Resource): Promise<string> {
  if (resource.kind === "content") return Buffer.from(await resource.bytes()).toString("latin1");
  const lines: string[] = [];
  for await (const { name, kind, size } of resource) lines.push(`${kind} ${name} ${size ?? ""}`.trim());
  return lines.join("\n");
}

/** Reads a URL through a tap; says what came, and what was sent. */
async function through(
  server: VsftpdServer,
  urlAt: (place: string) => string,
): Promise<{ content: string; sent: string; url: string }> {
  const host = server.address === "::1" ? "[::1]" : server.address;
  await using tap = await startTap(server.port, { address: server.address });
  const url = urlAt(`${host}:${tap.port}`);
  const content = await client.dereference(url).then(contentOf, (error: AccessError) => error.code);
  await tap.connections[0]?.closed;
  return { content, sent: tap.connections[0]?.received.toString("latin1") ?? "", url };
}

describeWithServer("vsftpd", "vsftpd", () => {
  describe.each(["127.0.0.1", "::1"] as const)("to anonymous users at %s", (address) => {
    let server: VsftpdServer;
    beforeAll(async () => {
      server = await startVsftpd({ files, address });
    });
    afterAll(() => server.stop());

    it.each<[string, string]>([
      ["/hello.txt", "one\r\ntwo\r\n"],
      ["/hello.txt;type=i", "one\ntwo\n"],
      ["/data.bin", binary.toString("latin1")],
      ["/pub/a%3Bb.txt;type=i", "a\n"],
      ["/pub%2Fsp%20ace/x", "x"],
      ["/pub/d%C3%A9j%C3%A0", "vu"],
      ["/;type=d", "unknown data.bin\nunknown hello.txt\nunknown pub"],
      ["/pub;type=d", "unknown a;b.txt\nunknown déjà\nunknown sp ace"],
      ["/pub/", "file a;b.txt 2\nfile déjà 2\ndirectory sp ace"],
      ["", "file data.bin 300000\nfile hello.txt 8\ndirectory pub"],
    ])("%s, and the wire is the plan", async (path, expected) => {
      const { content, sent, url } = await through(server, (place) => `ftp://${place}${path}`);
      expect(content).toBe(expected);
      expect(sent).toBe(spoken(client.plan(url), "331"));
    });

    it.each([
      ["/missing", "not-found"],
      ["/missing/x", "not-found"],
      ["//x", "not-found"],
    ])("%s fails with %s", async (path, code) => {
      const { content, sent, url } = await through(server, (place) => `ftp://${place}${path}`);
      expect(content).toBe(code);
      expect(spoken(client.plan(url), "331").startsWith(sent)).toBe(true);
    });

    it("gives entries whose URLs lead to what they name", async () => {
      const host = address === "::1" ? "[::1]" : address;
      const seen: string[] = [];
      const visit = async (url: string): Promise<void> => {
        const resource = await client.dereference(url);
        if (resource.kind !== "directory") {
          seen.push(`${new URL(url).pathname} ${(await resource.bytes()).length}`);
          return;
        }
        const urls: string[] = [];
        for await (const entry of resource) urls.push(entry.url?.href ?? "");
        for (const inside of urls) await visit(inside);
      };
      await visit(`ftp://${host}:${server.port}/`);
      expect(seen).toEqual([
        "/data.bin 300000",
        "/hello.txt 10",
        "/pub/a%3Bb.txt 3",
        "/pub/d%C3%A9j%C3%A0 2",
        "/pub/sp%20ace/x 1",
      ]);
    });
  });

  it("that logs in at USER gets no PASS", async () => {
    await using server = await startVsftpd({ files, settings: { no_anon_password: "YES" } });
    const { content, sent, url } = await through(server, (place) => `ftp://${place}/hello.txt;type=i`);
    expect(content).toBe("one\ntwo\n");
    expect(sent).toBe(spoken(client.plan(url)));
    expect(sent).not.toContain("PASS");
  });

  describe.runIf(vsftpdCanHaveUsers)("to named users (needs root)", () => {
    let server: VsftpdServer;
    beforeAll(async () => {
      server = await startVsftpd({ files, anonymous: false, users: { bob: "pass word" } });
    });
    afterAll(() => server.stop());

    it.each([
      ["bob:pass%20word@", "one\ntwo\n", "USER bob\r\nPASS pass word\r\n"],
      ["bob@", "one\ntwo\n", "USER bob\r\nPASS pass word\r\n"],
      ["bob:wrong@", "permission-denied", "USER bob\r\nPASS wrong\r\n"],
      ["bob:@", "permission-denied", "USER bob\r\nPASS \r\n"],
      ["", "needs-credentials", "USER anonymous\r\nPASS anonymous@\r\n"],
    ])("%s", async (login, expected, said) => {
      const { content, sent } = await through(server, (place) => `ftp://${login}${place}/hello.txt;type=i`);
      expect(content).toBe(expected);
      expect(sent.startsWith(said)).toBe(true);
      expect(sent.slice(said.length)).toBe(
        expected.includes("-") ? "" : "TYPE I\r\nEPSV\r\nRETR hello.txt\r\nQUIT\r\n",
      );
    });
  });
});
