import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteCache } from "@anyscheme/core/cache";
import { describe, expect, it } from "vitest";
import { type HttpGetOptions, getWithGivenClient } from "../test-client.ts";
import {
  type CacheTracingTestClient,
  type RecordingOriginServer,
  createCachingClient,
  createResponseText,
  startRecordingOriginServer,
} from "./caching-client-and-origin.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

const FRESH = "cache-control: max-age=60";
const BODY = "0123456789".repeat(50_000);

interface DatabaseTest extends AsyncDisposable, CacheTracingTestClient {
  readonly server: RecordingOriginServer;
  /** The numbers of complete and incomplete entries in the database. */
  readonly countEntries: () => { complete: number; incomplete: number };
}

async function startDatabaseTest(): Promise<DatabaseTest> {
  const path = join(createTemporaryFolder(), "cache.sqlite");
  const cache = sqliteCache(path);
  const server = await startRecordingOriginServer(() => createResponseText(BODY, [FRESH]));
  const caching = createCachingClient({ cache });
  return {
    ...caching,
    server,
    countEntries() {
      using database = new DatabaseSync(path);
      const sql = "SELECT total(complete) AS complete, total(1 - complete) AS incomplete FROM entries";
      return database.prepare(sql).get() as { complete: number; incomplete: number };
    },
    async [Symbol.asyncDispose]() {
      await caching.client.close();
      await server[Symbol.asyncDispose]();
      cache.close();
    },
  };
}

type Interruption = (test: DatabaseTest) => Promise<void>;

const controllerOptions = (): { options: HttpGetOptions; abort: () => void } => {
  const controller = new AbortController();
  return { options: { signal: controller.signal }, abort: () => controller.abort() };
};

const INTERRUPTIONS: readonly (readonly [title: string, interrupt: Interruption])[] = [
  [
    "the caller closes the resource in the middle of the body",
    async ({ client, server }) => {
      const resource = await getWithGivenClient(client, server.url());
      for await (const _chunk of resource.body) break;
    },
  ],
  [
    "the caller aborts in the middle of the body",
    async ({ client, server }) => {
      const { options, abort } = controllerOptions();
      const resource = await getWithGivenClient(client, server.url(), options);
      await expect(async () => {
        for await (const _chunk of resource.body) abort();
      }).rejects.toMatchObject({ code: "aborted" });
    },
  ],
  [
    "the caller aborts in the callback for the progress",
    async ({ client, server }) => {
      const { options, abort } = controllerOptions();
      const resource = await getWithGivenClient(client, server.url(), { ...options, onProgress: abort });
      await expect(resource.bytes()).rejects.toMatchObject({ code: "aborted" });
    },
  ],
  [
    "the body exceeds the limit of the request",
    async ({ client, server }) => {
      const limits = { maxBodyBytes: 100_000 };
      const read = async (): Promise<unknown> =>
        (await getWithGivenClient(client, server.url(), { limits })).bytes();
      await expect(read()).rejects.toMatchObject({ code: "limit" });
    },
  ],
  [
    "the caller reads a range from the beginning",
    async ({ read, server }) => {
      expect(await read(server.url(), { range: { start: 0, endExclusive: 10 } })).toBe("0123456789");
    },
  ],
  [
    "the caller closes the resource before it reads the body",
    async ({ client, server }) => {
      const resource = await getWithGivenClient(client, server.url());
      await resource.close();
    },
  ],
];

describe("a body that the caller does not read to its end", () => {
  it.each(INTERRUPTIONS)("the body is not stored when %s", async (_title, interrupt) => {
    await using test = await startDatabaseTest();
    await interrupt(test);
    expect(test.countEntries()).toEqual({ complete: 0, incomplete: 0 });
  });

  it.each(INTERRUPTIONS)("a stored body remains stored when %s", async (_title, interrupt) => {
    await using test = await startDatabaseTest();
    await test.read(test.server.url());
    await interrupt(test);
    expect(test.countEntries()).toEqual({ complete: 1, incomplete: 0 });
    expect(await test.read(test.server.url())).toBe(BODY);
    expect(test.server.requests).toHaveLength(1);
  });
});
