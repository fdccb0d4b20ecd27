import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { AccessError, createClient, DEFAULT_LIMITS, anyAddress } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { MEMORY_ROWS, BYTES, WITHOUT_MEMORY } from "./memory-rows.ts";
import { chunkOf, MIB } from "./flooding-servers.ts";
import { dereference } from "./read-resource.ts";

/** What is alive at any time beside what is limited: buffers of sockets, and whatever the test runner does. */
const BESIDE = 3 * MIB;
/** A thousand times the limit, if the client let it come. */
const FLOOD = 1_000 * BYTES;
const TEXT = chunkOf("x");

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Buffers that the first collection has found dead are counted until the second one. */
function alive(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it("every limit but those of time has a row, or a reason why not", () => {
  const counting = Object.keys(DEFAULT_LIMITS).filter((name) => !name.endsWith("Ms"));
  const rows = MEMORY_ROWS.map(({ limit }) => limit as string);
  expect([...rows, ...Object.keys(WITHOUT_MEMORY)].toSorted()).toEqual(counting.toSorted());
});

describe("bytes without end", () => {
  it.each(MEMORY_ROWS.map((row) => [row.limit, row] as const))(
    "take less than twice %s",
    async (limit, row) => {
      let most = 0;
      const sample = (): void => void (most = Math.max(most, alive()));
      const server = await row.serve({ bytes: row.bytes ?? TEXT, total: FLOOD, sample });
      const scheme = row.scheme();
      const client = createClient({
        schemes: [scheme],
        policy: anyAddress({ allowPorts: { [scheme.name]: [server.port] } }),
        limits: { ...row.others, [limit]: Math.floor(row.value ?? BYTES) },
      });
      const read = row.read ?? dereference;
      const url = `${scheme.name}://127.0.0.1:${server.port}/${row.path}`;
      const before = alive();
      const error: unknown = await read(client, url).catch((reason: unknown) => reason);
      const after = alive();
      await client.destroy();
      await server.stop();
      expect(error).toBeInstanceOf(AccessError);
      expect(error).toMatchObject({ code: "limit", limit });
      expect(most - before).toBeLessThan(2 * BYTES + BESIDE);
      expect(after - before).toBeLessThan(2 * BYTES);
    },
  );
});
