import { describe, expect, it } from "vitest";
import { createNetworkNamespaceRunner } from "./network-namespace.ts";

const namespace = createNetworkNamespaceRunner([
  "ip link set lo up",
  // An interface that drops every packet.
  "ip link add out type veth peer name drop",
  "ip link set drop up",
  "ip link set out arp off up",
  "ip -6 addr add 2001:db8::1/64 dev out nodad",
]);

/** Fetches a page from a host whose first address is silent, and prints the time in milliseconds. */
const TIMED_FETCH_PROGRAM = `
  import { createServer } from "node:http";
  import { anyAddress, createClient } from "@anyscheme/core";
  import { http } from "@anyscheme/scheme-http";
  const server = createServer((_, response) => response.end("hello"));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = "http://name.example:" + server.address().port + "/";
  const resolver = () => Promise.resolve(["2001:db8::2", "127.0.0.1"]);
  const client = createClient({ schemes: [http()], policy: anyAddress(), resolver });
  const startMs = performance.now();
  const body = await (await client.dereference(url)).text();
  console.log(body, Math.floor(performance.now() - startMs));
  await client.destroy();
  server.close();
`;

describe.skipIf(!namespace.isAvailable)("a host whose IPv6 address does not answer", () => {
  it("a silent IPv6 address costs the connection attempt delay of 250 ms, and not the connect timeout", async () => {
    const stdout = await namespace.runNode("--input-type=module", "--eval", TIMED_FETCH_PROGRAM);
    const [body, ms] = stdout.trim().split(" ");
    expect(body).toBe("hello");
    expect(Number(ms)).toBeGreaterThanOrEqual(249);
    // The client's default connect timeout is 10 000 ms.
    expect(Number(ms)).toBeLessThan(5_000);
  });
});
