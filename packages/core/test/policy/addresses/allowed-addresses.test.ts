import { BlockList } from "node:net";
import { assert, integer, ipV4, ipV6, oneof, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIpAddress } from "../../../src/policy/ip-address.ts";
import { connectTo } from "../../../src/network/connect.ts";
import {
  type AllowedAddressBlock,
  createAddressMatcher,
  createHostNameMatcher,
} from "../../../src/policy/allowed-addresses.ts";
import { publicInternet } from "../../../src/policy/policy.ts";
import { startScriptedServer, startForbiddenServer } from "../../../src/testing/index.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { createRecordingConnectionContext } from "../../network/recording-connection-context.ts";

function bytesOf(address: string): Uint8Array {
  return parseIpAddress(address) ?? new Uint8Array(0);
}

describe("the option allowAddresses of a policy allows addresses", () => {
  it.each<[string | AllowedAddressBlock, string, boolean]>([
    ["10.1.0.0/16", "10.1.255.255", true],
    ["10.1.0.0/16", "10.2.0.0", false],
    ["10.1.2.3", "10.1.2.3", true],
    ["10.1.2.3", "10.1.2.4", false],
    ["0.0.0.0/0", "192.168.1.1", true],
    ["0.0.0.0/0", "fd00::1", false],
    ["10.0.0.0/8", "::ffff:10.1.1.1", true],
    ["10.0.0.0/8", "64:ff9b::10.1.1.1", true],
    ["fd00::/8", "fdff::1", true],
    ["fd00::/8", "fe00::1", false],
    ["::1", "::1", true],
    ["10.128.0.0/9", "10.127.255.255", false],
    [{ cidr: "127.0.0.1", scheme: "X-Own" }, "127.0.0.1", true],
    [{ cidr: "127.0.0.1", scheme: "http" }, "127.0.0.1", false],
    [{ cidr: "127.0.0.1", port: 8080 }, "127.0.0.1", true],
    [{ cidr: "127.0.0.1", port: 8081 }, "127.0.0.1", false],
    [{ cidr: "127.0.0.1", host: "Hooks.Internal." }, "127.0.0.1", true],
    [{ cidr: "127.0.0.1", host: "*.internal" }, "127.0.0.1", true],
    [{ cidr: "127.0.0.1", host: "*.hooks.internal" }, "127.0.0.1", false],
    [{ cidr: "127.0.0.1", host: "other.internal" }, "127.0.0.1", false],
    [{ cidr: "127.0.0.2", host: "hooks.internal" }, "127.0.0.1", false],
  ])("the allowed block %j contains the address %s: %s", (exception, address, allowed) => {
    expect(
      createAddressMatcher(exception)(bytesOf(address), {
        scheme: "x-own",
        host: "hooks.internal",
        port: 8080,
      }),
    ).toBe(allowed);
  });

  it.each<string | AllowedAddressBlock>([
    "",
    "10.0.0.0/33",
    "10.0.0.1/8",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/08",
    "10.0.0/8",
    "010.0.0.0/8",
    "::/129",
    "fd00::1/8",
    "fe80::1%eth0",
    "localhost",
    "10.0.0.0/8/8",
    { cidr: "10.0.0.0/8", port: 0 },
    { cidr: "10.0.0.0/8", port: 65_536 },
    { cidr: "10.0.0.0/8", scheme: "a b" },
    { cidr: "10.0.0.0/8", host: "" },
    { cidr: "10.0.0.0/8", host: "10.0.0.1" },
    { cidr: "10.0.0.0/8", host: "*" },
  ])("publicInternet rejects the allowed address or name %j", (exception) => {
    expect(() => publicInternet({ allowAddresses: [exception] })).toThrow(TypeError);
  });

  it("an allowed block contains the same addresses as net.BlockList of Node.js", () => {
    const address = oneof(ipV4(), ipV6());
    assert(
      property(address, address, integer({ min: 0, max: 128 }), (prefix, other, length) => {
        const bytes = bytesOf(prefix);
        const bits = Math.min(length, bytes.length * 8);
        const cleared = bytes.map((byte, index) => {
          const left = Math.max(0, Math.min(8, bits - index * 8));
          return byte & (0xff << (8 - left));
        });
        const text =
          cleared.length === 4
            ? cleared.join(".")
            : Array.from({ length: 8 }, (_, index) =>
                (((cleared[index * 2] ?? 0) << 8) | (cleared[index * 2 + 1] ?? 0)).toString(16),
              ).join(":");
        const family = (byte: Uint8Array): "ipv4" | "ipv6" => (byte.length === 4 ? "ipv4" : "ipv6");
        const list = new BlockList();
        list.addSubnet(text, bits, family(cleared));
        const rule = createAddressMatcher(`${text}/${bits}`);
        for (const candidate of [prefix, other]) {
          const asked = bytesOf(candidate);
          if (family(asked) !== family(bytes)) continue;
          expect(rule(asked, { scheme: "x", host: candidate, port: 1 })).toBe(
            list.check(candidate, family(asked)),
          );
        }
      }),
    );
  });
});

describe("allowed host names of a policy", () => {
  it.each([
    ["intranet", "intranet", true],
    ["intranet", "INTRANET.", true],
    ["intranet", "a.intranet", false],
    ["*.corp.example", "a.corp.example", true],
    ["*.corp.example", "a.b.Corp.Example.", true],
    ["*.corp.example", "corp.example", false],
    ["*.corp.example", "evilcorp.example", false],
  ])("the allowed name %s matches the host %s: %s", (pattern, host, allowed) => {
    expect(createHostNameMatcher(pattern)(host)).toBe(allowed);
  });

  it.each(["", "*", "*.", "a b", "a..b", "127.1", "*.*.a", "-a", "a/b"])(
    "publicInternet rejects the allowed address or name %j",
    (pattern) => {
      expect(() => publicInternet({ allowNames: [pattern] })).toThrow(TypeError);
    },
  );
});

describe("the guard opens connections to allowed addresses", () => {
  it("the client connects to allowed addresses only", async () => {
    await using server = await startScriptedServer((peer) => peer.send("x"));
    await using tripwire = await startForbiddenServer();
    const policy = publicInternet({
      allowAddresses: [{ cidr: "127.0.0.1", scheme: "x-echo", port: server.port }],
      allowNames: ["intranet"],
    });
    const context = createRecordingConnectionContext({ policy, resolverAnswer: ["127.0.0.1"] });
    for (const host of ["127.0.0.1", "intranet"]) {
      const socket = await connectTo(context, { host, port: server.port });
      socket.destroy();
      expect((await catchAccessError(connectTo(context, { host, port: tripwire.port }))).code).toBe(
        "refused-address",
      );
    }
    expect((await catchAccessError(connectTo(context, { host: "localhost", port: server.port }))).code).toBe(
      "refused-name",
    );
    expect(context.lookedUpHosts).toEqual(["intranet", "intranet"]);
    expect(tripwire.connections.length).toBe(0);
  });

  it("an entry with a host allows its addresses to this name only", async () => {
    await using server = await startScriptedServer((peer) => peer.send("x"));
    const policy = publicInternet({
      allowAddresses: [
        { cidr: "127.0.0.1", host: "hooks.internal", port: server.port },
        { cidr: "127.0.0.1", host: "*.corp.example" },
      ],
      allowNames: ["*.internal"],
    });
    const context = createRecordingConnectionContext({ policy, resolverAnswer: ["127.0.0.1"] });
    for (const host of ["hooks.internal", "HOOKS.internal.", "a.corp.example"])
      (await connectTo(context, { host, port: server.port })).destroy();
    for (const host of ["other.internal", "evil.example", "127.0.0.1"]) {
      const refused = await catchAccessError(connectTo(context, { host, port: server.port }));
      expect([host, refused.code]).toEqual([host, "refused-address"]);
    }
    expect(server.connections.length).toBe(3);
  });

  it("the client refuses all addresses of a host when one address is not allowed", async () => {
    await using tripwire = await startForbiddenServer();
    const context = createRecordingConnectionContext({
      policy: publicInternet({ allowAddresses: ["127.0.0.1"] }),
      resolverAnswer: ["127.0.0.1", "127.0.0.2"],
    });
    const failure = await catchAccessError(connectTo(context, { host: "a.example", port: tripwire.port }));
    expect(failure.code).toBe("refused-address");
    expect(failure.message).toContain('allowAddresses: ["127.0.0.2"]');
    expect(tripwire.connections.length).toBe(0);
  });
});
