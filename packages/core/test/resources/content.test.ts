import type { Socket } from "node:net";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AccessError } from "../../src/errors/access-error.ts";
import { createClient } from "../../src/client/client.ts";
import type { DereferenceOptions } from "../../src/client/options.ts";
import { anyAddress } from "../../src/policy/policy.ts";
import type { ContentInit } from "../../src/scheme/context.ts";
import type { ContentResource, Progress } from "../../src/scheme/resource.ts";
import { startScriptedServer } from "../../src/testing/index.ts";
import { failureOf } from "../failure.ts";
import { startResettingServer } from "../resetting-server.ts";
import { type MadeSource, sourceOf } from "../source.ts";
import { lineScheme, madeScheme } from "../client/schemes.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "anyscheme-content-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Creates a resource from these bytes, without a server. */
async function made(
  source: MadeSource,
  options: DereferenceOptions = {},
  init: Omit<ContentInit, "source"> = {},
): Promise<ContentResource> {
  const client = createClient({
    schemes: [madeScheme((context) => context.createContent({ ...init, source }))],
  });
  const resource = await client.dereference("x-made:a", options);
  if (resource.kind !== "content") throw new Error("no content");
  return resource;
}

async function iterated(resource: ContentResource): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(resource));
}

async function byob(resource: ContentResource, size: number): Promise<Uint8Array> {
  const reader = resource.body.getReader({ mode: "byob" });
  const parts: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(size));
    if (done) return Buffer.concat(parts);
    expect(value.length).toBeLessThanOrEqual(size);
    parts.push(value);
  }
}

/** The forms in which a body can be read. */
const forms: readonly (readonly [name: string, read: (resource: ContentResource) => Promise<Uint8Array>])[] =
  [
    ["bytes()", (resource) => resource.bytes()],
    ["text()", async (resource) => Buffer.from(await resource.text())],
    ["json()", async (resource) => Buffer.from(JSON.stringify(await resource.json()))],
    ["blob()", async (resource) => new Uint8Array(await (await resource.blob()).arrayBuffer())],
    ["body", async (resource) => new Uint8Array(await new Response(resource.body).arrayBuffer())],
    ["an iterator", iterated],
    ["a reader of 1 byte buffers", (resource) => byob(resource, 1)],
    ["a reader of 4 byte buffers", (resource) => byob(resource, 4)],
    ["a reader of large buffers", (resource) => byob(resource, 65_536)],
    ["toResponse()", async (resource) => new Uint8Array(await resource.toResponse().arrayBuffer())],
    [
      "saveTo()",
      async (resource) => {
        const path = join(folder, "file");
        const bytes = await resource.saveTo(path);
        const saved = await readFile(path);
        expect(bytes).toBe(saved.length);
        return saved;
      },
    ],
  ];

const document = utf8('["a body","in three","pieces é"]');
const pieces = [document.subarray(0, 5), document.subarray(5, 6), document.subarray(6)];

describe.each(forms)("reading a content with %s", (_name, read) => {
  it("reads all bytes of a content and resolves completeness", async () => {
    const resource = await made(sourceOf(pieces));
    expect(Buffer.from(await read(resource)).toString()).toBe(Buffer.from(document).toString());
    expect(await resource.completeness).toBe("verified");
  });

  it.each([
    [-1, "shorter"],
    [1, "longer"],
  ])("rejects a body whose stated size is wrong by %i byte, so that the body is %s", async (off) => {
    const size = document.length - off;
    const resource = await made(sourceOf(pieces), {}, { size });
    const completeness = failureOf(resource.completeness);
    expect(await failureOf(read(resource))).toMatchObject({ code: "incomplete" });
    expect((await completeness).reason).toBe(
      `the body ended after ${document.length} bytes, and the server stated a size of ${size} bytes`,
    );
  });

  it("accepts a body that is longer than its size with sizeMayGrow, but no shorter body", async () => {
    const sized = (size: number): Promise<ContentResource> =>
      made(sourceOf(pieces), {}, { size, sizeMayGrow: true });
    const grown = await sized(document.length - 1);
    expect(await read(grown)).toHaveLength(document.length);
    expect(await grown.completeness).toBe("verified");
    expect((await failureOf(read(await sized(document.length + 1)))).code).toBe("incomplete");
  });

  it("reads the bytes that a server sent", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await peer.line();
      for (const piece of pieces) peer.send(piece);
    });
    const client = createClient({
      schemes: [lineScheme("x-line", { completeness: "unverified" })],
      policy: anyAddress(),
    });
    const resource = await client.dereference(`x-line://127.0.0.1:${server.port}/p`);
    expect(Buffer.from(await read(resource)).toString()).toBe(Buffer.from(document).toString());
    expect(await resource.completeness).toBe("unverified");
    await server.connections[0]?.closed;
  });

  it("skips empty chunks of a source", async () => {
    const none = new Uint8Array(0);
    const resource = await made(sourceOf([none, ...pieces.flatMap((piece) => [piece, none])]));
    expect(await read(resource)).toHaveLength(document.length);
  });

  it("rejects when a body ends too early, and rejects every later read", async () => {
    const source = sourceOf(pieces, new AccessError("incomplete", "the connection broke"));
    const resource = await made(source);
    expect(await failureOf(read(resource))).toMatchObject({ code: "incomplete", url: "x-made:a" });
    expect((await failureOf(resource.completeness)).code).toBe("incomplete");
    expect(source.cancelled).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });

  it("rejects when a server closes the connection during the body", async () => {
    await using server = await startResettingServer("[1,");
    const scheme = lineScheme("x-line");
    const sockets: Socket[] = [];
    const access: typeof scheme.access = (plan, context, options) => {
      const through = context.connect.bind(context);
      const dial: typeof context.connect = async (target) => {
        const socket = await through(target);
        sockets.push(socket);
        return socket;
      };
      return scheme.access(plan, Object.assign(context, { connect: dial }), options);
    };
    const client = createClient({ schemes: [{ ...scheme, access }], policy: anyAddress() });
    const onProgress = (): void => sockets.forEach((socket) => void socket.write("\n"));
    const resource = await client.dereference(`x-line://127.0.0.1:${server.port}/p`, { onProgress });
    expect((await failureOf(read(resource))).code).toBe("incomplete");
    expect((await failureOf(resource.completeness)).code).toBe("incomplete");
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("rejects when the caller aborts during the body", async () => {
    const controller = new AbortController();
    const source = sourceOf(pieces, "never");
    const onProgress = ({ received }: Progress): void => {
      if (received === document.length) queueMicrotask(() => controller.abort(new Error("enough")));
    };
    const resource = await made(source, { signal: controller.signal, onProgress });
    const error = await failureOf(read(resource));
    expect(error).toMatchObject({ code: "aborted", reason: "the caller gave up" });
    expect((error.cause as Error).message).toBe("enough");
    expect((await failureOf(resource.completeness)).code).toBe("aborted");
    expect(source.cancelled).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });

  it("rejects when the caller has aborted before the body is read", async () => {
    const controller = new AbortController();
    const source = sourceOf(pieces);
    const resource = await made(source, { signal: controller.signal });
    controller.abort();
    expect((await failureOf(read(resource))).code).toBe("aborted");
    expect((await failureOf(resource.completeness)).code).toBe("aborted");
    expect([source.cancelled, source.given]).toEqual([true, 0]);
  });

  it("rejects a read after the content was closed", async () => {
    const source = sourceOf(pieces);
    const resource = await made(source);
    await resource.close();
    await resource.close();
    expect((await failureOf(read(resource))).code).toBe("aborted");
    expect(source.cancelled).toBe(true);
  });

  it("rejects a body that takes longer than bodyTimeoutMs", async () => {
    const resource = await made(sourceOf(pieces, "never"), { limits: { bodyTimeoutMs: 2 } });
    expect(await failureOf(read(resource))).toMatchObject({ code: "timeout", limit: "bodyTimeoutMs" });
  });

  it.each([document.length - 1, document.length, document.length + 1])(
    "applies maxStreamBytes %i to a body",
    async (maxStreamBytes) => {
      const source = sourceOf(pieces);
      const resource = await made(source, { limits: { maxStreamBytes } });
      if (maxStreamBytes >= document.length) {
        expect(await read(resource)).toHaveLength(document.length);
        return;
      }
      expect(await failureOf(read(resource))).toMatchObject({ code: "limit", limit: "maxStreamBytes" });
      expect((await failureOf(resource.completeness)).code).toBe("limit");
      expect(source.cancelled).toBe(true);
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it("a body can be read only once", async () => {
    for (const [, other] of forms) {
      const resource = await made(sourceOf(pieces));
      await read(resource);
      await expect((async () => other(resource))()).rejects.toThrow(TypeError);
    }
  });
});

describe("bytes() and blob()", () => {
  it("bytes() and blob() return the bytes of chunks of any length, in an array of exactly that length", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 12 }), async (chunks) => {
        const all = Buffer.concat(chunks);
        const bytes = await (await made(sourceOf(chunks))).bytes();
        const blob = await (await made(sourceOf(chunks))).blob();
        for (const chunk of chunks) chunk.fill(0);
        expect(bytes.buffer.byteLength).toBe(all.length);
        expect(all.equals(bytes)).toBe(true);
        expect(all.equals(Buffer.from(await blob.arrayBuffer()))).toBe(true);
      }),
    );
  });
});

describe("the limit maxBodyBytes", () => {
  const whole = new Set(["bytes()", "text()", "json()", "blob()"]);
  it.each(forms)("maxBodyBytes limits the body that %s reads", async (name, read) => {
    for (const more of [-1, 0, 1]) {
      const source = sourceOf(pieces);
      const resource = await made(source, { limits: { maxBodyBytes: document.length + more } });
      if (more < 0 && whole.has(name)) {
        expect(await failureOf(read(resource))).toMatchObject({ code: "limit", limit: "maxBodyBytes" });
        expect(source.cancelled).toBe(true);
      } else {
        expect(await read(resource)).toHaveLength(document.length);
      }
    }
  });

  it("maxBodyBytes stops reading an endless body", async () => {
    const source = sourceOf(
      Array.from({ length: 1000 }, () => new Uint8Array(1000)),
      "never",
    );
    const resource = await made(source, { limits: { maxBodyBytes: 10_000 } });
    expect((await failureOf(resource.bytes())).code).toBe("limit");
    expect(source.given).toBe(11_000);
  });
});

describe("the stream body of a content", () => {
  it("a body stream reads from its source only when its reader reads", async () => {
    const source = sourceOf(pieces);
    const reader = (await made(source)).body.getReader();
    expect(source.given).toBe(0);
    await reader.read();
    expect(source.given).toBe(5);
    await reader.cancel();
    expect(source.cancelled).toBe(true);
  });

  it("a cancelled body stream cancels its source", async () => {
    const source = sourceOf(pieces);
    const resource = await made(source);
    for await (const part of resource) {
      expect(part).toHaveLength(5);
      break;
    }
    expect(source.cancelled).toBe(true);
    expect((await failureOf(resource.completeness)).code).toBe("aborted");
  });

  it("a body stream fails after an abort without a pending read", async () => {
    const controller = new AbortController();
    const resource = await made(sourceOf(pieces), { signal: controller.signal });
    const reader = resource.body.getReader();
    await reader.read();
    controller.abort();
    expect((await failureOf(reader.closed)).code).toBe("aborted");
  });

  it("a body stream may be empty", async () => {
    expect(await byob(await made(sourceOf([])), 4)).toHaveLength(0);
    expect(await iterated(await made(sourceOf([])))).toHaveLength(0);
  });
});

describe("onProgress", () => {
  it.each(forms)("onProgress reports growing numbers of bytes while %s reads", async (_name, read) => {
    const seen: Progress[] = [];
    const resource = await made(
      sourceOf(pieces),
      { onProgress: (progress) => seen.push(progress) },
      { size: document.length },
    );
    await read(resource);
    expect(seen).toEqual([5, 6, document.length].map((received) => ({ received, total: document.length })));
  });
});

describe("the properties of a content resource", () => {
  it("a content resource has default properties", async () => {
    const resource = await made(sourceOf([]));
    expect(resource).toMatchObject({
      kind: "content",
      mediaType: "application/octet-stream",
      redirectChain: [],
    });
    expect([resource.size, resource.modified]).toEqual([undefined, undefined]);
    expect(String(resource.url)).toBe("x-made:a");
    expect(resource.plan.steps.map(({ action }) => action)).toEqual(["open"]);
    await resource.close();
  });

  it("a content resource has the properties that its scheme stated", async () => {
    const modified = new Date(Date.UTC(1994, 11, 1));
    const init = {
      mediaType: "text/plain; charset=utf-8",
      size: document.length,
      modified,
      extra: { pages: 3 },
    };
    const resource = await made(sourceOf(pieces), {}, init);
    expect(resource).toMatchObject({ mediaType: init.mediaType, size: document.length, modified, pages: 3 });
    const response = resource.toResponse();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "text/plain; charset=utf-8",
      "content-length": String(document.length),
      "last-modified": "Thu, 01 Dec 1994 00:00:00 GMT",
    });
    expect((await response.blob()).type).toBe("text/plain;charset=utf-8");
  });

  it.each([
    ["text/plain; charset=iso-8859-1", [0xe9], "é"],
    ['text/plain;charset="ISO-8859-2"', [0xb1], "ą"],
    ["text/plain; CHARSET=koi8-r; x=y", [0xc1], "а"],
    ["text/plain; charset=x-unknown", [0xc3, 0xa9], "é"],
    ["text/plain", [0xc3, 0xa9], "é"],
    ["text/plain", [0xe9], "\uFFFD"],
    ["text/plain", [0xef, 0xbb, 0xbf, 0x61], "a"],
  ])("text() decodes the body by the media type %s", async (mediaType, bytes, text) => {
    expect(await (await made(sourceOf([Uint8Array.from(bytes)]), {}, { mediaType })).text()).toBe(text);
  });
});

describe("a content resource that the access method creates but does not return", () => {
  it("cancels the source of a content when the access method fails afterwards", async () => {
    const source = sourceOf(pieces);
    const scheme = madeScheme((context) => {
      context.createContent({ source });
      throw new AccessError("protocol", "nonsense at the end");
    });
    const client = createClient({ schemes: [scheme] });
    expect((await failureOf(client.dereference("x-made:a"))).code).toBe("protocol");
    expect(source.cancelled).toBe(true);
  });

  it("cancels the source of a content that is created after an abort", async () => {
    const source = sourceOf(pieces);
    const controller = new AbortController();
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const scheme = madeScheme(async (context) => {
      controller.abort();
      await new Promise(setImmediate);
      try {
        return context.createContent({ source });
      } finally {
        resolve();
      }
    });
    const client = createClient({ schemes: [scheme] });
    expect((await failureOf(client.dereference("x-made:a", { signal: controller.signal }))).code).toBe(
      "aborted",
    );
    await done;
    expect(source.cancelled).toBe(true);
  });
});
