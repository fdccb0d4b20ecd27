import { afterEach, describe, expect, it, vi } from "vitest";
import { AccessError } from "../../../src/errors/access-error.ts";
import { createClient } from "../../../src/client/client.ts";
import type { Client } from "../../../src/client/client-interface.ts";
import { createPlan, createStep } from "../../../src/scheme/plan.ts";
import { anyAddress } from "../../../src/policy/policy.ts";
import type { CoreLimits } from "../../../src/policy/limits.ts";
import type { Socket } from "../../../src/network/guard-context.ts";
import type { AccessContext } from "../../../src/scheme/context.ts";
import type { Scheme } from "../../../src/scheme/scheme.ts";
import { createGenericSyntax, type GenericUrl } from "../../../src/syntax/index.ts";
import { type LoopbackServer, type ScriptedPeer, startScriptedServer } from "../../../src/testing/index.ts";
import { ConnectionPool, type PooledConnection } from "../../../src/io/connection-pool.ts";

type LineUrl = GenericUrl<"x-line">;

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const stop of stops.splice(0).toReversed()) await stop();
});

class LineConnection implements PooledConnection {
  readonly socket: Socket;
  constructor(socket: Socket) {
    this.socket = socket;
  }
  get isReusable(): boolean {
    return !this.socket.destroyed;
  }
  close(): void {
    this.socket.destroy();
  }
}

/** Sends a line and returns the line that the server sends back. */
function exchangeLine({ socket }: LineConnection, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once("data", (bytes: Buffer) => resolve(String(bytes).trim()));
    socket.once("close", () => reject(new Error("closed")));
    socket.write(`${text}\n`);
  });
}

type LineAccess = (
  path: string,
  target: { host: string; port: number },
  context: AccessContext,
) => Promise<string>;

/** Opens a connection for each request. */
const accessWithoutReuse: LineAccess = async (path, target, context) =>
  exchangeLine(new LineConnection(await context.connect(target)), path);

/** Pools connections by the first segment of the path. */
const accessWithPool: LineAccess = async (path, target, context) => {
  const idle = context.getSharedState(() => new ConnectionPool<LineConnection>());
  const key = `${target.port} ${path.split("/")[0]}`;
  const line = await context.acquireConnection(target, {
    takeIdleConnection: () => idle.acquire(key, context),
    openConnection: async (connect) => new LineConnection(await connect(target)),
  });
  const answer = await exchangeLine(line, path);
  idle.release(key, line, context);
  return answer;
};

/** An access method that redirects to the URL in the response while its own connection is open. */
const accessWithRedirect: LineAccess = async (path, target, context) => {
  const answer = await accessWithoutReuse(path, target, context);
  if (!answer.startsWith("x-line:")) return answer;
  const next = await context.redirectTo(context.parse(answer));
  return next.kind === "content" ? next.text() : next.kind;
};

function createLineScheme(access: LineAccess): Scheme<LineUrl> {
  return {
    name: "x-line",
    syntax: createGenericSyntax({ schemes: ["x-line"] }),
    portRange: "unprivileged",
    plan: (url) => createPlan(url, [createStep("transfer", "2", "the answer")]),
    async access({ url }, context) {
      const target = { host: url.effectiveHost, port: url.effectivePort };
      const answer = Buffer.from(await access(url.urlPath ?? "", target, context));
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

/** A server that counts its open connections, and responds to lines only in `release`. */
class CountingServer {
  openCount = 0;
  mostOpen = 0;
  readonly receivedLines: string[] = [];
  readonly #held: (() => void)[] = [];
  #server: LoopbackServer | undefined;
  readonly #answer: (line: string) => string;

  constructor(answer: (line: string) => string = (line) => `${line}!`) {
    this.#answer = answer;
  }

  async start(): Promise<this> {
    this.#server = await startScriptedServer((peer) => this.#serve(peer));
    stops.push(() => this.#server?.stop() ?? Promise.resolve());
    return this;
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  get connections(): number {
    return this.#server?.connections.length ?? 0;
  }

  async #serve(peer: ScriptedPeer): Promise<void> {
    this.openCount++;
    this.mostOpen = Math.max(this.mostOpen, this.openCount);
    void peer.closed.then(() => this.openCount--);
    for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine()) {
      this.receivedLines.push(line);
      await new Promise<void>((resolve) => this.#held.push(resolve));
      peer.send(`${this.#answer(line)}\n`);
    }
  }

  /** Waits for at least `count` lines and responds to all lines so far. */
  async release(count: number): Promise<void> {
    await expect.poll(() => this.#held.length).toBeGreaterThanOrEqual(count);
    for (const answer of this.#held.splice(0)) answer();
  }
}

async function startCountingServer(
  access: LineAccess,
  limits: Partial<CoreLimits> = {},
  answer?: (line: string) => string,
): Promise<{
  server: CountingServer;
  readonly get: (path: string, options?: object) => Promise<string>;
  client: Client;
}> {
  const server = await new CountingServer(answer).start();
  const client = createClient({
    schemes: [createLineScheme(access)],
    policy: anyAddress({ allowSchemeRedirects: { "x-line": ["x-line"] } }),
    limits,
  });
  stops.push(() => client.destroy());
  const get = async (path: string, options: object = {}): Promise<string> => {
    const resource = await client.dereference(`x-line://127.0.0.1:${server.port}/${path}`, options);
    return resource.kind === "content" ? resource.text() : resource.kind;
  };
  return { server, get, client };
}

const createPathNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `a/${index}`);

describe("the limit maxConnectionsPerHost", () => {
  it.each<[string, LineAccess, Partial<CoreLimits>, number]>([
    ["8 connections of a scheme without a pool by default", accessWithoutReuse, {}, 8],
    ["8 connections of a scheme with a pool by default", accessWithPool, {}, 8],
    ["3 connections of a scheme without a pool", accessWithoutReuse, { maxConnectionsPerHost: 3 }, 3],
    ["3 connections of a scheme with a pool", accessWithPool, { maxConnectionsPerHost: 3 }, 3],
    [
      "any number of connections of a scheme without a pool when the limit is Infinity",
      accessWithoutReuse,
      { maxConnectionsPerHost: Infinity },
      20,
    ],
  ])("maxConnectionsPerHost allows %s", async (_, access, limits, most) => {
    const { server, get } = await startCountingServer(access, limits);
    const all = Promise.all(createPathNames(20).map((name) => get(name)));
    for (let answered = 0; answered < 20; answered += most)
      await server.release(Math.min(most, 20 - answered));
    expect(await all).toEqual(createPathNames(20).map((name) => `${name}!`));
    expect(server.mostOpen).toBe(most);
    // The requests are served in the order of their arrival.
    expect(server.receivedLines.slice(most)).toEqual(createPathNames(20).slice(most));
    if (access === accessWithPool) expect(server.connections).toBe(most);
  });

  it("maxConnectionsPerHost counts the connections of each server separately", async () => {
    const { server, get, client } = await startCountingServer(accessWithoutReuse, {
      maxConnectionsPerHost: 1,
    });
    const other = await new CountingServer().start();
    const first = get("a");
    const second = client.dereference(`x-line://127.0.0.1:${other.port}/b`);
    await server.release(1);
    await other.release(1);
    await Promise.all([first, second]);
  });

  it("a redirect to the same server can use the connection permit of the previous hop", async () => {
    const location = (): string => `x-line://127.0.0.1:${started.server.port}/end`;
    const started = await startCountingServer(accessWithRedirect, { maxConnectionsPerHost: 1 }, (line) =>
      line === "begin" ? location() : "there",
    );
    const { server, get } = started;
    const all = Promise.all([get("begin"), get("begin")]);
    for (let answered = 0; answered < 4; answered++) await server.release(1);
    expect(await all).toEqual(["there", "there"]);
    expect(server.mostOpen).toBe(1);
  });

  it("an idle connection is closed for a waiting request that cannot use it", async () => {
    const { server, get } = await startCountingServer(accessWithPool, { maxConnectionsPerHost: 2 });
    const first = Promise.all([get("a/1"), get("a/2")]);
    await server.release(2);
    await first;
    const other = get("b/1");
    await server.release(1);
    expect(await other).toBe("b/1!");
    expect(server.connections).toBe(3);
    expect(server.mostOpen).toBe(2);
  });

  it("a request waits for a free connection no longer than callTimeoutMs", async () => {
    const { server, get } = await startCountingServer(accessWithoutReuse, { maxConnectionsPerHost: 1 });
    const first = get("a");
    await expect.poll(() => server.receivedLines).toEqual(["a"]);
    const second = get("b", { limits: { callTimeoutMs: 50 } });
    await expect(second).rejects.toMatchObject({
      code: "timeout",
      limit: "maxConnectionsPerHost",
      reason: `1 connection to 127.0.0.1 port ${server.port} is in use, and none became free in time`,
      advice: "read or close the open resources, or raise the limit maxConnectionsPerHost, which is 1",
    });
    await server.release(1);
    expect(await first).toBe("a!");
    expect(server.receivedLines).toEqual(["a"]);
  });

  it("an aborted request stops waiting for a free connection", async () => {
    const { server, get } = await startCountingServer(accessWithoutReuse, { maxConnectionsPerHost: 1 });
    const first = get("a");
    await expect.poll(() => server.receivedLines).toEqual(["a"]);
    const controller = new AbortController();
    const second = get("b", { signal: controller.signal });
    const third = get("c");
    controller.abort();
    await expect(second).rejects.toMatchObject({
      code: "aborted",
      reason: `the caller aborted the request while 1 connection to 127.0.0.1 port ${server.port} is in use`,
    });
    await server.release(1);
    await server.release(1);
    expect(await Promise.all([first, third])).toEqual(["a!", "c!"]);
  });

  it("client.destroy() rejects the requests that wait for a free connection", async () => {
    const { server, get, client } = await startCountingServer(accessWithoutReuse, {
      maxConnectionsPerHost: 1,
    });
    const both = Promise.allSettled([get("a"), get("b")]);
    await expect.poll(() => server.receivedLines).toEqual(["a"]);
    await client[Symbol.asyncDispose]();
    expect(await both).toMatchObject([{ reason: { code: "aborted" } }, { reason: { code: "aborted" } }]);
    expect(server.connections).toBe(1);
  });

  it("a connection that could not be opened releases its permit", async () => {
    const { get, server, client } = await startCountingServer(accessWithoutReuse, {
      maxConnectionsPerHost: 1,
    });
    const closed = await startScriptedServer(() => undefined);
    await closed.stop();
    for (let count = 0; count < 3; count++)
      await expect(client.dereference(`x-line://127.0.0.1:${closed.port}/a`)).rejects.toMatchObject({
        code: "unavailable",
      });
    const one = get("a");
    await server.release(1);
    expect(await one).toBe("a!");
  });

  it("a failure of openConnection before it connects releases the permit", async () => {
    let count = 0;
    const failTwice: LineAccess = (path, target, context) =>
      context
        .acquireConnection(target, {
          takeIdleConnection: () => undefined,
          openConnection: async (connect) => {
            if (++count <= 2) throw new AccessError("unavailable", "no login");
            return new LineConnection(await connect(target));
          },
        })
        .then((line) => exchangeLine(line, path));
    const { get, server } = await startCountingServer(failTwice, { maxConnectionsPerHost: 1 });
    for (const path of ["a", "b"]) await expect(get(path)).rejects.toMatchObject({ reason: "no login" });
    const third = get("c");
    await server.release(1);
    expect(await third).toBe("c!");
  });

  it("each further connection of openConnection needs a permit of its own", async () => {
    const connectTwice: LineAccess = (path, target, context) =>
      context
        .acquireConnection(target, {
          takeIdleConnection: () => undefined,
          openConnection: async (connect) => {
            await connect(target);
            return new LineConnection(await connect(target));
          },
        })
        .then((line) => exchangeLine(line, path));
    const limits = { maxConnectionsPerHost: 1, callTimeoutMs: 50 };
    const { get, server } = await startCountingServer(connectTwice, limits);
    await expect(get("a")).rejects.toMatchObject({ limit: "maxConnectionsPerHost" });
    expect(server.connections).toBe(1);
  });
});
