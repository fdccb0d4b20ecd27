import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type IdleOrNewConnectionRequest,
  ConnectionLimiter,
  ConnectionLimiterPermit,
  ConnectionsToServer,
} from "../../../src/client/connection-limiter.ts";

afterEach(() => void vi.useRealTimers());

const neverAbortedSignal = new AbortController().signal;
const createConnectionRequest = (
  init: Partial<IdleOrNewConnectionRequest<string>> = {},
): IdleOrNewConnectionRequest<string> => ({
  takeIdleConnection: () => undefined,
  maxConnections: Infinity,
  wasRefusedBefore: false,
  ...init,
});

/** Acquires the permit for a connection, and records that the server has accepted the connection. */
function openAcceptedConnection(server: ConnectionsToServer): ConnectionLimiterPermit {
  const permit = server.tryAcquire(createConnectionRequest());
  if (!(permit instanceof ConnectionLimiterPermit)) throw new TypeError("no permit");
  permit.markEstablished();
  return permit;
}

describe("ConnectionsToServer", () => {
  it("the limiter serves waiting requests in order, except that a request that the server has refused comes first", async () => {
    const server = new ConnectionsToServer();
    let permit = openAcceptedConnection(server);
    const served: string[] = [];
    const wait = async (name: string, again = false): Promise<void> => {
      const granted = await server.waitForConnection(
        createConnectionRequest({ maxConnections: 1, wasRefusedBefore: again }),
        neverAbortedSignal,
      );
      if (granted instanceof ConnectionLimiterPermit) permit = granted;
      served.push(name);
    };
    const all = [wait("first"), wait("second"), wait("refused", true)];
    for (const _ of all) {
      permit.release();
      await new Promise(setImmediate);
    }
    await Promise.all(all);
    expect(served).toEqual(["refused", "first", "second"]);
  });

  it("an idle connection goes to the first waiting request that can use it", async () => {
    const server = new ConnectionsToServer();
    const permit = openAcceptedConnection(server);
    let idle: string | undefined;
    const take = (): string | undefined => {
      const found = idle;
      idle = undefined;
      return found;
    };
    const first = server.waitForConnection(
      createConnectionRequest({ maxConnections: 1, takeIdleConnection: take }),
      neverAbortedSignal,
    );
    const second = server.waitForConnection(
      createConnectionRequest({ maxConnections: 1, takeIdleConnection: take }),
      neverAbortedSignal,
    );
    idle = "one";
    // A later request must also wait.
    expect(
      server.tryAcquire(createConnectionRequest({ maxConnections: 1, takeIdleConnection: take })),
    ).toBeUndefined();
    server.markIdle(permit, () => undefined);
    expect(await first).toBe("one");
    idle = "two";
    server.markIdle(permit, () => undefined);
    expect(await second).toBe("two");
  });

  it("the limiter closes the oldest idle connection for each waiting request that cannot use any", async () => {
    const server = new ConnectionsToServer();
    const closed: string[] = [];
    const permits = ["oldest", "newer"].map((name) => {
      const permit = openAcceptedConnection(server);
      server.markIdle(permit, () => void closed.push(name));
      return permit;
    });
    const ask = createConnectionRequest({ maxConnections: 2 });
    expect(server.tryAcquire(ask)).toBeUndefined();
    const waiting = server.waitForConnection(ask, neverAbortedSignal);
    server.serveWaitingRequests();
    expect(closed).toEqual(["oldest"]);
    permits[0]?.release();
    expect(await waiting).toBeInstanceOf(ConnectionLimiterPermit);
    expect(server.openCount).toBe(2);
  });

  it("the limiter permits no more connections than the server accepts, until a minute has passed since its refusal", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const server = new ConnectionsToServer();
    openAcceptedConnection(server);
    openAcceptedConnection(server);
    const third = server.tryAcquire(createConnectionRequest()) as ConnectionLimiterPermit;
    expect(server.recordRefusal(third)).toBe("wait");
    third.release();
    expect(server.isServerLimitBelow(3)).toBe(true);
    expect(server.tryAcquire(createConnectionRequest())).toBeUndefined();
    vi.advanceTimersByTime(60_001);
    expect(server.tryAcquire(createConnectionRequest())).toBeInstanceOf(ConnectionLimiterPermit);
  });

  it("the limiter permits one connection fewer when the server refuses a request on an established connection", () => {
    const server = new ConnectionsToServer();
    const permits = [openAcceptedConnection(server), openAcceptedConnection(server)];
    expect(server.recordRefusal(undefined)).toBe("wait");
    permits[0]?.release();
    expect(server.tryAcquire(createConnectionRequest())).toBeUndefined();
  });

  it.each([
    [0, "soon"],
    [499, "soon"],
    [501, "never"],
  ] as const)("a refusal %i ms after the last connection has closed is retried: %s", (ms, outlook) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const server = new ConnectionsToServer();
    openAcceptedConnection(server).release();
    vi.advanceTimersByTime(ms);
    expect(
      server.recordRefusal(server.tryAcquire(createConnectionRequest()) as ConnectionLimiterPermit),
    ).toBe(outlook);
  });

  it("a refusal without any earlier connection is never retried", () => {
    const server = new ConnectionsToServer();
    expect(
      server.recordRefusal(server.tryAcquire(createConnectionRequest()) as ConnectionLimiterPermit),
    ).toBe("never");
  });

  it("a request that is opening a connection gets an idle connection before the waiting requests", async () => {
    const server = new ConnectionsToServer();
    const permit = openAcceptedConnection(server);
    const free = ["kept"];
    const take = (): string | undefined => free.shift();
    let isServed = false;
    void server
      .waitForConnection(
        createConnectionRequest({ maxConnections: 1, takeIdleConnection: take }),
        neverAbortedSignal,
      )
      .then(() => (isServed = true));
    const meanwhile = server.watchForIdleConnection(take);
    server.markIdle(permit, () => undefined);
    expect(await meanwhile.idleConnection).toBe("kept");
    expect(meanwhile.stopWatching()).toBe("kept");
    expect(isServed).toBe(false);
  });

  it("a request whose callback throws when a connection becomes idle fails, and the next request is served", async () => {
    const server = new ConnectionsToServer();
    const permit = openAcceptedConnection(server);
    const throwFault = (): never => {
      throw new Error("a fault");
    };
    const waiting = server.waitForConnection(
      createConnectionRequest({ maxConnections: 1, takeIdleConnection: throwFault }),
      neverAbortedSignal,
    );
    const next = server.waitForConnection(
      createConnectionRequest({ maxConnections: 1, takeIdleConnection: () => "kept" }),
      neverAbortedSignal,
    );
    const { idleConnection } = server.watchForIdleConnection(throwFault);
    server.markIdle(permit, () => undefined);
    await expect(waiting).rejects.toThrow("a fault");
    await expect(idleConnection).rejects.toThrow("a fault");
    expect(await next).toBe("kept");
  });

  it("an aborted request leaves the queue, and the next request is served", async () => {
    const server = new ConnectionsToServer();
    openAcceptedConnection(server);
    const controller = new AbortController();
    const first = server.waitForConnection(createConnectionRequest({ maxConnections: 1 }), controller.signal);
    const second = server.waitForConnection(
      createConnectionRequest({ maxConnections: 2 }),
      neverAbortedSignal,
    );
    controller.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    expect(await second).toBeInstanceOf(ConnectionLimiterPermit);
  });

  it("a permit that is released twice frees one connection", () => {
    const server = new ConnectionsToServer();
    const permit = openAcceptedConnection(server);
    permit.release();
    permit.release();
    permit.markEstablished();
    expect(server.openCount).toBe(0);
    expect(server.isUnused).toBe(true);
  });
});

describe("ConnectionLimiter", () => {
  it("ConnectionLimiter counts the connections of each host and port separately", () => {
    const limiter = new ConnectionLimiter();
    const one = limiter.connectionsTo({ host: "h.example", port: 21 });
    expect(limiter.connectionsTo({ host: "h.example", port: 21 })).toBe(one);
    expect(limiter.connectionsTo({ host: "h.example", port: 2121 })).not.toBe(one);
    expect(limiter.connectionsTo({ host: "g.example", port: 21 })).not.toBe(one);
  });

  it("ConnectionLimiter removes servers without connections when there are more than 1 024 servers", () => {
    const limiter = new ConnectionLimiter();
    const busy = limiter.connectionsTo({ host: "busy", port: 1 });
    const idle = limiter.connectionsTo({ host: "idle", port: 1 });
    openAcceptedConnection(busy);
    for (let port = 1; port <= 1_022; port++) limiter.connectionsTo({ host: "other", port });
    expect(limiter.connectionsTo({ host: "idle", port: 1 })).toBe(idle);
    limiter.connectionsTo({ host: "other", port: 1_023 });
    expect(limiter.connectionsTo({ host: "busy", port: 1 })).toBe(busy);
    expect(limiter.connectionsTo({ host: "idle", port: 1 })).not.toBe(idle);
  });
});
