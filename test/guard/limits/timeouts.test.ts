import { AccessError, createClient, type ClientLimits, anyAddress } from "@anyscheme/core";
import { expect, it } from "vitest";
import { TIME_ROWS } from "./timeout-rows.ts";
import { remainingHandles, openHandles } from "./open-handles.ts";
import { dereference } from "./read-resource.ts";

/** The open handles before any server or client is started. */
const BEFORE = openHandles();

/** Long values for all timeouts except the tested one. */
const PATIENT: Partial<ClientLimits> = {
  callTimeoutMs: Infinity,
  dnsTimeoutMs: Infinity,
  connectTimeoutMs: Infinity,
  firstByteTimeoutMs: Infinity,
  idleTimeoutMs: Infinity,
};

it.each(TIME_ROWS.map((row) => [row.limit, row] as const))(
  "the timeout %s ends a request that never finishes, and leaves no handle open",
  async (limit, { scheme: make, serve, url, resolver, read }) => {
    const server = await serve();
    const scheme = make();
    const client = createClient({
      schemes: [scheme],
      policy: anyAddress({ allowPorts: { [scheme.name]: [server.port] } }),
      limits: { ...PATIENT, [limit]: 30 },
      ...(resolver && { resolver }),
    });
    const work = (read ?? dereference)(client, url(server.port));
    const error: unknown = await work.catch((reason: unknown) => reason);
    await client.destroy();
    await server.stop();
    expect(error).toBeInstanceOf(AccessError);
    expect(error).toMatchObject({ code: "timeout", limit });
    expect(await remainingHandles(BEFORE)).toEqual(BEFORE);
  },
);
