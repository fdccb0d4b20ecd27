import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import type { Client } from "../../src/client/client-interface.ts";
import type { DereferenceOptions } from "../../src/client/options.ts";
import type { ContentResource, DirectoryEntry } from "../../src/scheme/resource.ts";
import { createSocketlessScheme } from "../client/test-schemes.ts";

const never = (): Promise<never> => new Promise(() => undefined);

/** Creates a client of a scheme whose content or directory never settles a read and ignores the signal. */
function createStuckClient(kind: "content" | "directory", firstEntries: readonly string[] = []): Client {
  const entries = async function* (): AsyncGenerator<DirectoryEntry> {
    for (const name of firstEntries) yield await Promise.resolve({ name, url: undefined, kind: "file" });
    await never();
  };
  const scheme = createSocketlessScheme((context) =>
    kind === "content"
      ? context.createContent({ source: { readChunks: never, cancel: () => undefined } })
      : context.createDirectory({ entries: entries() }),
  );
  return createClient({ schemes: [scheme], retry: false });
}

const dereference = async (client: Client, options: DereferenceOptions): Promise<ContentResource> =>
  (await client.dereference("x-made:a", options)) as ContentResource;

type Read = (client: Client, options: DereferenceOptions) => Promise<unknown>;

const contentReads: Readonly<Record<string, Read>> = {
  "client.bytes": (client, options) => client.bytes("x-made:a", options),
  async "for await"(client, options) {
    for await (const _ of await dereference(client, options));
  },
  body: async (client, options) => (await dereference(client, options)).body.getReader().read(),
  "toResponse().text": async (client, options) => (await dereference(client, options)).toResponse().text(),
  async saveTo(client, options) {
    const folder = await mkdtemp(join(tmpdir(), "stuck-"));
    try {
      const resource = await dereference(client, options);
      await resource.saveTo(join(folder, "a"));
    } finally {
      expect(await readdir(folder)).toEqual([]);
      await rm(folder, { recursive: true });
    }
  },
};

const directoryReads: Readonly<Record<string, Read>> = {
  async "client.list"(client, options) {
    for await (const _ of client.list("x-made:a", options));
  },
  async "for await"(client, options) {
    const resource = await client.dereference("x-made:a", options);
    if (resource.kind === "directory") for await (const _ of resource);
  },
};

const ends: Readonly<Record<string, (client: Client, read: Read) => Promise<unknown>>> = {
  "the signal of the caller": (client, read) => read(client, { signal: AbortSignal.timeout(20) }),
  bodyTimeoutMs: (client, read) => read(client, { limits: { bodyTimeoutMs: 20 } }),
  async "client.destroy"(client, read) {
    const reading = read(client, {});
    setTimeout(() => void client.destroy(), 20);
    return reading;
  },
};

describe("a source that never settles and does not watch the signal", () => {
  const rows = Object.entries({ content: contentReads, directory: directoryReads }).flatMap(([kind, reads]) =>
    Object.keys(reads).flatMap((read) =>
      Object.keys(ends).map((end) => [kind as "content" | "directory", read, end] as const),
    ),
  );

  it.each(rows)("a read of a %s resource with %s ends by %s", async (kind, read, end) => {
    const client = createStuckClient(kind, ["first"]);
    const reads = kind === "content" ? contentReads : directoryReads;
    const code = end === "client.destroy" ? "aborted" : "timeout";
    await expect(ends[end]?.(client, reads[read] as Read)).rejects.toMatchObject({ code });
    await client.close();
  });

  it("callTimeoutMs ends the methods that read the whole content", async () => {
    const reading = createStuckClient("content").bytes("x-made:a", { limits: { callTimeoutMs: 20 } });
    await expect(reading).rejects.toMatchObject({ code: "timeout", limit: "callTimeoutMs" });
  });

  it("callTimeoutMs limits the wait of client.list for the first entry, and not the whole listing", async () => {
    const list = (first: readonly string[]): Promise<unknown> =>
      Array.fromAsync(
        createStuckClient("directory", first).list("x-made:a", {
          limits: { callTimeoutMs: 20, ...(first.length > 0 && { bodyTimeoutMs: 60 }) },
        }),
      );
    await expect(list([])).rejects.toMatchObject({ code: "timeout", limit: "callTimeoutMs" });
    await expect(list(["first"])).rejects.toMatchObject({ code: "timeout", limit: "bodyTimeoutMs" });
  });

  it("a source may pass chunks after the abort, and the content ignores the chunks", async () => {
    const wanted = Promise.withResolvers<boolean>();
    const controller = new AbortController();
    const scheme = createSocketlessScheme((context) =>
      context.createContent({
        source: {
          readChunks: (onChunk) =>
            new Promise(() => {
              setTimeout(() => {
                controller.abort();
                wanted.resolve(onChunk(Buffer.from("late")));
              }, 0);
            }),
          cancel: () => undefined,
        },
      }),
    );
    const reading = dereference(createClient({ schemes: [scheme] }), { signal: controller.signal }).then(
      (resource) => resource.body.getReader().read(),
    );
    await expect(reading).rejects.toMatchObject({ code: "aborted" });
    expect(await wanted.promise).toBe(false);
  });

  it("the entries of a directory free their resources when an abort ends the read", async () => {
    const freed = Promise.withResolvers<string>();
    const pause = Promise.withResolvers<void>();
    const controller = new AbortController();
    const scheme = createSocketlessScheme((context) =>
      context.createDirectory({
        entries: (async function* () {
          try {
            queueMicrotask(() => controller.abort());
            await pause.promise;
            yield { name: "late", url: undefined, kind: "file" };
          } finally {
            freed.resolve("freed");
          }
        })(),
      }),
    );
    const client = createClient({ schemes: [scheme] });
    const list = Array.fromAsync(client.list("x-made:a", { signal: controller.signal }));
    await expect(list).rejects.toMatchObject({ code: "aborted" });
    pause.resolve();
    expect(await freed.promise).toBe("freed");
  });
});
