import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { AccessError } from "../errors/access-error.ts";
import {
  expectAccessError,
  createClientOfSchemeUnderTest,
  dereferenceAndReadResource,
  type SchemeAndServedObject,
} from "./dereference-conformance-checks.ts";
import type { SchemeConformanceCheck } from "./conformance.ts";
import { createTcpOrTlsServer, listenOnLoopback, type LoopbackServer } from "./loopback-server.ts";
import { requireTestServerPort, waitUntilConnectionsClosed } from "./network-conformance-checks.ts";
import { assertErrorCodeIsNotPlugin } from "./plan-conformance-checks.ts";
import { startScriptedServer } from "./scripted-server.ts";

/**
 * The number of bytes after which the endless server stops sending. Buffers of the kernel hold up to about 10 MiB of
 * the sent bytes.
 */
const ENDLESS_BYTES = 16_777_216;

const LIMITS_FOR_ENDLESS_SERVER = {
  maxBodyBytes: 1_048_576,
  maxListingBytes: 1_048_576,
  callTimeoutMs: 10_000,
};

/** The conformance checks for an access method whose server does not keep to the protocol. */
export const HOSTILE_SERVER_CONFORMANCE_CHECKS: readonly SchemeConformanceCheck<SchemeAndServedObject>[] = [
  {
    name: "the scheme stops reading an endless line of a server, and any error is an AccessError",
    requirements: ["content", "network"],
    usesTcpServer: true,
    run: (started) => checkEndlessServer(started, "line"),
  },
  {
    name: "the scheme stops reading an endless body of a server, and any error is an AccessError",
    requirements: ["content", "network"],
    usesTcpServer: true,
    run: (started) => checkEndlessServer(started, "body"),
  },
  {
    name: "an abort while the server is silent rejects the request with aborted, and closes all connections",
    requirements: ["content", "network"],
    usesTcpServer: true,
    async run({ schemeUnderTest, servedObject: served }) {
      const connected = Promise.withResolvers<void>();
      await using server = await startScriptedServer((peer) => {
        connected.resolve();
        return peer.closed;
      });
      await using client = createClientOfSchemeUnderTest(schemeUnderTest, server.port);
      const controller = new AbortController();
      const reading = dereferenceAndReadResource(client, served.url(server.port), {
        signal: controller.signal,
      });
      await Promise.race([connected.promise, reading]);
      // Waits until the scheme has sent its request and started to read.
      for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
      controller.abort();
      await expectAccessError(reading, "aborted");
      await waitUntilConnectionsClosed(server);
    },
  },
];

async function checkEndlessServer(
  { schemeUnderTest, servedObject: served }: SchemeAndServedObject,
  part: "line" | "body",
): Promise<void> {
  let sentBytes = 0;
  const send = (socket: Socket): void => {
    const block = Buffer.alloc(65_536, "x");
    const write = (): void => {
      while (!socket.destroyed && sentBytes < ENDLESS_BYTES) {
        sentBytes += block.length;
        if (!socket.write(block)) return;
      }
      socket.end();
    };
    socket.on("drain", write);
    write();
  };
  await using server = await startEndlessServer(
    { schemeUnderTest, servedObject: served },
    part === "line" ? undefined : served.bytes,
    send,
  );
  await using client = createClientOfSchemeUnderTest(schemeUnderTest, server.port);
  const reading = dereferenceAndReadResource(client, served.url(server.port), {
    limits: LIMITS_FOR_ENDLESS_SERVER,
  });
  // A scheme whose protocol states the size of the body may stop reading at that size, without an error.
  const outcome: unknown = await reading.catch((error: unknown) => error);
  assert.ok(
    sentBytes < ENDLESS_BYTES,
    `the scheme read ${ENDLESS_BYTES} bytes of an endless ${part}, and has no limit for it`,
  );
  if (outcome instanceof Error) assert.ok(outcome instanceof AccessError, String(outcome));
  assertErrorCodeIsNotPlugin(outcome);
}

/**
 * Starts a server whose bytes never end. Without `body`, the hostile test server sends an endless first line. With
 * `body`, the hostile test server first relays the bytes of the scheme's own test server, up to half of the body or to
 * the end of the connection.
 */
function startEndlessServer(
  { schemeUnderTest: { tls }, servedObject }: SchemeAndServedObject,
  body: Uint8Array | undefined,
  sendEndlessBytes: (socket: Socket) => void,
): Promise<LoopbackServer> {
  const beginning = body?.subarray(0, Math.ceil(body.length / 2));
  return listenOnLoopback(createTcpOrTlsServer(tls), "127.0.0.1", (client, recording) => {
    client.on("data", (bytes: Buffer) => recording.addReceived(bytes));
    if (!beginning) {
      sendEndlessBytes(client);
      return;
    }
    const target = { host: "127.0.0.1", port: requireTestServerPort(servedObject), allowHalfOpen: true };
    const upstream = tls
      ? connectTls({ ...target, ca: tls.cert, checkServerIdentity: () => undefined })
      : connect(target);
    let isEndless = false;
    const start = (): void => {
      if (isEndless) return;
      isEndless = true;
      upstream.destroy();
      sendEndlessBytes(client);
    };
    client.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      recording.addSent(bytes);
      const end = recording.sent.indexOf(beginning);
      const surplus = end < 0 ? 0 : recording.sent.length - end - beginning.length;
      client.write(bytes.subarray(0, bytes.length - surplus));
      if (end >= 0) start();
    });
    upstream.on("error", start).once("end", start);
    client.once("close", () => upstream.destroy());
  });
}
