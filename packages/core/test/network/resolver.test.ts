import { getEventListeners } from "node:events";
import { createClient, dnsResolver, publicInternet } from "../../src/index.ts";
import { describe, expect, it } from "vitest";
import { startScriptedServer } from "../../src/testing/index.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createPathLineScheme } from "../client/test-schemes.ts";
import { type DnsAnswer, startScriptedDnsServer } from "./scripted-dns-server.ts";

const signal = new AbortController().signal;

describe("dnsResolver", () => {
  it.each<[description: string, ipv4: DnsAnswer, ipv6: DnsAnswer, expected: readonly string[] | string]>([
    [
      "addresses of both types",
      ["192.0.2.1", "192.0.2.2"],
      ["2001:db8:0:0:0:0:0:1"],
      ["2001:db8::1", "192.0.2.1", "192.0.2.2"],
    ],
    ["IPv4 addresses only", ["192.0.2.1"], [], ["192.0.2.1"]],
    ["IPv6 addresses only", [], ["2001:db8:0:0:0:0:0:1"], ["2001:db8::1"]],
    ["a failure of the IPv6 query", ["192.0.2.1"], "SERVFAIL", ["192.0.2.1"]],
    ["no answer to the IPv6 query", ["192.0.2.1"], "silence", ["192.0.2.1"]],
    ["a name without addresses", [], [], "ENODATA"],
    ["an unknown name", "NXDOMAIN", "NXDOMAIN", "ENOTFOUND"],
    ["a failure of the server, and no IPv4 address", [], "SERVFAIL", "ESERVFAIL"],
    ["a failure of the IPv4 query, and an unknown IPv6 name", "SERVFAIL", "NXDOMAIN", "ESERVFAIL"],
    ["a silent server", "silence", "silence", "ETIMEOUT"],
  ])("dnsResolver resolves a name with %s", async (_, ipv4, ipv6, expected) => {
    await using server = await startScriptedDnsServer((type) => (type === "A" ? ipv4 : ipv6));
    const resolve = dnsResolver({ servers: [server.address], timeoutMs: 40, tries: 1 });
    const result = await resolve("h.example", { signal }).catch(({ code }: NodeJS.ErrnoException) => code);
    expect(result).toEqual(expected);
    expect(server.queries.toSorted()).toEqual(["A h.example", "AAAA h.example"]);
  });

  it("dnsResolver ends its queries when the signal aborts", async () => {
    await using server = await startScriptedDnsServer(() => "silence");
    const controller = new AbortController();
    const resolve = dnsResolver({ servers: [server.address], timeoutMs: 60_000, tries: 1 });
    const lookup = resolve("h.example", { signal: controller.signal }).catch(
      ({ code }: NodeJS.ErrnoException) => code,
    );
    controller.abort();
    expect(await lookup).toBe("ECANCELLED");
    await expect(resolve("h.example", { signal: controller.signal })).rejects.toThrow("aborted");
  });

  it("dnsResolver leaves no listener on the signal after a lookup", async () => {
    await using server = await startScriptedDnsServer((type) => (type === "A" ? ["192.0.2.1"] : []));
    const resolve = dnsResolver({ servers: [server.address], timeoutMs: 60_000, tries: 1 });
    const controller = new AbortController();
    expect(await resolve("h.example", { signal: controller.signal })).toEqual(["192.0.2.1"]);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("dnsResolver without options returns a resolver, which rejects an aborted lookup", async () => {
    await expect(dnsResolver()("h.example", { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  });

  it.each<[options: object, message: RegExp]>([
    [{ servers: ["dns.example"] }, /Invalid IP address: dns\.example/],
    [{ servers: "192.0.2.53" }, /"servers".*put it in an array/],
    [{ timeoutMs: 0 }, /^dnsResolver: .*"timeoutMs" has to be a number above 0/],
    [{ tries: 0 }, /"tries"/],
    [{ retries: 3 }, /did you mean "tries"/],
  ])("dnsResolver(%j) throws a TypeError: %s", (options, message) => {
    expect(() => dnsResolver(options)).toThrow(message);
    expect(() => dnsResolver(options)).toThrow(TypeError);
  });
});

describe("a client with dnsResolver", () => {
  it("lookups without an answer do not delay a later lookup of another name", async () => {
    await using dns = await startScriptedDnsServer((type, name) => {
      if (name.startsWith("slow")) return "silence";
      return type === "A" ? ["127.0.0.1"] : [];
    });
    await using server = await startScriptedServer((peer) => peer.send("hello"));
    await using client = createClient({
      schemes: [createPathLineScheme("x-a")],
      policy: publicInternet({ allowAddresses: ["127.0.0.1"] }),
      resolver: dnsResolver({ servers: [dns.address], timeoutMs: 60_000, tries: 1 }),
      limits: { dnsTimeoutMs: 50 },
    });
    const slow = Array.from({ length: 40 }, (_, index) =>
      catchAccessError(client.dereference(`x-a://slow${index}.example:${server.port}/`)),
    );
    for (const { code, limit } of await Promise.all(slow))
      expect([code, limit]).toEqual(["timeout", "dnsTimeoutMs"]);
    const good = await client.dereference(`x-a://good.example:${server.port}/`);
    expect(good.kind).toBe("content");
    await good.close();
  });
});
