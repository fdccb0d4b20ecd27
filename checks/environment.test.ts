import { createClient, trusted } from "@anyscheme/core";
import { startTripwire } from "@anyscheme/core/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SERVED } from "./served.ts";

/** Variables by which other programs reach the network in another way, or find a password. */
const PROXIES = ["http", "https", "ftp", "gopher", "wais", "news", "nntp", "all", "socks"];

afterEach(() => void vi.unstubAllEnvs());

describe("whatever the environment says", () => {
  it.each(Object.entries(SERVED))("%s goes where the URL leads, and to no proxy", async (_name, start) => {
    await using tripwire = await startTripwire();
    const proxy = `http://127.0.0.1:${tripwire.port}`;
    for (const name of PROXIES) {
      for (const variable of [`${name}_proxy`, `${name.toUpperCase()}_PROXY`]) vi.stubEnv(variable, proxy);
    }
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    vi.stubEnv("no_proxy", "");
    const served = await start();
    const { scheme, url, ports } = served;
    try {
      const allowPorts = { [scheme.name]: ports, nntp: ports };
      await using client = createClient({ schemes: [scheme], policy: trusted({ allowPorts }) });
      const resource = await client.dereference(url);
      expect(resource.kind).toBe("content");
      if (resource.kind === "content") expect((await resource.bytes()).length).toBeGreaterThan(0);
    } finally {
      await served.stop();
    }
    expect(tripwire.connections).toEqual([]);
  });
});
