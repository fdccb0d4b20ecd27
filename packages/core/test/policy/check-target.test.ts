import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseIpAddress } from "../../src/policy/ip-address.ts";
import { resolveAndCheckTarget } from "../../src/policy/check-target.ts";
import { resolveNameBySystem } from "../../src/network/resolver.ts";
import { ParsedProxyServerSettings } from "../../src/network/proxy/proxy-settings.ts";
import { publicInternet } from "../../src/policy/policy.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createRecordingConnectionContext } from "../network/recording-connection-context.ts";

const resolvedTarget = { host: "name.example", port: 7 };

describe("the error messages for refused ports, names and addresses", () => {
  const policy = publicInternet();
  it.each<[number, string | undefined]>([
    [-1, undefined],
    [0, undefined],
    [1, 'allow it with allowPorts: { "x-echo": [1] }'],
    [25, 'allow it with allowPorts: { "x-echo": [25] }'],
    [6000, 'allow it with allowPorts: { "x-echo": [6000] }'],
    [65_536, undefined],
  ])("the error for the port %i has the advice %s", async (port, advice) => {
    const error = await catchAccessError(
      Promise.resolve(
        resolveAndCheckTarget(createRecordingConnectionContext({ policy }), { ...resolvedTarget, port }),
      ),
    );
    expect({ code: error.code, advice: error.advice }).toEqual({ code: "refused-port", advice });
  });

  it.each([true, false])(
    "the error of a failed look-up advises resolution by the proxy if the client uses a proxy: %s",
    async (hasProxy) => {
      const context = createRecordingConnectionContext({
        policy,
        proxy: hasProxy ? new ParsedProxyServerSettings({ url: "http://127.0.0.1:3128" }) : undefined,
        resolverAnswer: () => Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" })),
      });
      const error = await catchAccessError(Promise.resolve(resolveAndCheckTarget(context, resolvedTarget)));
      expect(error.code).toBe("unavailable");
      expect(error.advice).toBe(
        hasProxy
          ? 'if only the proxy can look names up, use the proxy { url, resolveBy: "proxy" } and a policy with allowProxyResolution: true'
          : undefined,
      );
    },
  );

  it("the error for port 65535 has the advice to add the port to allowPorts", async () => {
    const portClass = { scheme: "x-echo", defaultPort: 7, portRange: "default" } as const;
    const error = await catchAccessError(
      Promise.resolve(
        resolveAndCheckTarget(createRecordingConnectionContext({ policy, schemePorts: portClass }), {
          ...resolvedTarget,
          port: 65_535,
        }),
      ),
    );
    expect(error.advice).toBe('allow it with allowPorts: { "x-echo": [65535] }');
  });

  it.each<[string, readonly string[], string, string]>([
    ["intranet", [], "refused-name", "the host name intranet is refused: a host name without a dot is local"],
    [
      "printer.local",
      [],
      "refused-name",
      "the host name printer.local is refused: host names under .local are not public",
    ],
    ["name.example", [], "unavailable", "the host name name.example has no address"],
    [
      "name.example",
      Array.from({ length: 17 }, () => "8.8.8.8"),
      "limit",
      "the host name name.example has too many addresses",
    ],
    ["name.example", ["127.1"], "refused-address", "the resolver returned 127.1, which is not an IP address"],
    ["name.example", ["10.0.0.1"], "refused-address", "the address 10.0.0.1 is refused: private use"],
  ])("the host %s with the addresses %j fails with %s: %s", async (host, answers, code, what) => {
    const context = createRecordingConnectionContext({ policy, resolverAnswer: answers });
    const error = await catchAccessError(Promise.resolve(resolveAndCheckTarget(context, { host, port: 7 })));
    expect({ code: error.code, reason: error.reason }).toEqual({ code, reason: what });
  });

  it.each([
    [
      "localhost",
      undefined,
      'publicInternet({ allowNames: ["localhost"], allowAddresses: ["127.0.0.1", "::1"] })',
    ],
    [
      "www.localhost",
      undefined,
      'publicInternet({ allowNames: ["www.localhost"], allowAddresses: ["127.0.0.1", "::1"] })',
    ],
    ["intranet", undefined, 'publicInternet({ allowNames: ["intranet"], allowAddresses: […] })'],
    ["notlocalhost", undefined, 'publicInternet({ allowNames: ["notlocalhost"], allowAddresses: […] })'],
    [
      "localhost.internal",
      undefined,
      'publicInternet({ allowNames: ["localhost.internal"], allowAddresses: […] })',
    ],
    ["name.example", "10.0.0.1", 'publicInternet({ allowAddresses: ["10.0.0.1"] })'],
    ["name.example", "::1", 'publicInternet({ allowAddresses: ["::1"] })'],
  ])("the error for %s at %s explains how to allow the host", async (host, address, what) => {
    const context = createRecordingConnectionContext({
      policy: publicInternet(),
      resolverAnswer: address === undefined ? [] : [address],
    });
    const error = await catchAccessError(Promise.resolve(resolveAndCheckTarget(context, { host, port: 7 })));
    expect(error.advice).toBe(`allow it with ${what}, or with anyAddress()`);
  });

  it.each([
    ["a cloud platform's address", "name.example", "169.254.169.254"],
    ["an address that is not allocated", "name.example", "3ffe::1"],
    ["a text that is not a host name", "127.1", ""],
    ["a host name that is too long", `${"a".repeat(64)}.example`, ""],
  ])("the error has no advice on how to allow %s", async (_, host, address) => {
    const context = createRecordingConnectionContext({
      policy: publicInternet(),
      resolverAnswer: [address],
    });
    const error = await catchAccessError(Promise.resolve(resolveAndCheckTarget(context, { host, port: 7 })));
    expect(error.code).toMatch(/^refused-/);
    expect(error.advice).toBeUndefined();
  });
});

describe("confirmPort", () => {
  const schemePorts = { scheme: "x-echo", defaultPort: 7, portRange: "default" } as const;

  it.each([
    [7070, "name.example", true],
    [7070, "8.8.8.8", true],
    [22, "name.example", false],
    [22, "8.8.8.8", false],
    [6000, "8.8.8.8", false],
    [65_536, "8.8.8.8", false],
  ])("the guard calls confirmPort once for the port %i of %s: %s", async (port, host, isCalled) => {
    const confirmPort = vi.fn(() => true);
    const policy = publicInternet({ confirmPort });
    const context = createRecordingConnectionContext({ policy, schemePorts, resolverAnswer: ["8.8.8.8"] });
    const checked = Promise.resolve(resolveAndCheckTarget(context, { host, port }));
    if (isCalled) expect(await checked).toEqual(["8.8.8.8"]);
    else expect((await catchAccessError(checked)).code).toBe("refused-port");
    expect(confirmPort.mock.calls).toEqual(isCalled ? [[{ scheme: "x-echo", host, port }]] : []);
  });
});

describe("the protocol of a target decides about its port", () => {
  const portClass = {
    scheme: "x-echo",
    defaultPort: 7,
    portRange: "unprivileged",
    additionalProtocolPorts: { "x-echos": 992 },
  } as const;

  it.each<[port: number, spoken: string | undefined, allowed: boolean]>([
    [992, "x-echos", true],
    [7, "x-echos", true],
    [993, "x-echos", false],
    [994, "x-echos", true],
    [995, "x-echos", false],
    // The target names no protocol that the scheme declares.
    [992, undefined, false],
    [992, "x-other", false],
    [25, "x-other", false],
    [992, "toString", false],
    [992, "__proto__", false],
  ])("the port %i with the protocol %s is allowed: %s", async (port, applicationProtocol, allowed) => {
    const policy = publicInternet({ allowPorts: { "x-echos": [994], "x-other": [25, 995] } });
    const context = createRecordingConnectionContext({ policy, schemePorts: portClass });
    const admitted = Promise.resolve(
      resolveAndCheckTarget(context, { host: "8.8.8.8", port, applicationProtocol }),
    );
    if (allowed) expect(await admitted).toEqual(["8.8.8.8"]);
    else expect((await catchAccessError(admitted)).code).toBe("refused-port");
  });
});

describe("a DNS lookup", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("a look-up traces all addresses, and leaves no timer or listener behind", async () => {
    const access = new AbortController();
    const context = createRecordingConnectionContext({
      signal: access.signal,
      resolverAnswer: ["8.8.8.8", "9.9.9.9"],
    });
    const admitted = resolveAndCheckTarget(context, resolvedTarget);
    expect(vi.getTimerCount()).toBe(1);
    expect(await admitted).toEqual(["8.8.8.8", "9.9.9.9"]);
    expect(context.events).toEqual([{ action: "resolve", text: "name.example is 8.8.8.8, 9.9.9.9" }]);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(access.signal, "abort")).toEqual([]);
  });

  it("the guard looks up no name after an abort", async () => {
    const reason = new Error("enough");
    const context = createRecordingConnectionContext({ signal: AbortSignal.abort(reason) });
    await expect(resolveAndCheckTarget(context, resolvedTarget)).rejects.toBe(reason);
    expect(context.lookedUpHosts).toEqual([]);
  });

  it("a look-up starts no timer for an infinite dnsTimeoutMs", async () => {
    const context = createRecordingConnectionContext({
      limits: { dnsTimeoutMs: Infinity },
      resolverAnswer: ["8.8.8.8"],
    });
    const admitted = resolveAndCheckTarget(context, resolvedTarget);
    expect(vi.getTimerCount()).toBe(0);
    expect(await admitted).toEqual(["8.8.8.8"]);
  });

  it("the guard checks an IP address and an allowed port synchronously", () => {
    const onPort = vi.fn(() => true);
    const context = createRecordingConnectionContext({ policy: publicInternet({ confirmPort: onPort }) });
    expect(resolveAndCheckTarget(context, { host: "8.8.8.8", port: 7 })).toEqual(["8.8.8.8"]);
    expect([context.lookedUpHosts, onPort.mock.calls]).toEqual([[], []]);
  });
});

it("the guard returns a copy of the addresses, which the resolver cannot change after the check", async () => {
  const answers = ["8.8.8.8"];
  const context = createRecordingConnectionContext({
    policy: publicInternet(),
    resolverAnswer: () => Promise.resolve(answers),
  });
  const addresses = await resolveAndCheckTarget(context, resolvedTarget);
  answers[0] = "10.0.0.1";
  expect(addresses).toEqual(["8.8.8.8"]);
});

it("the resolver of the system returns IP addresses as strings", async () => {
  const { signal } = new AbortController();
  const addresses = await resolveNameBySystem("localhost", { signal });
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(parseIpAddress(address)).toBeDefined();
});
