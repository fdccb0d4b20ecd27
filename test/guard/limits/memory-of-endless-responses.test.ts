import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { AccessError, createClient, anyAddress } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import {
  RESPONSE_FLOOD_TEST_CASES,
  TESTED_BYTE_LIMIT,
  LIMITS_WITHOUT_MEMORY_TEST,
} from "./response-flood-cases.ts";
import { repeatToOneMib, BYTES_PER_MIB } from "./flooding-servers.ts";
import { dereferenceWithoutReading } from "./dereference-and-drain.ts";
import { ALL_LIMITS } from "../../fixtures/all-limits.ts";

/** The memory that socket buffers and the test runner may use in addition to the limit. */
const MAX_EXTRA_MEMORY_BYTES = 3 * BYTES_PER_MIB;
/** The number of bytes that the server offers: a thousand times the limit. */
const OFFERED_BYTES = 1_000 * TESTED_BYTE_LIMIT;
const REPEATED_TEXT = repeatToOneMib("x");

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Returns the used memory after two garbage collections. The second garbage collection releases external buffers. */
function measureUsedMemory(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it("every limit except the timeouts has a memory test, or a reason for having none", () => {
  const counting = Object.keys(ALL_LIMITS).filter((name) => !name.endsWith("Ms"));
  const rows = new Set<string>(RESPONSE_FLOOD_TEST_CASES.map(({ limitName }) => limitName));
  expect([...rows, ...Object.keys(LIMITS_WITHOUT_MEMORY_TEST)].toSorted()).toEqual(counting.toSorted());
});

describe("the memory used by an endless response", () => {
  it.each(
    RESPONSE_FLOOD_TEST_CASES.map(
      (memoryCase) => [memoryCase.limitName, memoryCase.responseKind ?? "", memoryCase] as const,
    ),
  )(
    "the client uses less than twice the bytes that the limit %s allows %s",
    async (limitName, _, memoryCase) => {
      let maxMemory = 0;
      const sample = (): void => void (maxMemory = Math.max(maxMemory, measureUsedMemory()));
      const server = await memoryCase.startServer({
        repeatedBytes: memoryCase.repeatedBytes ?? REPEATED_TEXT,
        totalBytes: OFFERED_BYTES,
        sampleMemory: sample,
      });
      const scheme = memoryCase.createScheme();
      const client = createClient({
        schemes: [scheme],
        policy: anyAddress({ allowPorts: { [scheme.name]: [server.port] } }),
        limits: {
          ...memoryCase.otherLimits,
          [limitName]: Math.floor(memoryCase.limitValue ?? TESTED_BYTE_LIMIT),
        },
      });
      const read = memoryCase.dereferenceAndRead ?? dereferenceWithoutReading;
      const url = `${scheme.name}://127.0.0.1:${server.port}/${memoryCase.urlPath}`;
      const before = measureUsedMemory();
      const error: unknown = await read(client, url).catch((reason: unknown) => reason);
      const after = measureUsedMemory();
      await client.destroy();
      await server.stop();
      expect(error).toBeInstanceOf(AccessError);
      expect(error).toMatchObject({ code: "limit", limit: limitName });
      expect(maxMemory - before).toBeLessThan(2 * TESTED_BYTE_LIMIT + MAX_EXTRA_MEMORY_BYTES);
      expect(after - before).toBeLessThan(2 * TESTED_BYTE_LIMIT);
    },
  );
});
