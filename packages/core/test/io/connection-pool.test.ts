import { once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { createPlan, createStep } from "../../src/scheme/plan.ts";
import { publicInternet, anyAddress } from "../../src/policy/policy.ts";
import type { Socket } from "../../src/network/guard-context.ts";
import type { AccessContext } from "../../src/scheme/context.ts";
import type { Scheme } from "../../src/scheme/scheme.ts";
import { createGenericSyntax, type GenericUrl } from "../../src/syntax/index.ts";
import { type LoopbackServer, startScriptedServer } from "../../src/testing/index.ts";
import {
  ConnectionPool,
  type ConnectionPoolOptions,
  type PooledConnection,
} from "../../src/io/connection-pool.ts";

type EchoUrl = GenericUrl<"x-echo">;

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  for (const stop of stops.splice(0)) await stop();
});

class Line implements PooledConnection {
  readonly socket: Socket;
  constructor(socket: Socket) {
    this.socket = socket;
  }
  get isReusable(): boolean {
    return !this.socket.destroyed && this.socket.readableLength === 0;
  }
  close(): void {
    this.socket.destroy();
  }
}

const connectionPools: ConnectionPool<Line>[] = [];

/** Creates a scheme that sends one line on a pooled connection and returns the response. Records the used sockets. */
function createEchoScheme(
  used: Socket[],
  options: ConnectionPoolOptions = {},
  leave = false,
): Scheme<EchoUrl> {
  async function access(url: EchoUrl, context: AccessContext): Promise<string> {
    const pool = context.getSharedState(() => {
      const made = new ConnectionPool<Line>(options);
      connectionPools.push(made);
      return made;
    });
    const key = `${url.effectiveHost}:${url.effectivePort}`;
    const target = { host: url.effectiveHost, port: url.effectivePort };
    const line = pool.acquire(key, context) ?? new Line(await context.connect(target));
    const { socket } = line;
    used.push(socket);
    socket.write(`${url.urlPath}\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    if (!leave) pool.release(key, line, context);
    return String(answer);
  }
  return {
    name: "x-echo",
    syntax: createGenericSyntax({ schemes: ["x-echo"] }),
    portRange: "unprivileged",
    plan: (url) => createPlan(url, [createStep("transfer", "2", "the answer")]),
    async access({ url }, context) {
      const answer = Buffer.from(await access(url, context));
      let given = false;
      return context.createContent({
        source: {
          readChunks: async (take) => (given ? "end" : ((given = true), take(answer), "more")),
          cancel: () => undefined,
        },
      });
    },
  };
}

async function startEchoServer(): Promise<LoopbackServer> {
  const server = await startScriptedServer(async (peer) => {
    for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine())
      peer.send(`${line}!`);
  });
  stops.push(() => server.stop());
  return server;
}

async function ask(
  client: ReturnType<typeof createClient>,
  url: string,
  policy = anyAddress(),
): Promise<string> {
  const resource = await client.dereference(url, { policy });
  return resource.kind === "content" ? resource.text() : resource.kind;
}

describe("connections in the pool of a client", () => {
  const policy = anyAddress();

  it("a pooled connection serves one request after another", async () => {
    const server = await startEchoServer();
    const used: Socket[] = [];
    await using client = createClient({ schemes: [createEchoScheme(used)] });
    // The number of requests exceeds the number of listeners above which Node.js prints a warning.
    for (let count = 0; count < 20; count++) {
      expect(await ask(client, `x-echo://127.0.0.1:${server.port}/${count}`, policy)).toBe(`${count}!`);
    }
    expect(new Set(used).size).toBe(1);
    expect(used[0]?.listenerCount("error")).toBeLessThan(3);
    expect(used[0]?.listenerCount("close")).toBeLessThan(5);
  });

  it("client.destroy() closes the pooled connections of the client", async () => {
    const server = await startEchoServer();
    const used: Socket[] = [];
    const client = createClient({ schemes: [createEchoScheme(used)] });
    await ask(client, `x-echo://127.0.0.1:${server.port}/a`, policy);
    expect(used[0]?.destroyed).toBe(false);
    await client.destroy();
    expect(used[0]?.destroyed).toBe(true);
  });

  it("a request closes its connection when the scheme does not return it to the pool", async () => {
    const server = await startEchoServer();
    const used: Socket[] = [];
    await using client = createClient({ schemes: [createEchoScheme(used, {}, true)] });
    await ask(client, `x-echo://127.0.0.1:${server.port}/a`, policy);
    await new Promise(setImmediate);
    expect(used[0]?.destroyed).toBe(true);
  });

  it("a pooled connection is never used under another policy", async () => {
    const server = await startEchoServer();
    const used: Socket[] = [];
    await using client = createClient({ schemes: [createEchoScheme(used)] });
    const url = `x-echo://127.0.0.1:${server.port}/a`;
    await ask(client, url, policy);
    await ask(client, url, anyAddress());
    expect(new Set(used).size).toBe(2);
    await expect(ask(client, url, publicInternet())).rejects.toMatchObject({ code: "refused-address" });
    expect(used.length).toBe(2);
  });

  it("a client keeps pools for a limited number of policies", async () => {
    const server = await startEchoServer();
    const used: Socket[] = [];
    const limits = { maxConnectionsPerHost: Infinity };
    await using client = createClient({ schemes: [createEchoScheme(used)], limits });
    for (let count = 0; count < 20; count++)
      await ask(client, `x-echo://127.0.0.1:${server.port}/a`, anyAddress());
    expect(used.filter(({ destroyed }) => !destroyed).length).toBe(16);
  });

  it.each([
    ["its server closes it", (socket: Socket) => void socket.emit("end")],
    ["its socket breaks", (socket: Socket) => void socket.destroy()],
  ])("the pool removes an idle connection when %s", async (_, happen) => {
    const server = await startEchoServer();
    const used: Socket[] = [];
    await using client = createClient({ schemes: [createEchoScheme(used)] });
    const url = `x-echo://127.0.0.1:${server.port}/a`;
    await ask(client, url, policy);
    const [first] = used;
    if (first) happen(first);
    await ask(client, url, policy);
    expect(new Set(used).size).toBe(2);
    expect(first?.destroyed).toBe(true);
  });
});

describe("ConnectionPool", () => {
  const owner = { detachSocket: () => undefined, attachSocket: () => undefined };

  async function lines(count: number): Promise<Line[]> {
    const server = await startEchoServer();
    const made: Line[] = [];
    const scheme: Scheme<EchoUrl> = {
      ...createEchoScheme([]),
      async access({ url }, context) {
        const socket = await context.connect({ host: "127.0.0.1", port: url.effectivePort });
        context.detachSocket(socket);
        made.push(new Line(socket));
        return context.createContent({
          source: { readChunks: async () => "end" as const, cancel: () => undefined },
        });
      },
    };
    const client = createClient({
      schemes: [scheme],
      policy: anyAddress(),
    });
    stops.push(() => client.destroy());
    for (let index = 0; index < count; index++) {
      const resource = await client.dereference(`x-echo://127.0.0.1:${server.port}/`);
      if (resource.kind === "content") await resource.bytes();
    }
    return made;
  }

  it("acquire returns the most recently used connection with the same key, and each connection once", async () => {
    const [one, two, other] = (await lines(3)) as [Line, Line, Line];
    const idle = new ConnectionPool<Line>();
    idle.release("a", one, owner);
    idle.release("a", two, owner);
    idle.release("b", other, owner);
    expect(idle.acquire("a", owner)).toBe(two);
    expect(idle.acquire("a", owner, (line) => line !== one)).toBeUndefined();
    expect(idle.acquire("a", owner)).toBe(one);
    expect(idle.acquire("a", owner)).toBeUndefined();
    idle.close();
    expect(other.socket.destroyed).toBe(true);
    expect(one.socket.destroyed).toBe(false);
  });

  it("the pool refuses a connection above maxIdlePerKey, and closes the oldest one above maxIdle", async () => {
    const [one, two, three, four] = (await lines(4)) as [Line, Line, Line, Line];
    const idle = new ConnectionPool<Line>({ maxIdlePerKey: 1, maxIdle: 2 });
    idle.release("a", one, owner);
    idle.release("a", two, owner);
    expect(two.socket.destroyed).toBe(true);
    idle.release("b", three, owner);
    idle.release("c", four, owner);
    expect([one, three, four].map(({ socket }) => socket.destroyed)).toEqual([true, false, false]);
    idle.close();
  });

  it("the pool closes each idle connection when its own idle time has passed", async () => {
    const [one, two] = (await lines(2)) as [Line, Line];
    vi.useFakeTimers();
    const idle = new ConnectionPool<Line>({ idleTimeoutMs: 1000 });
    idle.release("a", one, owner);
    vi.advanceTimersByTime(400);
    idle.release("a", two, owner);
    vi.advanceTimersByTime(999);
    expect([one, two].map(({ socket }) => socket.destroyed)).toEqual([true, false]);
    vi.advanceTimersByTime(1);
    expect(two.socket.destroyed).toBe(true);
  });

  it("the pool closes connections after the idle time, and accepts no connection after close", async () => {
    const [one, two] = (await lines(2)) as [Line, Line];
    vi.useFakeTimers();
    const idle = new ConnectionPool<Line>({ idleTimeoutMs: 1000 });
    idle.release("a", one, owner);
    vi.advanceTimersByTime(999);
    expect(one.socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(one.socket.destroyed).toBe(true);
    idle.close();
    idle.release("a", two, owner);
    expect(two.socket.destroyed).toBe(true);
  });

  it.each([
    ["0 closes a connection at once", 0, true],
    ["Infinity never closes an idle connection", Infinity, false],
  ])("an idle time of %s", async (_, idleTimeoutMs, isClosed) => {
    const [line] = (await lines(1)) as [Line];
    vi.useFakeTimers();
    const pool = new ConnectionPool<Line>({ idleTimeoutMs });
    pool.release("a", line, owner);
    vi.advanceTimersByTime(86_400_000);
    expect(line.socket.destroyed).toBe(isClosed);
    expect(vi.getTimerCount()).toBe(0);
    pool.close();
  });
});
