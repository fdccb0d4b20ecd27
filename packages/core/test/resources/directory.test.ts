import { describe, expect, it, vi } from "vitest";
import { AccessError } from "../../src/errors/access-error.ts";
import { createClient } from "../../src/client/client.ts";
import type { DereferenceOptions } from "../../src/client/options.ts";
import type { DirectoryInit } from "../../src/scheme/context.ts";
import type { DirectoryResource, DirectoryEntry } from "../../src/scheme/resource.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createSocketlessScheme } from "../client/test-schemes.ts";

interface DirectoryFixture {
  readonly resource: DirectoryResource;
  readonly countCancels: () => number;
}

async function createTestDirectory(
  entries: AsyncIterable<DirectoryEntry>,
  options: DereferenceOptions = {},
  init: Pick<DirectoryInit, "completeness"> = {},
): Promise<DirectoryFixture> {
  let cancelled = 0;
  const cancel = (): void => void cancelled++;
  const client = createClient({
    schemes: [
      createSocketlessScheme((context) =>
        context.createDirectory({ ...init, entries, cancel, schemeProperties: { pages: 3 } }),
      ),
    ],
  });
  const resource = await client.dereference("x-made:a", options);
  if (resource.kind !== "directory") throw new Error("no directory");
  return { resource, countCancels: () => cancelled };
}

async function* createNamedEntries(
  names: readonly string[],
  failure?: Error,
): AsyncGenerator<DirectoryEntry> {
  for (const name of names) yield await Promise.resolve({ name, url: undefined, kind: "file" });
  if (failure) throw failure;
}

async function read(resource: DirectoryResource, seen: string[] = []): Promise<string[]> {
  for await (const { name } of resource) seen.push(name);
  return seen;
}

describe("a directory resource", () => {
  it("a directory yields its entries in order, and only once", async () => {
    const { resource, countCancels: cancelled } = await createTestDirectory(createNamedEntries(["b", "a"]));
    expect(resource).toMatchObject({ pages: 3, redirectChain: [] });
    expect(await read(resource)).toEqual(["b", "a"]);
    expect(cancelled()).toBe(1);
    await expect(read(resource)).rejects.toThrow(TypeError);
  });

  it.each([
    [undefined, "verified"],
    ["unverified", "unverified"],
    [() => "truncated", "truncated"],
  ] as const)(
    "a directory with the completeness %s resolves completeness to %s",
    async (completeness, expected) => {
      const { resource } = await createTestDirectory(createNamedEntries(["a"]), {}, { completeness });
      await read(resource);
      expect(await resource.completeness).toBe(expected);
    },
  );

  it.each([
    ["a failure", (resource: DirectoryResource) => read(resource), "incomplete"],
    [
      "a break in the loop",
      (resource: DirectoryResource) => resource[Symbol.asyncIterator]().return?.(),
      "aborted",
    ],
    ["close()", (resource: DirectoryResource) => resource.close(), "aborted"],
  ])("the completeness of a directory rejects after %s", async (_name, end, code) => {
    const { resource } = await createTestDirectory(
      createNamedEntries(["a"], new AccessError("incomplete", "cut off")),
    );
    const completeness = catchAccessError(resource.completeness);
    await Promise.allSettled([end(resource)]);
    if (code === "aborted") await resource.close();
    expect((await completeness).code).toBe(code);
  });

  it("a directory yields the entries that arrived before a failure", async () => {
    const { resource } = await createTestDirectory(
      createNamedEntries(["a"], new AccessError("incomplete", "cut off")),
    );
    const seen: string[] = [];
    expect(await catchAccessError(read(resource, seen))).toMatchObject({
      code: "incomplete",
      message: "cut off: read x-made:a",
    });
    expect(seen).toEqual(["a"]);
  });

  it("a break in the loop over a directory cancels the listing", async () => {
    const { resource, countCancels: cancelled } = await createTestDirectory(createNamedEntries(["a", "b"]));
    for await (const entry of resource) {
      expect(entry.name).toBe("a");
      break;
    }
    expect(cancelled()).toBe(1);
  });

  it.each(["before", "during"])(
    "a directory rejects when the caller aborts %s the iteration",
    async (when) => {
      const controller = new AbortController();
      const { resource, countCancels: cancelled } = await createTestDirectory(
        createNamedEntries(["a", "b"], new Error("the source is gone")),
        {
          signal: controller.signal,
        },
      );
      if (when === "before") controller.abort();
      const work = (async () => {
        for await (const entry of resource) if (entry.name === "b") controller.abort();
      })();
      expect((await catchAccessError(work)).code).toBe("aborted");
      expect(cancelled()).toBeGreaterThan(0);
    },
  );

  it("the iteration of a directory rejects after close()", async () => {
    const { resource, countCancels: cancelled } = await createTestDirectory(createNamedEntries(["a"]));
    await resource.close();
    expect(cancelled()).toBeGreaterThan(0);
    expect((await catchAccessError(read(resource))).code).toBe("aborted");
  });

  it("callTimeoutMs does not apply to the iteration of a directory", async () => {
    let go = (): void => undefined;
    const later = new Promise<void>((resolve) => {
      go = resolve;
    });
    async function* slow(): AsyncGenerator<DirectoryEntry> {
      await later;
      yield* createNamedEntries(["a"]);
    }
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { resource } = await createTestDirectory(slow(), { limits: { callTimeoutMs: 30 } });
      const reading = read(resource);
      await vi.advanceTimersByTimeAsync(60);
      go();
      expect(await reading).toEqual(["a"]);
    } finally {
      vi.useRealTimers();
    }
  });
});
