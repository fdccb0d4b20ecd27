import { once } from "node:events";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dial } from "../../src/network/connect.ts";
import { publicInternet, anyAddress } from "../../src/policy/policy.ts";
import type { LoopbackServer } from "../../src/testing/index.ts";
import { startSilentServer } from "../silent-server.ts";
import { failureOf } from "../failure.ts";
import { recordingGate, type RecordingGate } from "./connector.ts";

let server: LoopbackServer;
let closedPort: number;
beforeAll(async () => {
  server = await startSilentServer();
  const other = await startSilentServer();
  closedPort = other.port;
  await other.stop();
});
afterAll(() => server.stop());

async function close(socket: Socket): Promise<void> {
  socket.destroy();
  await once(socket, "close");
}

/** No socket of the gate is left, and the server knows. */
async function nothingLeft(gate: RecordingGate): Promise<void> {
  for (const socket of gate.sockets) expect(socket.destroyed).toBe(true);
  await Promise.all(server.connections.map(({ closed }) => closed));
}

const target = (host: string): { host: string; port: number } => ({ host, port: server.port });

describe("dial", () => {
  it("asks once, pins the answer and says what it did", async () => {
    const gate = recordingGate({ answers: ["127.0.0.1"] });
    const socket = await dial(gate, target("name.example"));
    expect(socket.remoteAddress).toBe("127.0.0.1");
    expect(gate.asked).toEqual(["name.example"]);
    expect(gate.events).toEqual([
      { action: "resolve", text: "name.example is 127.0.0.1" },
      { action: "connect", text: `127.0.0.1 port ${server.port}` },
    ]);
    await close(socket);
    await nothingLeft(gate);
  });

  it("does not ask for an address", async () => {
    const gate = recordingGate();
    await close(await dial(gate, target("127.0.0.1")));
    expect(gate.asked).toEqual([]);
  });

  it("knows an IPv4 address in its mapped form", async () => {
    const gate = recordingGate();
    await close(await dial(gate, target("::ffff:127.0.0.1")));
  });

  it("goes on to the second address when the first refuses", async () => {
    const gate = recordingGate({ answers: ["127.0.0.2", "127.0.0.1"] });
    const socket = await dial(gate, target("name.example"));
    expect(socket.remoteAddress).toBe("127.0.0.1");
    expect(gate.sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    await close(socket);
  });

  it.each([1, 2, 3, 6, 7, 9, 16])("begins with the first of %i addresses", async (count) => {
    const others = Array.from({ length: count - 1 }, (_, index) => `127.0.0.${index + 2}`);
    const gate = recordingGate({ answers: ["127.0.0.1", ...others], limits: { connectTimeoutMs: 10_001 } });
    const socket = await dial(gate, target("name.example"));
    expect(gate.sockets).toHaveLength(1);
    await close(socket);
  });

  it("works without a time limit", async () => {
    const limits = { connectTimeoutMs: Infinity, dnsTimeoutMs: Infinity };
    const gate = recordingGate({ answers: ["127.0.0.2", "127.0.0.1"], limits });
    await close(await dial(gate, target("name.example")));
  });
});

describe("before the resolver is asked", () => {
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
  it.each(denied)("%s: %s port %i", async (code, host, port, policy) => {
    const gate = recordingGate({ policy, answers: ["8.8.8.8"] });
    expect((await failureOf(dial(gate, { host, port }))).code).toBe(code);
    expect([gate.asked, gate.sockets, gate.events]).toEqual([[], [], []]);
  });

  it("only true from onPort is a yes", async () => {
    const portClass = { scheme: "x-echo", defaultPort: 7, speaksFirst: "client" } as const;
    for (const answer of [false, undefined, 1, "yes", Promise.resolve(false)]) {
      const gate = recordingGate({ portClass, policy: anyAddress({ confirmPort: () => answer as boolean }) });
      expect((await failureOf(dial(gate, target("127.0.0.1")))).code).toBe("refused-port");
    }
    const questions: unknown[] = [];
    const onPort = (question: unknown): Promise<boolean> => Promise.resolve(questions.push(question) === 1);
    const gate = recordingGate({ portClass, policy: anyAddress({ confirmPort: onPort }) });
    await close(await dial(gate, target("127.0.0.1")));
    expect(questions).toEqual([{ scheme: "x-echo", host: "127.0.0.1", port: server.port }]);
  });

  it("says how to allow a port", async () => {
    const error = await failureOf(dial(recordingGate(), { host: "a.example", port: 25 }));
    expect(error.advice).toBe('allow it with allowPorts: { "x-echo": [25] }');
  });
});

describe("the answer of the resolver", () => {
  it.each([
    ["one private address", ["127.0.0.1"]],
    ["a private address at the end", ["8.8.8.8", "127.0.0.1"]],
    ["a private address at the beginning", ["10.0.0.1", "8.8.8.8"]],
    ["a private address of the other family", ["8.8.8.8", "::1"]],
    ["a mapped one", ["8.8.8.8", "::ffff:192.168.0.1"]],
    ["NAT64", ["64:ff9b::a00:1"]],
    ["no address", ["8.8.8.8", "127.1"]],
    ["an address and more", ["8.8.8.8%x"]],
    ["a name", ["localhost"]],
    ["nothing that is anything", [""]],
  ])("%s refuses the whole answer", async (_name, answers) => {
    const gate = recordingGate({ policy: publicInternet(), answers });
    expect((await failureOf(dial(gate, target("name.example")))).code).toBe("refused-address");
    expect([gate.asked, gate.sockets]).toEqual([["name.example"], []]);
  });

  it("has to hold addresses by anyAddress() as well", async () => {
    const gate = recordingGate({ answers: ["127.0.0.1", "127.1"] });
    expect((await failureOf(dial(gate, target("name.example")))).code).toBe("refused-address");
    expect(gate.sockets).toEqual([]);
  });

  it.each([
    ["a private address under the policy of the request", ["127.0.0.1"], undefined],
    ["a public address among them under the onward policy", ["127.0.0.1", "8.8.8.8"], "refused-address"],
    ["a cloud platform's address under the onward policy", ["169.254.169.254"], "refused-address"],
  ])("is judged by the policy for the addresses that were found: %s", async (_, answers, code) => {
    const lead = {
      policy: anyAddress({ redirectPolicy: publicInternet() }),
      ledBy: "server",
      from: "private",
    } as const;
    const gate = recordingGate({ answers, lead });
    const dialled = dial(gate, target("name.example"));
    if (code) expect((await failureOf(dialled)).code).toBe(code);
    else await close(await dialled);
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
    "has the rule for its %s applied again, where another policy is that of its addresses",
    async (_, to, policy, code) => {
      const gate = recordingGate({
        answers: ["8.8.8.8"],
        lead: { policy, ledBy: "server", from: "private" },
      });
      expect((await failureOf(dial(gate, to))).code).toBe(code);
      expect([gate.asked, gate.sockets]).toEqual([[to.host], []]);
    },
  );

  it("is not asked for again, whatever it would say then", async () => {
    let count = 0;
    const gate = recordingGate({
      answers: () => Promise.resolve(count++ === 0 ? ["127.0.0.1"] : ["127.0.0.2"]),
    });
    const socket = await dial(gate, target("rebinding.example"));
    expect([count, socket.remoteAddress]).toEqual([1, "127.0.0.1"]);
    await close(socket);
  });

  it("may not be empty", async () => {
    const error = await failureOf(dial(recordingGate(), target("name.example")));
    expect(error).toMatchObject({ code: "unavailable", message: "the name name.example has no address" });
  });

  it.each([15, 16, 17])("may have 16 addresses: %i", async (count) => {
    const gate = recordingGate({ answers: Array.from({ length: count }, () => "127.0.0.1") });
    if (count <= 16) await close(await dial(gate, target("name.example")));
    else
      expect(await failureOf(dial(gate, target("name.example")))).toMatchObject({
        code: "limit",
        limit: "maxAddresses",
      });
  });

  const cause = new Error("no such name");
  it.each<[string, () => Promise<never>]>([
    ["told in time", () => Promise.reject(cause)],
    [
      "thrown at once",
      () => {
        throw cause;
      },
    ],
  ])("may be a failure, %s", async (_, answers) => {
    const error = await failureOf(dial(recordingGate({ answers }), target("name.example")));
    expect(error).toMatchObject({
      code: "unavailable",
      reason: "the name name.example cannot be resolved: no such name",
      cause,
    });
  });
});

describe("time and abort", () => {
  const never = (): Promise<never> => new Promise(() => undefined);

  it("a resolver that hangs meets dnsTimeoutMs", async () => {
    const gate = recordingGate({ answers: never, limits: { dnsTimeoutMs: 2 } });
    expect(await failureOf(dial(gate, target("name.example")))).toMatchObject({
      code: "timeout",
      limit: "dnsTimeoutMs",
      reason: "looking up name.example took too long",
    });
  });

  it("the resolver's own signal aborts with the deadline", async () => {
    let seen: AbortSignal | undefined;
    const gate = {
      ...recordingGate({ limits: { dnsTimeoutMs: 2 } }),
      resolver: (_name: string, { signal }: { signal: AbortSignal }) => {
        seen = signal;
        return never();
      },
    };
    await failureOf(dial(gate, target("name.example")));
    expect(seen?.aborted).toBe(true);
  });

  it("an abort ends a look-up", async () => {
    const controller = new AbortController();
    const answers = (): Promise<never> => {
      queueMicrotask(() => controller.abort(new Error("enough")));
      return never();
    };
    const gate = recordingGate({ answers, signal: controller.signal });
    await expect(dial(gate, target("name.example"))).rejects.toThrow("enough");
    expect(gate.sockets).toEqual([]);
  });

  it.each([0, 1])("an abort while connecting to the address %i leaves no handle", async (which) => {
    const controller = new AbortController();
    const gate = recordingGate({
      answers: which === 0 ? ["127.0.0.1"] : ["127.0.0.2", "127.0.0.1"],
      signal: controller.signal,
    });
    const opened = (socket: Socket): void => {
      gate.opened(socket);
      if (gate.sockets.length > which) controller.abort(new Error("enough"));
    };
    await expect(dial({ ...gate, opened }, target("name.example"))).rejects.toThrow("enough");
    expect(gate.sockets).toHaveLength(which + 1);
    await nothingLeft(gate);
  });

  it("an abort before it opens nothing", async () => {
    const gate = recordingGate({ signal: AbortSignal.abort(new Error("enough")) });
    await expect(dial(gate, target("127.0.0.1"))).rejects.toThrow("enough");
    expect([gate.asked, gate.sockets]).toEqual([[], []]);
  });

  it("a refused connection is unavailable, and says which", async () => {
    const gate = recordingGate({ answers: ["127.0.0.2", "127.0.0.1"] });
    const error = await failureOf(dial(gate, { host: "name.example", port: closedPort }));
    expect(error).toMatchObject({
      code: "unavailable",
      message: `cannot connect to name.example port ${closedPort}: connection refused (ECONNREFUSED)`,
    });
    expect(error.cause).toMatchObject({ code: "ECONNREFUSED" });
    await nothingLeft(gate);
  });
});

describe("a second connection to the same peer", () => {
  it("goes to the address of the first, and to no other", async () => {
    const gate = recordingGate();
    const first = await dial(gate, target("127.0.0.1"));
    const second = await dial(gate, { samePeerAs: first, port: server.port });
    expect(second.remoteAddress).toBe("127.0.0.1");
    expect(gate.asked).toEqual([]);
    for (const port of [0, 1, 21, 1023, 65536, -1, 1024.5, NaN]) {
      expect((await failureOf(dial(gate, { samePeerAs: first, port }))).code).toBe("refused-port");
    }
    expect(gate.sockets).toHaveLength(2);
    await close(second);
    await close(first);
    expect((await failureOf(dial(gate, { samePeerAs: first, port: server.port }))).code).toBe("unavailable");
    await nothingLeft(gate);
  });
});
