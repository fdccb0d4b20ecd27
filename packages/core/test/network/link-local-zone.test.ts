import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { connectTo, getGuardedSocketInfo } from "../../src/network/connect.ts";
import { ParsedProxyServerSettings } from "../../src/network/proxy/proxy-settings.ts";
import { openDatagramSocket } from "../../src/network/udp.ts";
import { anyAddress, type Policy, publicInternet } from "../../src/policy/policy.ts";
import { createPathLineScheme } from "../client/test-schemes.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createRecordingConnectionContext } from "./recording-connection-context.ts";
import { mockSocketConnect } from "./scripted-dialler.ts";

const createAddress = (address: string, scopeid: number): os.NetworkInterfaceInfoIPv6 => ({
  address,
  scopeid,
  family: "IPv6",
  netmask: "ffff:ffff:ffff:ffff::",
  mac: "02:00:00:00:00:01",
  internal: false,
  cidr: `${address}/64`,
});

beforeEach(() => {
  vi.spyOn(os, "networkInterfaces").mockReturnValue({
    lo: [createAddress("::1", 0)],
    eth0: [createAddress("2001:db8::9", 0), createAddress("fe80::9", 4)],
    "wlan-1.5": [createAddress("fe80::8", 6)],
    br_lan: [createAddress("fe80::7", 7)],
    6: [createAddress("fe80::6", 8)],
  });
  syncBuiltinESMExports();
});

const { platform } = process;
const setPlatform = (value: NodeJS.Platform): void =>
  void Object.defineProperty(process, "platform", { value });

afterEach(() => {
  setPlatform(platform);
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  vi.useRealTimers();
});

const FAST = { connectsAfterMs: 0 };
const INTERFACE_ADVICE = "use 6 or eth0 or wlan-1.5 or br_lan";

describe("the socket receives the zone of a link-local address (RFC 4007 §11)", () => {
  it.each<[name: string, zone: string | undefined, host: string, dialled: string, on?: NodeJS.Platform]>([
    ["the name of an interface", "eth0", "fe80::1", "fe80::1%eth0"],
    ["a name with a hyphen and a dot", "wlan-1.5", "fe80::1", "fe80::1%wlan-1.5"],
    ["the number of an interface", "4", "fe80::1", "fe80::1%eth0"],
    ["a number that is also a name: the name wins", "6", "fe80::1", "fe80::1%6"],
    ["the last address of fe80::/10", "eth0", "febf:ffff::1", "febf:ffff::1%eth0"],
    ["an address after fe80::/10", "eth0", "fec0::1", "fec0::1"],
    ["a global address", "eth0", "2001:db8::1", "2001:db8::1"],
    ["an IPv4 link-local address", "eth0", "169.254.0.1", "169.254.0.1"],
    ["no zone", undefined, "fe80::1", "fe80::1"],
    ["Windows: the name of an interface", "eth0", "fe80::1", "fe80::1%4", "win32"],
    ["Windows: a name with an underscore", "br_lan", "fe80::1", "fe80::1%7", "win32"],
  ])(
    "connectTo adds the zone only to a link-local IPv6 address: %s",
    async (_, linkLocalZone, host, dialledHost, on = "linux") => {
      setPlatform(on);
      const dialled = mockSocketConnect({ [dialledHost]: FAST });
      const context = createRecordingConnectionContext({ linkLocalZone });
      const connecting = connectTo(context, { host, port: 7000 });
      await vi.runAllTimersAsync();
      const socket = await connecting;
      expect(dialled.map(({ address }) => address)).toEqual([dialledHost]);
      expect(context.events).toEqual([{ action: "connect", text: `${dialledHost} port 7000` }]);
      expect(getGuardedSocketInfo(socket)?.host).toBe(host);
    },
  );

  it("of several addresses of a name, only the link-local address without a zone receives the zone", async () => {
    const resolvedAddresses = ["fe80::1", "192.0.2.1", "fe80::2%eth1", "2001:db8::1"];
    const dialled = mockSocketConnect({});
    const context = createRecordingConnectionContext({
      linkLocalZone: "eth0",
      resolverAnswer: resolvedAddresses,
    });
    const connecting = catchAccessError(connectTo(context, { host: "printer.example", port: 7000 }));
    await vi.runAllTimersAsync();
    expect(dialled.map(({ address }) => address)).toEqual([
      "fe80::1%eth0",
      "192.0.2.1",
      "fe80::2%eth1",
      "2001:db8::1",
    ]);
    expect((await connecting).code).toBe("timeout");
  });

  it("a peer with the same address in another zone is refused", async () => {
    mockSocketConnect({ "fe80::1%eth0": { ...FAST, peerAddress: "fe80::1%wlan-1.5" } });
    const context = createRecordingConnectionContext({ linkLocalZone: "eth0" });
    const error = catchAccessError(connectTo(context, { host: "fe80::1", port: 7000 }));
    await vi.runAllTimersAsync();
    expect(await error).toMatchObject({
      code: "refused-address",
      reason: "the connection leads to fe80::1%wlan-1.5 and not to the checked address fe80::1%eth0",
    });
  });

  it.each([
    ["unavailable", "eth9", "the network interface eth9 does not exist, or has no link-local IPv6 address"],
    ["unavailable", "lo", "the network interface lo does not exist, or has no link-local IPv6 address"],
    ["unavailable", "9", "the network interface 9 does not exist, or has no link-local IPv6 address"],
    ["unsupported", "br_lan", "Node.js does not accept the name of the network interface br_lan"],
    ["unsupported", "7", "Node.js does not accept the name of the network interface br_lan"],
  ])("a connection fails with %s in the zone %s", async (code, linkLocalZone, reason) => {
    setPlatform("linux");
    const dialled = mockSocketConnect({});
    const context = createRecordingConnectionContext({ linkLocalZone });
    const target = { host: "fe80::1", port: 7000 };
    const advice = code === "unavailable" ? INTERFACE_ADVICE : /^rename the interface/;
    const tcpError = await catchAccessError(connectTo(context, target));
    expect(tcpError).toMatchObject({ code, reason: `cannot connect to fe80::1 port 7000: ${reason}` });
    expect(tcpError.advice).toMatch(advice);
    const udpError = await catchAccessError(openDatagramSocket(context, target));
    expect(udpError).toMatchObject({ code, reason: `cannot send datagrams to fe80::1: ${reason}` });
    expect(dialled).toEqual([]);
    expect(context.datagramHandles.size).toBe(0);
  });
});

describe("the policy judges the address without the zone", () => {
  const refused = { code: "refused-address", reason: "the address fe80::1 is refused: outside 2000::/3" };
  it.each<[name: string, policy: Policy, isAllowed: boolean]>([
    ["publicInternet", publicInternet(), false],
    ["another allowed address", publicInternet({ allowAddresses: ["fe80::2"] }), false],
    ["the allowed address", publicInternet({ allowAddresses: ["fe80::1"] }), true],
    ["the allowed block", publicInternet({ allowAddresses: ["fe80::/10"] }), true],
    ["anyAddress", anyAddress(), true],
  ])("the policy checks a link-local address without its zone: %s", async (_, policy, isAllowed) => {
    setPlatform("linux");
    const dialled = mockSocketConnect({ "fe80::1%eth0": FAST });
    const context = createRecordingConnectionContext({ policy, linkLocalZone: "eth0" });
    const outcome = connectTo(context, { host: "fe80::1", port: 7000 }).then(
      (socket) => ({ code: "connected", reason: getGuardedSocketInfo(socket)?.host }),
      (error: unknown) => error,
    );
    await vi.runAllTimersAsync();
    expect(await outcome).toMatchObject(isAllowed ? { code: "connected", reason: "fe80::1" } : refused);
    expect(dialled).toHaveLength(isAllowed ? 1 : 0);
    const datagramOutcome = openDatagramSocket(
      createRecordingConnectionContext({ policy, linkLocalZone: "eth9" }),
      {
        host: "fe80::1",
        port: 7000,
      },
    );
    expect((await catchAccessError(datagramOutcome)).code).toBe(isAllowed ? "unavailable" : refused.code);
  });

  it("a redirect from a public server to a link-local address is refused", async () => {
    const dialled = mockSocketConnect({});
    const context = createRecordingConnectionContext({
      linkLocalZone: "eth0",
      policySelectionInput: {
        requestPolicy: anyAddress({ redirectPolicy: publicInternet() }),
        targetNamedBy: "server",
        referringServerNetwork: "public",
      },
    });
    const error = await catchAccessError(connectTo(context, { host: "fe80::1", port: 7000 }));
    expect(error).toMatchObject(refused);
    expect(dialled).toEqual([]);
  });
});

describe("another machine receives no zone (RFC 4007 §6)", () => {
  it.each<[host: string, resolvedAddresses: readonly string[]]>([
    ["fe80::1", []],
    ["printer.example", ["2001:db8::1", "fe80::1"]],
  ])("a proxy gets no connection for %s", async (host, resolvedAddresses) => {
    const dialled = mockSocketConnect({});
    const proxy = new ParsedProxyServerSettings({ url: "http://127.0.0.1:3128" });
    const context = createRecordingConnectionContext({
      proxy,
      linkLocalZone: "eth0",
      resolverAnswer: resolvedAddresses,
    });
    expect(await catchAccessError(connectTo(context, { host, port: 7000 }))).toMatchObject({
      code: "unsupported",
      reason: "the zone eth0 of the link-local address fe80::1 has no meaning for a proxy",
      advice: "use no proxy for this URL",
    });
    expect(dialled).toEqual([]);
  });

  it("a proxy at a link-local address is dialled with the zone", async () => {
    setPlatform("linux");
    const dialled = mockSocketConnect({});
    const proxy = new ParsedProxyServerSettings({ url: "http://[fe80::1]:3128" });
    const context = createRecordingConnectionContext({ proxy, linkLocalZone: "eth0" });
    const connecting = catchAccessError(connectTo(context, { host: "2001:db8::1", port: 7000 }));
    await vi.runAllTimersAsync();
    expect(dialled.map(({ address }) => address)).toEqual(["fe80::1%eth0"]);
    expect((await connecting).code).toBe("timeout");
  });

  it("a gateway gets no request for a link-local address", async () => {
    const gateways = { "x-other": "x-line://gw.example:7000/{url}" };
    const client = createClient({
      schemes: [createPathLineScheme("x-line")],
      gateways,
      linkLocalZone: "eth0",
    });
    expect(await catchAccessError(client.dereference("x-other://[fe80::1]/a"))).toMatchObject({
      code: "unsupported",
      reason: "the zone eth0 of the link-local address fe80::1 has no meaning for a gateway",
      advice: "use no gateway for this URL",
    });
  });
});

describe("the option linkLocalZone", () => {
  const schemes = [createPathLineScheme("x-line")];
  it.each(["eth0", "4", "en1.100", "a-b_c~d", "x".repeat(32)])(
    "createClient accepts the linkLocalZone %j",
    (linkLocalZone) => {
      expect(createClient({ schemes, linkLocalZone }).schemes).toEqual(["x-line"]);
    },
  );

  it.each(["", "%eth0", "eth 0", "eth/0", "eth0]", "ëth0", "x".repeat(33), 4, null])(
    "createClient rejects the linkLocalZone %j",
    (value) => {
      expect(() => createClient({ schemes, linkLocalZone: value as string })).toThrow(
        /the option "linkLocalZone" has to be the name or number of a network interface, such as "eth0": 1 to 32 letters, digits, "\.", "_", "~" and "-", and not/,
      );
    },
  );

  it("a URL with a zone is invalid, also for a client with a zone", () => {
    const client = createClient({ schemes, linkLocalZone: "eth0" });
    expect(client.tryParse("x-line://[fe80::1%25eth0]/").fault?.code).toBe("zone-id");
  });
});
