import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { startTestGateway } from "../test-gateway.ts";

const REQUEST_LINES = {
  "a CONNECT request": "CONNECT 127.0.0.1:25 HTTP/1.1",
  "an upgrade request": "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket",
};

/** The ways in which a client ends its connection after it has sent the request. */
const CLIENT_ENDS: Readonly<Record<string, (socket: Socket) => Promise<unknown> | void>> = {
  "resets the connection at once": (socket) => void socket.resetAndDestroy(),
  "resets the connection after the answer": async (socket) => {
    await once(socket, "data");
    socket.resetAndDestroy();
  },
  "closes the connection without reading the answer": async (socket) => {
    // The reading starts only with the listener `readable`, so the answer is in the buffer of the system.
    await once(socket, "readable");
    socket.destroy();
  },
};

async function sendHead(port: number, head: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  await new Promise((done) => socket.write(`${head}\r\nHost: 127.0.0.1:${port}\r\n\r\n`, done));
  return socket;
}

describe("the gateway offers no tunnels and no upgrades", () => {
  it.each(
    Object.entries(REQUEST_LINES).flatMap(([what, head]) =>
      Object.entries(CLIENT_ENDS).map(([how, end]) => [what, how, head, end] as const),
    ),
  )("the gateway still responds after %s whose client %s", async (_, _how, head, end) => {
    await using fixture = await startTestGateway([]);
    const { port } = fixture.gateway;
    for (let count = 0; count < 8; count++) await end(await sendHead(port, head));
    expect((await fixture.request("/")).status).toBe(200);
    // Resolves when every connection of the server has ended.
    await fixture.gateway.close();
  });

  it.each(Object.entries(REQUEST_LINES))(
    "the gateway can be closed after %s whose client keeps the connection open",
    async (_, head) => {
      await using fixture = await startTestGateway([]);
      const socket = await sendHead(fixture.gateway.port, head);
      await once(socket, "data");
      await fixture.gateway.close();
      socket.destroy();
    },
  );

  it.each([
    ["h2c", "127.0.0.1", 200],
    ["websocket", "127.0.0.1", 200],
    ["websocket", "evil.example", 421],
  ])(
    "the gateway ignores the offer to upgrade to %s (RFC 9110 §7.8), with Host: %s",
    async (protocol, host, status) => {
      await using fixture = await startTestGateway([]);
      const socket = connect(fixture.gateway.port, "127.0.0.1");
      socket.write(
        `GET / HTTP/1.1\r\nHost: ${host}:${fixture.gateway.port}\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`,
      );
      const [answer] = (await once(socket, "data")) as [Buffer];
      socket.destroy();
      expect(answer.toString("latin1")).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    },
  );
});
