import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { AccessError, createClient, anyAddress } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { MEMORY_ROWS, BYTES, WITHOUT_MEMORY } from "./memory-rows.ts";
import { repeatToChunk, MIB } from "./flooding-servers.ts";
import { dereference } from "./read-resource.ts";
import { ALL_LIMITS } from "../../fixtures/all-limits.ts";

/** Memory for socket buffers and the test runner, in addition to the limit. */
const BESIDE = 3 * MIB;
/** The number of received bytes: a thousand times the limit. */
const FLOOD = 1_000 * BYTES;
const TEXT = repeatToChunk("x");

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Returns the used memory after two collections, since the second one releases external buffers. */
function alive(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it("every limit except the timeouts has a memory test, or a reason for having none", () => {
  const counting = Object.keys(ALL_LIMITS).filter((name) => !name.endsWith("Ms"));
  const rows = MEMORY_ROWS.map(({ limit }) => limit as string);
  expect([...rows, ...Object.keys(WITHOUT_MEMORY)].toSorted()).toEqual(counting.toSorted());
});

describe("the memory used by an endless response", () => {
  it.each(MEMORY_ROWS.map((row) => [row.limit, row] as const))(
    "uses less memory than twice the limit %s",
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
