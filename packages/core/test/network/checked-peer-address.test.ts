import { once } from "node:events";
import { connect, Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AccessError } from "../../src/errors/access-error.ts";
import { connectTo } from "../../src/network/connect.ts";
import { BAD_PORTS } from "../../src/policy/ports.ts";
import { getGuardedSocketInfo } from "../../src/network/connect.ts";
import { anyAddress, publicInternet } from "../../src/policy/policy.ts";
import type { LoopbackServer } from "../../src/testing/index.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { startSilentServer } from "../silent-server.ts";
import {
  createRecordingConnectionContext,
  type RecordingConnectionContext,
} from "./recording-connection-context.ts";

let server: LoopbackServer;
beforeAll(async () => {
  server = await startSilentServer();
});
afterAll(() => server.stop());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const getServerTarget = (): { host: string; port: number } => ({ host: "127.0.0.1", port: server.port });

/** Makes the socket report the given address of its peer. */
function setPeerAddress(socket: Socket, address: string | undefined): void {
  Object.defineProperty(socket, "remoteAddress", { value: address, configurable: true });
}

/** Creates a context whose sockets have the given peer. */
function createContextWithPeer(address: string | undefined): RecordingConnectionContext {
  const context = createRecordingConnectionContext();
  return {
    ...context,
    onSocket(socket) {
      context.onSocket(socket);
      setPeerAddress(socket, address);
    },
  };
}

describe("the guard starts a connection synchronously, and none after an abort", () => {
  it("connectTo connects synchronously to a host that is an IP address", async () => {
    const context = createRecordingConnectionContext();
    const connecting = connectTo(context, getServerTarget());
    expect(context.sockets).toHaveLength(1);
    (await connecting).destroy();
  });

  it("the guard opens no further connection to a peer after an abort", async () => {
    const first = await connectTo(createRecordingConnectionContext(), getServerTarget());
    const signal = AbortSignal.abort(new AccessError("aborted", "enough"));
    const context = createRecordingConnectionContext({ signal });
    const error = await catchAccessError(connectTo(context, { samePeerAs: first, port: server.port }));
    expect(error.code).toBe("aborted");
    expect(context.sockets).toEqual([]);
    first.destroy();
  });
});

describe("the guard checks the address of a connection's peer", () => {
  const reset = { message: "the connection was closed", code: "ECONNRESET" };

  it.each<[string, string | undefined, string, string, object | undefined]>([
    [
      "another address",
      "127.0.0.2",
      "refused-address",
      "the connection leads to 127.0.0.2 and not to the checked address 127.0.0.1",
      undefined,
    ],
    [
      "an address of the other address family",
      "::1",
      "refused-address",
      "the connection leads to ::1 and not to the checked address 127.0.0.1",
      undefined,
    ],
    [
      "unknown, because the connection has closed",
      undefined,
      "unavailable",
      "connection closed by the server",
      reset,
    ],
  ])(
    "the guard refuses a connection whose peer is %s, before the first byte",
    async (_, address, code, what, cause) => {
      const context = createContextWithPeer(address);
      const error = await catchAccessError(connectTo(context, getServerTarget()));
      expect(error.code).toBe(code);
      expect(error.reason).toContain(what);
      if (cause) expect(error.cause).toMatchObject(cause);
      else expect(error.cause).toBeUndefined();
      expect(context.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
      expect(getGuardedSocketInfo(context.sockets[0] as Socket)).toBeUndefined();
      expect(context.events).toEqual([]);
    },
  );

  it.each(["127.0.0.1", "::ffff:127.0.0.1", "::FFFF:7f00:1"])(
    "the guard accepts the peer address 127.0.0.1 in the spelling %s",
    async (text) => {
      const context = createContextWithPeer(text);
      const socket = await connectTo(context, getServerTarget());
      expect(getGuardedSocketInfo(socket)?.host).toBe("127.0.0.1");
      socket.destroy();
    },
  );
});

describe("a data connection to the peer of an open connection", () => {
  it("a data connection requires a control connection that the guard has opened", async () => {
    const stranger = connect(server.port, "127.0.0.1");
    await once(stranger, "connect");
    const context = createRecordingConnectionContext();
    expect(
      await catchAccessError(connectTo(context, { samePeerAs: stranger, port: server.port })),
    ).toMatchObject({
      code: "refused-address",
      reason: "a data connection requires an open connection of the guard to the same peer",
    });
    expect(context.sockets).toEqual([]);
    stranger.destroy();
  });

  it("a data connection requires a control connection that is still open", async () => {
    const context = createRecordingConnectionContext();
    const first = await connectTo(context, getServerTarget());
    setPeerAddress(first, undefined);
    const gone = {
      code: "unavailable",
      reason: "the control connection of the data connection is closed",
    };
    expect(
      await catchAccessError(connectTo(context, { samePeerAs: first, port: server.port })),
    ).toMatchObject(gone);
    setPeerAddress(first, "127.0.0.1");
    first.destroy();
    expect(
      await catchAccessError(connectTo(context, { samePeerAs: first, port: server.port })),
    ).toMatchObject(gone);
    expect(context.sockets).toHaveLength(1);
  });

  it("a data connection may use only ports from 1024 to 65535", async () => {
    const context = createRecordingConnectionContext();
    const first = await connectTo(context, getServerTarget());
    for (const [port, reason] of [
      [0, "0 is not a valid port"],
      [1023, "port 1023 is below 1024"],
      [65_536, "65536 is not a valid port"],
    ] as const)
      expect(await catchAccessError(connectTo(context, { samePeerAs: first, port }))).toMatchObject({
        code: "refused-port",
        reason: `the server offered port ${port} for the data connection: ${reason}`,
      });
    expect(context.sockets).toHaveLength(1);
    vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket) {
      process.nextTick(() => this.destroy(new Error("nobody there")));
      return this;
    });
    for (const port of [1024, 65_535])
      expect((await catchAccessError(connectTo(context, { samePeerAs: first, port }))).code).toBe(
        "unavailable",
      );
    expect(context.sockets).toHaveLength(3);
    first.destroy();
  });
});

describe("the port of a data connection", () => {
  const bad = [...BAD_PORTS].filter((port) => port >= 1024);

  it.each(bad)(
    "the guard refuses a data connection to the port %i, which belongs to another protocol",
    async (port) => {
      const context = createRecordingConnectionContext();
      const first = await connectTo(context, getServerTarget());
      const failure = await catchAccessError(connectTo(context, { samePeerAs: first, port }));
      expect(failure).toMatchObject({
        code: "refused-port",
        reason: `the server offered port ${port} for the data connection: port ${port} belongs to another protocol`,
      });
      expect(context.sockets).toHaveLength(1);
      first.destroy();
    },
  );

  it.each([
    [
      "a data connection may use a port that the caller has allowed for the scheme",
      { "x-echo": [6667] },
      6667,
      "unavailable",
    ],
    [
      "a data connection may not use a port that is allowed for another scheme",
      { ftp: [6667] },
      6667,
      "refused-port",
    ],
    ["a data connection may not use an allowed port below 1024", { "x-echo": [21] }, 21, "refused-port"],
  ])("%s", async (_, allowPorts, port, code) => {
    const context = createRecordingConnectionContext({ policy: anyAddress({ allowPorts }) });
    const first = await connectTo(context, getServerTarget());
    vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket) {
      process.nextTick(() => this.destroy(new Error("nobody there")));
      return this;
    });
    expect((await catchAccessError(connectTo(context, { samePeerAs: first, port }))).code).toBe(code);
    first.destroy();
  });

  it.each([
    ["private", "unavailable"],
    ["public", "refused-port"],
  ] as const)(
    "a data connection to a private server that a %s server has named fails with %s",
    async (referringServerNetwork, code) => {
      const first = await connectTo(createRecordingConnectionContext(), getServerTarget());
      vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket) {
        process.nextTick(() => this.destroy(new Error("nobody there")));
        return this;
      });
      const requestPolicy = anyAddress({
        allowPorts: { "x-echo": [6667] },
        redirectPolicy: publicInternet(),
      });
      const context = createRecordingConnectionContext({
        policySelectionInput: {
          requestPolicy,
          targetNamedBy: "server",
          referringServerNetwork: referringServerNetwork,
        },
      });
      const failure = await catchAccessError(connectTo(context, { samePeerAs: first, port: 6667 }));
      expect(failure.code).toBe(code);
      first.destroy();
    },
  );
});

describe("the time limit for connecting", () => {
  /** Installs sockets that never connect, and a fake clock. */
  function silence(): void {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    vi.spyOn(Socket.prototype, "connect").mockReturnThis();
  }

  it("the attempt to connect to a single address may take the whole connectTimeoutMs", async () => {
    silence();
    const context = createRecordingConnectionContext({ limits: { connectTimeoutMs: 1_000 } });
    const outcome = catchAccessError(connectTo(context, { host: "127.0.0.1", port: 7 }));
    await vi.advanceTimersByTimeAsync(999);
    expect(context.sockets.map(({ destroyed }) => destroyed)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await outcome).code).toBe("timeout");
  });
});
