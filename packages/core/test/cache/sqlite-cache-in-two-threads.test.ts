import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { sqliteCache } from "@anyscheme/core/cache";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

const MODULE = new URL("../../src/cache/index.ts", import.meta.url).href;
const ROUNDS = 6;

/** Opens the database at the same time as the other thread, and stores an entry. Posts an error message or "stored". */
const STORE_ENTRY_CODE = `
const { workerData, parentPort } = require("node:worker_threads");
(async () => {
  const { path, key, module, counter } = workerData;
  const { sqliteCache } = await import(module);
  const cache = sqliteCache(path);
  const started = new Int32Array(counter);
  if (Atomics.add(started, 0, 1) === 0) Atomics.wait(started, 0, 1);
  else Atomics.notify(started, 0);
  let result = "stored";
  try {
    const writer = cache.createWriter({ key, variant: "", metadata: "{}" });
    writer.write(new Uint8Array(10));
    writer.commit();
  } catch (error) {
    result = error.message;
  }
  cache.close();
  parentPort.postMessage(result);
})();`;

function storeInThread(path: string, key: string, counter: SharedArrayBuffer): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const worker = new Worker(STORE_ENTRY_CODE, {
    eval: true,
    workerData: { path, key, module: MODULE, counter },
  });
  worker.once("message", resolve);
  worker.once("error", reject);
  return promise;
}

it("two threads that create the same cache database at the same time lose no stored entry", async () => {
  const folder = createTemporaryFolder();
  for (let round = 0; round < ROUNDS; round++) {
    const path = join(folder, `${round}.sqlite`);
    const counter = new SharedArrayBuffer(4);
    const keys = ["a", "b"];
    const results = await Promise.all(keys.map((key) => storeInThread(path, key, counter)));
    using cache = sqliteCache(path);
    const found = keys.map((key) => (cache.find(key) as readonly unknown[]).length === 1);
    expect(found).toEqual(results.map((result) => result === "stored"));
    // A thread that finds the database locked stores no entry.
    for (const result of results) expect(["stored", "database is locked"]).toContain(result);
  }
});
