import { AccessError, createClient, type ClientLimits, anyAddress } from "@anyscheme/core";
import { expect, it } from "vitest";
import { TIMEOUT_TEST_CASES } from "./timeout-cases.ts";
import { listOpenHandlesAfterWait, listOpenHandles } from "./list-open-handles.ts";
import { dereferenceWithoutReading } from "./dereference-and-drain.ts";

/** The open handles before the tests start servers and clients. */
const OPEN_HANDLES_BEFORE_TESTS = listOpenHandles();

/** Values of client limits that disable the timeouts. Each test sets only the tested timeout. */
const DISABLED_TIMEOUTS: Partial<ClientLimits> = {
  callTimeoutMs: Infinity,
  dnsTimeoutMs: Infinity,
  connectTimeoutMs: Infinity,
  firstByteTimeoutMs: Infinity,
  idleTimeoutMs: Infinity,
};

it.each(TIMEOUT_TEST_CASES.map((row) => [row.limitName, row.createScheme().name, row] as const))(
  "the timeout %s ends a request of %s whose server never finishes, and leaves no handle open",
  async (limit, _, { createScheme, startServer, createUrl, resolver, dereferenceAndRead }) => {
    const server = await startServer();
    const scheme = createScheme();
    const client = createClient({
      schemes: [scheme],
      policy: anyAddress({ allowPorts: { [scheme.name]: [server.port] } }),
      limits: { ...DISABLED_TIMEOUTS, [limit]: 30 },
      ...(resolver && { resolver }),
    });
    const work = (dereferenceAndRead ?? dereferenceWithoutReading)(client, createUrl(server.port));
    const error: unknown = await work.catch((reason: unknown) => reason);
    await client.destroy();
    await server.stop();
    expect(error).toBeInstanceOf(AccessError);
    expect(error).toMatchObject({ code: "timeout", limit });
    expect(await listOpenHandlesAfterWait(OPEN_HANDLES_BEFORE_TESTS)).toEqual(OPEN_HANDLES_BEFORE_TESTS);
  },
);
