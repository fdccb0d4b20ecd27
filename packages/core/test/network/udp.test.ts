import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { openDatagramSocket } from "../../src/network/udp.ts";
import { publicInternet, anyAddress } from "../../src/policy/policy.ts";
import type { DatagramSocket } from "../../src/scheme/context.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createRecordingConnectionContext } from "./recording-connection-context.ts";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function bindUdpSocket(address = "127.0.0.1", port = 0): Promise<{ socket: Socket; port: number }> {
  const socket = createSocket("udp4");
  socket.bind(port, address);
  await once(socket, "listening");
  open.push(socket);
  return { socket, port: socket.address().port };
}

/** Starts a server that sends every datagram back. */
async function echo(address?: string): Promise<{ socket: Socket; port: number; seen: string[] }> {
  const server = await bindUdpSocket(address);
  const seen: string[] = [];
  server.socket.on("message", (bytes, from) => {
    seen.push(bytes.toString());
    server.socket.send(bytes, from.port, from.address);
  });
  return { ...server, seen };
}

async function openTestSocket(
  context = createRecordingConnectionContext(),
  port: number,
  host = "127.0.0.1",
): Promise<DatagramSocket> {
  const peer = await openDatagramSocket(context, { host, port });
  open.push(peer);
  return peer;
}

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();

describe("datagrams of a guarded socket", () => {
  it("the client sends datagrams to the peer and receives its datagrams unchanged", async () => {
    const { port, seen } = await echo();
    const context = createRecordingConnectionContext({ resolverAnswer: ["127.0.0.1"] });
    const peer = await openTestSocket(context, port, "name.example");
    await peer.send(Buffer.from("one"));
    await peer.send(Buffer.from("two"));
    expect([text(await peer.receive()), text(await peer.receive())]).toEqual(["one", "two"]);
    expect(seen).toEqual(["one", "two"]);
    expect(context.lookedUpHosts).toEqual(["name.example"]);
    expect(context.events).toEqual([
      { action: "resolve", text: "name.example is 127.0.0.1" },
      { action: "connect", text: `127.0.0.1 port ${port}, by datagrams` },
    ]);
  });

  it("a datagram socket queues received datagrams up to maxQueuedDatagrams, and drops the others", async () => {
    const { port } = await echo();
    const peer = await openTestSocket(
      createRecordingConnectionContext({ limits: { maxQueuedDatagrams: 2 } }),
      port,
    );
    for (const word of ["one", "two", "three", "four"]) await peer.send(Buffer.from(word));
    // An echo on a second socket shows that the earlier echoes have arrived.
    const other = await openTestSocket(createRecordingConnectionContext(), port);
    await other.send(Buffer.from("after"));
    await other.receive();
    expect([text(await peer.receive()), text(await peer.receive())]).toEqual(["one", "two"]);
    expect(await peer.receive({ timeoutMs: 0 })).toBeUndefined();
  });

  it("the client accepts datagrams only from the address and port of the peer", async () => {
    const server = await bindUdpSocket();
    const peer = await openTestSocket(createRecordingConnectionContext(), server.port);
    await peer.send(Buffer.from("hello"));
    const [, from] = (await once(server.socket, "message")) as [Buffer, { port: number; address: string }];
    const neighbour = await bindUdpSocket();
    const elsewhere = await bindUdpSocket("127.0.0.2", server.port);
    for (const [word, { socket }] of Object.entries({ neighbour, elsewhere, server })) {
      await new Promise((sent) => socket.send(word, from.port, from.address, sent));
    }
    expect(text(await peer.receive())).toBe("server");
    expect(await peer.receive({ timeoutMs: 0 })).toBeUndefined();
  });

  it("the client uses the next address when the system refuses the first address", async () => {
    const { port } = await echo();
    // The system refuses broadcasts from sockets without the broadcast option.
    const context = createRecordingConnectionContext({ resolverAnswer: ["255.255.255.255", "127.0.0.1"] });
    const peer = await openTestSocket(context, port, "name.example");
    await peer.send(Buffer.from("x"));
    expect(text(await peer.receive())).toBe("x");
    expect([context.lookedUpHosts, context.datagramHandles.size]).toEqual([["name.example"], 1]);
    const nowhere = createRecordingConnectionContext({ resolverAnswer: ["255.255.255.255"] });
    expect((await catchAccessError(openDatagramSocket(nowhere, { host: "name.example", port }))).code).toBe(
      "unavailable",
    );
    expect(nowhere.datagramHandles.size).toBe(0);
  });
});

describe("refused datagram targets receive nothing", () => {
  it.each([
    ["refused-port", "name.example", 25, publicInternet()],
    ["refused-port", "name.example", 0, anyAddress()],
    ["refused-port", "name.example", 65536, anyAddress()],
    ["refused-name", "localhost", 7, publicInternet()],
    ["refused-name", "127.1", 7, anyAddress()],
    ["refused-address", "127.0.0.1", 7, publicInternet()],
    ["refused-address", "::1", 7, publicInternet()],
    ["refused-address", "8.8.8.8", 7, publicInternet(), ["10.0.0.1"]],
  ] as const)(
    "the client fails with %s for datagrams to the host %s and port %i",
    async (code, host, port, policy, answers: readonly string[] = ["8.8.8.8", "127.0.0.1"]) => {
      const name = answers.length === 1 ? "name.example" : host;
      const context = createRecordingConnectionContext({ policy, resolverAnswer: answers });
      expect((await catchAccessError(openDatagramSocket(context, { host: name, port }))).code).toBe(code);
      expect(context.datagramHandles.size).toBe(0);
    },
  );

  it("the guard calls confirmPort for datagrams as for connections", async () => {
    const { port } = await echo();
    const portClass = { scheme: "x-echo", defaultPort: 7, portRange: "default" } as const;
    const refused = createRecordingConnectionContext({ schemePorts: portClass });
    expect((await catchAccessError(openDatagramSocket(refused, { host: "127.0.0.1", port }))).code).toBe(
      "refused-port",
    );
    const asked = createRecordingConnectionContext({
      schemePorts: portClass,
      policy: anyAddress({ confirmPort: () => true }),
    });
    (await openDatagramSocket(asked, { host: "127.0.0.1", port })).close();
  });
});

describe("receive stops waiting for datagrams", () => {
  it("receive returns undefined after timeoutMs without a datagram", async () => {
    const { port } = await bindUdpSocket();
    const peer = await openTestSocket(createRecordingConnectionContext(), port);
    expect(await peer.receive({ timeoutMs: 1 })).toBeUndefined();
    expect(await peer.receive({ timeoutMs: -1 })).toBeUndefined();
  });

  it("the abort of the request rejects a pending receive and all later ones", async () => {
    const controller = new AbortController();
    const { port } = await bindUdpSocket();
    const peer = await openTestSocket(createRecordingConnectionContext({ signal: controller.signal }), port);
    const waiting = peer.receive();
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(peer.receive()).rejects.toThrow("enough");
  });

  it("the abort of one receive call leaves the datagram socket usable", async () => {
    const { port } = await echo();
    const peer = await openTestSocket(createRecordingConnectionContext(), port);
    const controller = new AbortController();
    const waiting = peer.receive({ signal: controller.signal });
    controller.abort(new Error("not now"));
    await expect(waiting).rejects.toThrow("not now");
    await peer.send(Buffer.from("again"));
    expect(text(await peer.receive())).toBe("again");
  });

  it("an aborted request opens no datagram socket", async () => {
    const { port } = await echo();
    const context = createRecordingConnectionContext({ signal: AbortSignal.abort(new Error("enough")) });
    await expect(openDatagramSocket(context, { host: "127.0.0.1", port })).rejects.toThrow("enough");
    expect(context.datagramHandles.size).toBe(0);
  });

  it("close ends a pending receive and reports the closed datagram socket once", async () => {
    const { port } = await echo();
    const context = createRecordingConnectionContext();
    const peer = await openDatagramSocket(context, { host: "127.0.0.1", port });
    expect(context.datagramHandles.size).toBe(1);
    const waiting = catchAccessError(peer.receive());
    for (const socket of context.datagramHandles) socket.close();
    peer.close();
    expect((await waiting).code).toBe("aborted");
    expect(context.datagramHandles.size).toBe(0);
    expect((await catchAccessError(peer.send(Buffer.from("x")))).code).toBe("aborted");
    expect((await catchAccessError(peer.receive())).code).toBe("aborted");
  });

  it("receive fails at once when no server listens at the port", async () => {
    const { port, socket } = await bindUdpSocket();
    socket.close();
    open.splice(0);
    const peer = await openTestSocket(createRecordingConnectionContext(), port);
    await peer.send(Buffer.from("x"));
    expect(await catchAccessError(peer.receive())).toMatchObject({
      code: "unavailable",
      message: `cannot send datagrams to 127.0.0.1 port ${port}: connection refused (ECONNREFUSED)`,
    });
  });

  it("sending a datagram that the system rejects fails with unavailable", async () => {
    const { port } = await echo();
    const peer = await openTestSocket(createRecordingConnectionContext(), port);
    expect((await catchAccessError(peer.send(new Uint8Array(70_000)))).code).toBe("unavailable");
  });
});
