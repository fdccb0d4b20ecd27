import { anyAddress, type ClientOptions, createClient } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { mailto } from "@anyscheme/scheme-others/mailto";
import { telnet } from "@anyscheme/scheme-others/telnet";
import { afterAll, describe, expect, it } from "vitest";
import { catchAccessError } from "../../packages/core/test/catch-access-error.ts";

const MENU = "0Note\t/note\tgopher.example\t70\r\n1More\t/more\tgopher.example\t70\r\n.\r\n";

const httpServer = await startScriptedServer(async (peer) => {
  while (await peer.readLine());
  const type = "Content-Type: application/json; charset=iso-8859-1";
  peer.send(`HTTP/1.1 200 OK\r\n${type}\r\nConnection: close\r\nContent-Length: 11\r\n\r\n{"a": "\xe9\xe9"}`);
});
const gopherServer = await startScriptedServer(async (peer) => {
  await peer.readLine();
  peer.send(MENU);
});
afterAll(() => Promise.all([httpServer.stop(), gopherServer.stop()]));

const file = `http://127.0.0.1:${httpServer.port}/` as const;
const menu = `gopher://127.0.0.1:${gopherServer.port}/1/` as const;

function createTestClient(options: Partial<Omit<ClientOptions, "schemes">> = {}) {
  return createClient({
    schemes: [http(), gopher(), mailto(), telnet()],
    policy: anyAddress({ allowPorts: { gopher: [gopherServer.port] } }),
    retry: false,
    ...options,
  });
}

async function collectNames(client: ReturnType<typeof createTestClient>, url: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.list(url)) names.push(name);
  return names;
}

describe("the methods that read a whole resource", () => {
  it("text() decodes a content with its charset, json() reads UTF-8, and bytes() returns the bytes", async () => {
    await using client = createTestClient();
    expect(await client.text(file)).toBe('{"a": "éé"}');
    expect(Buffer.from(await client.bytes(file)).toString("latin1")).toBe('{"a": "éé"}');
    expect(await client.json(file)).toEqual({ a: "��" });
    const { a } = await client.json<{ readonly a: string }>(file);
    expect(a.length).toBe(2);
  });

  it("list() yields the entries of a menu", async () => {
    await using client = createTestClient();
    expect(await collectNames(client, menu)).toEqual(["Note", "More"]);
  });

  const WRONG_KINDS: readonly (readonly [
    method: "text" | "json" | "bytes",
    url: string,
    reason: string,
    advice: string,
  ])[] = [
    ["text", menu, "the URL names a directory, and text reads content", "use client.list()"],
    ["json", menu, "the URL names a directory, and json reads content", "use client.list()"],
    [
      "bytes",
      "mailto:joe@h.example",
      "the URL names a mailbox, and bytes reads content",
      "use client.dereference()",
    ],
    [
      "text",
      "telnet://h.example/",
      "the URL names a service, and text reads content",
      "use client.dereference()",
    ],
  ];
  it.each(WRONG_KINDS)("%s of %s throws no-content", async (method, url, reason, advice) => {
    await using client = createTestClient();
    expect(
      await catchAccessError((client[method] as (url: string, options?: object) => Promise<unknown>)(url)),
    ).toMatchObject({ code: "no-content", reason, advice, url });
    await client.close();
  });

  it("list() of a content throws unsupported, and closes the content", async () => {
    await using client = createTestClient();
    expect(await catchAccessError(collectNames(client, file))).toMatchObject({
      code: "unsupported",
      reason: "the URL names content, and list reads a directory",
      advice: "use client.text(), client.json() or client.bytes()",
    });
    await client.close();
  });

  it("a loop over list() that ends early closes the directory", async () => {
    await using client = createTestClient();
    for await (const { name } of client.list(menu)) {
      expect(name).toBe("Note");
      break;
    }
    await client.close();
  });

  it("bytes() rejects a body above maxBodyBytes, and json() of a text that is not JSON throws unsupported with the URL", async () => {
    await using client = createTestClient({ limits: { maxBodyBytes: 5 } });
    expect(await catchAccessError(client.bytes(file))).toMatchObject({
      code: "limit",
      limit: "maxBodyBytes",
    });
    await using server = await startScriptedServer(async (peer) => {
      while (await peer.readLine());
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{");
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const error = await catchAccessError(client.json(url));
    expect(error).toMatchObject({ code: "unsupported", url });
    expect(error.message).toContain("the content is not JSON: its media type is ");
    expect(error.cause).toBeInstanceOf(SyntaxError);
    await client.close();
  });

  it.each(["text", "json", "bytes"] as const)("the caller's signal aborts %s", async (method) => {
    await using client = createTestClient();
    expect(
      await catchAccessError(
        (client[method] as (url: string, options?: object) => Promise<unknown>)(file, {
          signal: AbortSignal.abort(),
        }),
      ),
    ).toMatchObject({
      code: "aborted",
    });
  });

  it("text() by default retries a lost connection, and not a response with Retry-After: 31", async () => {
    await using server = await startScriptedServer(async (peer) => {
      while (await peer.readLine());
      peer.send("HTTP/1.1 503 Busy\r\nRetry-After: 31\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const retries: string[] = [];
    const controller = new AbortController();
    await using client = createTestClient({
      retry: undefined,
      trace({ action, text }) {
        if (action !== "retry") return;
        retries.push(text);
        queueMicrotask(() => controller.abort());
      },
    });
    expect(await catchAccessError(client.dereference(url))).toMatchObject({ status: 503 });
    expect(await catchAccessError(client.text(url))).toMatchObject({ status: 503 });
    expect(retries).toEqual([]);
    await using busy = await startScriptedServer((peer) => peer.end());
    const { signal } = controller;
    const aborted = client.text(`http://127.0.0.1:${busy.port}/`, { signal });
    expect(await catchAccessError(aborted)).toMatchObject({ code: "aborted" });
    expect(retries).toEqual([expect.stringMatching(/^1 in \d+ ms after: /)]);
  });
});
