import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { openDatagramSocket } from "../../src/network/udp.ts";
import type { DatagramSocket } from "../../src/scheme/context.ts";
import { catchAccessError } from "../catch-access-error.ts";
import {
  createRecordingConnectionContext,
  type RecordingConnectionContext,
} from "./recording-connection-context.ts";

const REFUSING_ADDRESS = "127.0.0.2";
const SILENT_ADDRESS = "127.0.0.3";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** Starts a server that sends every datagram back, and a silent server at the same port of another address. */
async function startEchoAndSilentServer(): Promise<{
  port: number;
  silentSeen: string[];
  echoSeen: string[];
}> {
  const echoSeen: string[] = [];
  const silentSeen: string[] = [];
  const echo = createSocket("udp4", (bytes, from) => {
    echoSeen.push(bytes.toString());
    echo.send(bytes, from.port, from.address);
  });
  open.push(echo);
  echo.bind(0, "127.0.0.1");
  await once(echo, "listening");
  const { port } = echo.address();
  const silent = createSocket("udp4", (bytes) => silentSeen.push(bytes.toString()));
  open.push(silent);
  silent.bind(port, SILENT_ADDRESS);
  await once(silent, "listening");
  return { port, silentSeen, echoSeen };
}

async function openSocketTo(
  resolverAnswer: readonly string[],
  port: number,
): Promise<{ peer: DatagramSocket; context: RecordingConnectionContext }> {
  const context = createRecordingConnectionContext({ resolverAnswer });
  const peer = await openDatagramSocket(context, { host: "name.example", port });
  open.push(peer);
  return { peer, context };
}

const receiveText = async (peer: DatagramSocket, timeoutMs = 5_000): Promise<string | undefined> =>
  (await peer.receive({ timeoutMs }))?.toString();

describe("a datagram socket for a host with several addresses", () => {
  it("the datagram socket changes to the next address when an address rejects datagrams, and sends all datagrams again", async () => {
    const { port, echoSeen } = await startEchoAndSilentServer();
    const { peer, context } = await openSocketTo([REFUSING_ADDRESS, "127.0.0.1"], port);
    await peer.send(Buffer.from("one"));
    await peer.send(Buffer.from("two"));
    expect([await receiveText(peer), await receiveText(peer)]).toEqual(["one", "two"]);
    expect(echoSeen).toEqual(["one", "two"]);
    const connects = context.events.filter(({ action }) => action === "connect");
    expect(connects.map(({ text }) => text)).toEqual(
      [REFUSING_ADDRESS, "127.0.0.1"].map((address) => `${address} port ${port}, by datagrams`),
    );
  });

  it("the datagram socket changes to the next address after a timeout, and back after another timeout", async () => {
    const { port, silentSeen, echoSeen } = await startEchoAndSilentServer();
    const { peer } = await openSocketTo([SILENT_ADDRESS, "127.0.0.1"], port);
    await peer.send(Buffer.from("one"));
    expect(await receiveText(peer, 20)).toBeUndefined();
    expect(await receiveText(peer, 20)).toBeUndefined();
    await peer.send(Buffer.from("two"));
    expect(await receiveText(peer, 20)).toBeUndefined();
    await peer.send(Buffer.from("three"));
    expect(await receiveText(peer)).toBe("three");
    expect([silentSeen, echoSeen]).toEqual([["one", "two"], ["three"]]);
  });

  it("the datagram socket keeps the address that has answered", async () => {
    const { port, silentSeen } = await startEchoAndSilentServer();
    const { peer } = await openSocketTo(["127.0.0.1", SILENT_ADDRESS], port);
    await peer.send(Buffer.from("one"));
    expect(await receiveText(peer)).toBe("one");
    expect(await receiveText(peer, 20)).toBeUndefined();
    await peer.send(Buffer.from("two"));
    expect(await receiveText(peer)).toBe("two");
    expect(silentSeen).toEqual([]);
  });

  it("the datagram socket fails when every address rejects datagrams", async () => {
    const { port } = await startEchoAndSilentServer();
    const { peer } = await openSocketTo([REFUSING_ADDRESS, "127.0.0.4"], port);
    await peer.send(Buffer.from("one"));
    const error = await catchAccessError(receiveText(peer));
    expect(error).toMatchObject({ code: "unavailable" });
    expect(error.message).toMatch(/cannot send datagrams to 127\.0\.0\.4 port \d+: connection refused/);
  });

  it("the datagram socket opens no further socket after close", async () => {
    const { port } = await startEchoAndSilentServer();
    const { peer, context } = await openSocketTo([REFUSING_ADDRESS, "127.0.0.1"], port);
    const receiving = catchAccessError(receiveText(peer));
    peer.close();
    expect(await receiving).toMatchObject({ code: "aborted" });
    expect(context.events.filter(({ action }) => action === "connect")).toHaveLength(1);
  });
});
