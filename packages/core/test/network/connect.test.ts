import { once } from "node:events";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectTo } from "../../src/network/connect.ts";
import { publicInternet, anyAddress } from "../../src/policy/policy.ts";
import type { LoopbackServer } from "../../src/testing/index.ts";
import { startSilentServer } from "../silent-server.ts";
import { catchAccessError } from "../catch-access-error.ts";
import {
  createRecordingConnectionContext,
  type RecordingConnectionContext,
} from "./recording-connection-context.ts";

let server: LoopbackServer;
let closedPort: number;
beforeAll(async () => {
  server = await startSilentServer();
  const other = await startSilentServer();
  closedPort = other.port;
  await other.stop();
});
afterAll(() => server.stop());

async function closeSocket(socket: Socket): Promise<void> {
  socket.destroy();
  await once(socket, "close");
}

/** Checks that all sockets of the context are closed, and that the server has received their end. */
async function expectNoOpenSockets(context: RecordingConnectionContext): Promise<void> {
  for (const socket of context.sockets) expect(socket.destroyed).toBe(true);
  await Promise.all(server.connections.map(({ closed }) => closed));
}

const createTarget = (host: string): { host: string; port: number } => ({ host, port: server.port });

describe("connectTo opens guarded connections", () => {
  it("connectTo looks the host up once, connects to the address, and traces both", async () => {
    const context = createRecordingConnectionContext({ resolverAnswer: ["127.0.0.1"] });
    const socket = await connectTo(context, createTarget("name.example"));
    expect(socket.remoteAddress).toBe("127.0.0.1");
    expect(context.lookedUpHosts).toEqual(["name.example"]);
    expect(context.events).toEqual([
      { action: "resolve", text: "name.example is 127.0.0.1" },
      { action: "connect", text: `127.0.0.1 port ${server.port}` },
    ]);
    await closeSocket(socket);
    await expectNoOpenSockets(context);
  });

  it("connectTo looks up no host that is an IP address", async () => {
    const context = createRecordingConnectionContext();
    await closeSocket(await connectTo(context, createTarget("127.0.0.1")));
    expect(context.lookedUpHosts).toEqual([]);
  });

  it("connectTo accepts the peer address in its IPv4-mapped form", async () => {
    const context = createRecordingConnectionContext();
    await closeSocket(await connectTo(context, createTarget("::ffff:127.0.0.1")));
  });

  it("connectTo connects to the second address when the first address refuses", async () => {
    const context = createRecordingConnectionContext({ resolverAnswer: ["127.0.0.2", "127.0.0.1"] });
    const socket = await connectTo(context, createTarget("name.example"));
    expect(socket.remoteAddress).toBe("127.0.0.1");
    expect(context.sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    await closeSocket(socket);
  });

  it.each([1, 2, 3, 6, 7, 9, 16])("connectTo tries the first of %i addresses first", async (count) => {
    const others = Array.from({ length: count - 1 }, (_, index) => `127.0.0.${index + 2}`);
    const context = createRecordingConnectionContext({
      resolverAnswer: ["127.0.0.1", ...others],
      limits: { connectTimeoutMs: 10_001 },
    });
    const socket = await connectTo(context, createTarget("name.example"));
    expect(context.sockets).toHaveLength(1);
    await closeSocket(socket);
  });

  it("connectTo connects without a time limit when connectTimeoutMs is Infinity", async () => {
    const limits = { connectTimeoutMs: Infinity, dnsTimeoutMs: Infinity };
    const context = createRecordingConnectionContext({
      resolverAnswer: ["127.0.0.2", "127.0.0.1"],
      limits,
    });
    await closeSocket(await connectTo(context, createTarget("name.example")));
  });
});

describe("refusals before the DNS lookup", () => {
  const denied = [
    ["refused-port", "name.example", 25, publicInternet()],
    ["refused-port", "name.example", 0, anyAddress()],
    ["refused-port", "name.example", 65536, anyAddress()],
    ["refused-port", "name.example", 6000, anyAddress()],
    ["refused-name", "localhost", 7, publicInternet()],
    ["refused-name", "a.localhost", 7, publicInternet()],
    ["refused-name", "intranet", 7, publicInternet()],
    ["refused-name", "127.1", 7, anyAddress()],
    ["refused-name", "①②⑦.0.0.1", 7, anyAddress()],
    ["refused-name", "8.8.8.8%x", 7, anyAddress()],
    ["refused-address", "127.0.0.1", 7, publicInternet()],
    ["refused-address", "::1", 7, publicInternet()],
    ["refused-address", "::ffff:127.0.0.1", 7, publicInternet()],
  ] as const;
  it.each(denied)("connectTo fails with %s for the host %s and port %i", async (code, host, port, policy) => {
    const context = createRecordingConnectionContext({ policy, resolverAnswer: ["8.8.8.8"] });
    expect((await catchAccessError(connectTo(context, { host, port }))).code).toBe(code);
    expect([context.lookedUpHosts, context.sockets, context.events]).toEqual([[], [], []]);
  });

  it("the guard allows a port only when confirmPort returns true", async () => {
    const portClass = { scheme: "x-echo", defaultPort: 7, portRange: "default" } as const;
    for (const answer of [false, undefined, 1, "yes", Promise.resolve(false)]) {
      const context = createRecordingConnectionContext({
        schemePorts: portClass,
        policy: anyAddress({ confirmPort: () => answer as boolean }),
      });
      expect((await catchAccessError(connectTo(context, createTarget("127.0.0.1")))).code).toBe(
        "refused-port",
      );
    }
    const questions: unknown[] = [];
    const onPort = (question: unknown): Promise<boolean> => Promise.resolve(questions.push(question) === 1);
    const context = createRecordingConnectionContext({
      schemePorts: portClass,
      policy: anyAddress({ confirmPort: onPort }),
    });
    await closeSocket(await connectTo(context, createTarget("127.0.0.1")));
    expect(questions).toEqual([{ scheme: "x-echo", host: "127.0.0.1", port: server.port }]);
  });

  it("the error for a refused port explains how to allow the port", async () => {
    const error = await catchAccessError(
      connectTo(createRecordingConnectionContext(), { host: "a.example", port: 25 }),
    );
    expect(error.advice).toBe('allow it with allowPorts: { "x-echo": [25] }');
  });
});

describe("the addresses that the resolver returns", () => {
  it.each([
    ["one private address", ["127.0.0.1"]],
    ["a private address after a public address", ["8.8.8.8", "127.0.0.1"]],
    ["a private address before a public address", ["10.0.0.1", "8.8.8.8"]],
    ["a private address of the other address family", ["8.8.8.8", "::1"]],
    ["an IPv4-mapped private address", ["8.8.8.8", "::ffff:192.168.0.1"]],
    ["a private address in the form of NAT64", ["64:ff9b::a00:1"]],
    ["a text that is not an IP address", ["8.8.8.8", "127.1"]],
    ["an address with a suffix", ["8.8.8.8%x"]],
    ["a host name", ["localhost"]],
    ["an empty text", [""]],
  ])("the guard refuses all addresses of a host when the resolver returns %s", async (_name, answers) => {
    const context = createRecordingConnectionContext({ policy: publicInternet(), resolverAnswer: answers });
    expect((await catchAccessError(connectTo(context, createTarget("name.example")))).code).toBe(
      "refused-address",
    );
    expect([context.lookedUpHosts, context.sockets]).toEqual([["name.example"], []]);
  });

  it("the guard rejects an invalid address from the resolver under anyAddress() as well", async () => {
    const context = createRecordingConnectionContext({ resolverAnswer: ["127.0.0.1", "127.1"] });
    expect((await catchAccessError(connectTo(context, createTarget("name.example")))).code).toBe(
      "refused-address",
    );
    expect(context.sockets).toEqual([]);
  });

  it.each([
    ["the policy of the request for a private address", ["127.0.0.1"], undefined],
    [
      "the redirectPolicy for a public address among private addresses",
      ["127.0.0.1", "8.8.8.8"],
      "refused-address",
    ],
    ["the redirectPolicy for an address of a cloud platform", ["169.254.169.254"], "refused-address"],
  ])("the resolved addresses determine the policy that applies: %s", async (_, answers, code) => {
    const origin = {
      requestPolicy: anyAddress({ redirectPolicy: publicInternet() }),
      targetNamedBy: "server",
      referringServerNetwork: "private",
    } as const;
    const context = createRecordingConnectionContext({
      resolverAnswer: answers,
      policySelectionInput: origin,
    });
    const dialled = connectTo(context, createTarget("name.example"));
    if (code) expect((await catchAccessError(dialled)).code).toBe(code);
    else await closeSocket(await dialled);
  });

  it.each([
    [
      "port",
      { host: "name.example", port: 7001 },
      anyAddress({ allowPorts: { "x-echo": [7001] }, redirectPolicy: publicInternet({ strictPorts: true }) }),
      "refused-port",
    ],
    ["name", { host: "intranet", port: 7 }, anyAddress({ redirectPolicy: publicInternet() }), "refused-name"],
  ] as const)(
    "the guard applies the rule for the %s again when the resolved addresses have another policy",
    async (_, to, policy, code) => {
      const context = createRecordingConnectionContext({
        resolverAnswer: ["8.8.8.8"],
        policySelectionInput: {
          requestPolicy: policy,
          targetNamedBy: "server",
          referringServerNetwork: "private",
        },
      });
      expect((await catchAccessError(connectTo(context, to))).code).toBe(code);
      expect([context.lookedUpHosts, context.sockets]).toEqual([[to.host], []]);
    },
  );

  it("the guard never looks up the host of a connection a second time", async () => {
    let count = 0;
    const context = createRecordingConnectionContext({
      resolverAnswer: () => Promise.resolve(count++ === 0 ? ["127.0.0.1"] : ["127.0.0.2"]),
    });
    const socket = await connectTo(context, createTarget("rebinding.example"));
    expect([count, socket.remoteAddress]).toEqual([1, "127.0.0.1"]);
    await closeSocket(socket);
  });

  it("connectTo fails when the resolver returns no address", async () => {
    const error = await catchAccessError(
      connectTo(createRecordingConnectionContext(), createTarget("name.example")),
    );
    expect(error).toMatchObject({
      code: "unavailable",
      message: "the host name name.example has no address",
    });
  });

  it.each([15, 16, 17])(
    "the guard allows at most 16 addresses of a host, and the resolver returns %i",
    async (count) => {
      const context = createRecordingConnectionContext({
        resolverAnswer: Array.from({ length: count }, () => "127.0.0.1"),
      });
      if (count <= 16) await closeSocket(await connectTo(context, createTarget("name.example")));
      else
        expect(await catchAccessError(connectTo(context, createTarget("name.example")))).toMatchObject({
          code: "limit",
          limit: "maxAddresses",
        });
    },
  );

  const cause = new Error("no such name");
  it.each<[string, () => Promise<never>]>([
    ["asynchronously", () => Promise.reject(cause)],
    [
      "synchronously",
      () => {
        throw cause;
      },
    ],
  ])("connectTo fails with unavailable when the resolver fails %s", async (_, answers) => {
    const error = await catchAccessError(
      connectTo(createRecordingConnectionContext({ resolverAnswer: answers }), createTarget("name.example")),
    );
    expect(error).toMatchObject({
      code: "unavailable",
      reason: "the host name name.example cannot be resolved: no such name",
      cause,
    });
  });
});

describe("timeouts and aborts while connecting", () => {
  const never = (): Promise<never> => new Promise(() => undefined);

  it("dnsTimeoutMs ends the wait for a resolver that never answers", async () => {
    const context = createRecordingConnectionContext({
      resolverAnswer: never,
      limits: { dnsTimeoutMs: 2 },
    });
    expect(await catchAccessError(connectTo(context, createTarget("name.example")))).toMatchObject({
      code: "timeout",
      limit: "dnsTimeoutMs",
      reason: "looking up the host name name.example took too long",
    });
  });

  it("the signal of the resolver aborts when dnsTimeoutMs has passed", async () => {
    let seen: AbortSignal | undefined;
    const context = {
      ...createRecordingConnectionContext({ limits: { dnsTimeoutMs: 2 } }),
      resolver: (_name: string, { signal }: { signal: AbortSignal }) => {
        seen = signal;
        return never();
      },
    };
    await catchAccessError(connectTo(context, createTarget("name.example")));
    expect(seen?.aborted).toBe(true);
  });

  it("an abort ends a DNS lookup", async () => {
    const controller = new AbortController();
    const answers = (): Promise<never> => {
      queueMicrotask(() => controller.abort(new Error("enough")));
      return never();
    };
    const context = createRecordingConnectionContext({
      resolverAnswer: answers,
      signal: controller.signal,
    });
    await expect(connectTo(context, createTarget("name.example"))).rejects.toThrow("enough");
    expect(context.sockets).toEqual([]);
  });

  it.each([0, 1])(
    "an abort while connecting to the address with the index %i leaves no open socket",
    async (which) => {
      const controller = new AbortController();
      const context = createRecordingConnectionContext({
        resolverAnswer: which === 0 ? ["127.0.0.1"] : ["127.0.0.2", "127.0.0.1"],
        signal: controller.signal,
      });
      const opened = (socket: Socket): void => {
        context.onSocket(socket);
        if (context.sockets.length > which) controller.abort(new Error("enough"));
      };
      await expect(connectTo({ ...context, onSocket: opened }, createTarget("name.example"))).rejects.toThrow(
        "enough",
      );
      expect(context.sockets).toHaveLength(which + 1);
      await expectNoOpenSockets(context);
    },
  );

  it("connectTo opens no connection after an abort", async () => {
    const context = createRecordingConnectionContext({ signal: AbortSignal.abort(new Error("enough")) });
    await expect(connectTo(context, createTarget("127.0.0.1"))).rejects.toThrow("enough");
    expect([context.lookedUpHosts, context.sockets]).toEqual([[], []]);
  });

  it("the error for a refused connection names host and port", async () => {
    const context = createRecordingConnectionContext({ resolverAnswer: ["127.0.0.1"] });
    const error = await catchAccessError(connectTo(context, { host: "name.example", port: closedPort }));
    expect(error).toMatchObject({
      code: "unavailable",
      message: `cannot connect to name.example port ${closedPort}: connection refused (ECONNREFUSED)`,
    });
    expect(error.cause).toMatchObject({ code: "ECONNREFUSED" });
    await expectNoOpenSockets(context);
  });
});

describe("a second connection to the peer of an open connection", () => {
  it("a second connection connects only to the address of the first connection", async () => {
    const context = createRecordingConnectionContext();
    const first = await connectTo(context, createTarget("127.0.0.1"));
    const second = await connectTo(context, { samePeerAs: first, port: server.port });
    expect(second.remoteAddress).toBe("127.0.0.1");
    expect(context.lookedUpHosts).toEqual([]);
    for (const port of [0, 1, 21, 1023, 65536, -1, 1024.5, NaN]) {
      expect((await catchAccessError(connectTo(context, { samePeerAs: first, port }))).code).toBe(
        "refused-port",
      );
    }
    expect(context.sockets).toHaveLength(2);
    await closeSocket(second);
    await closeSocket(first);
    expect((await catchAccessError(connectTo(context, { samePeerAs: first, port: server.port }))).code).toBe(
      "unavailable",
    );
    await expectNoOpenSockets(context);
  });
});
