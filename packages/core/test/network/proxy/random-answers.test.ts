import { array, asyncProperty, assert, constantFrom, oneof, uint8Array } from "fast-check";
import { expect, it } from "vitest";
import { AccessError } from "../../../src/errors/access-error.ts";
import { connectTo } from "../../../src/network/connect.ts";
import { createConnectionContextWithProxy, startScriptedProxy } from "./scripted-proxy.ts";

const HTTP = { scheme: "x-web", defaultPort: 80, portRange: "default" } as const;

/** Parts of valid answers, and bytes of any value. */
const part = oneof(
  uint8Array({ maxLength: 12 }),
  constantFrom(
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 100 Go\r\n\r\n",
    "HTTP/1.1 407 No\r\n",
    "\r\n",
    "A: b\r\n",
    "\x05\x00",
    "\x05\x02",
    "\x05\xff",
    "\x01\x00",
    "\x01\x01",
    "\x05\x00\x00\x01",
    "\x05\x05\x00\x03\xff",
  ).map((text) => Buffer.from(text, "latin1")),
);

it.each(["http", "socks5"])(
  "any answer of a proxy leads to a connection or an AccessError: %s",
  async (protocol) => {
    const cases = asyncProperty(array(part, { maxLength: 8 }), async (parts) => {
      await using proxy = await startScriptedProxy(async (peer) => {
        await peer.readBytes(3);
        for (const bytes of parts) peer.send(bytes);
      });
      const context = createConnectionContextWithProxy(
        proxy,
        { protocol, login: "joe:needle" },
        { resolverAnswer: ["93.184.216.34"], schemePorts: HTTP },
      );
      const outcome = await connectTo(context, { host: "www.example", port: 80 }).catch(
        (error: unknown) => error,
      );
      if (outcome instanceof AccessError) {
        expect(["proxy", "unavailable"]).toContain(outcome.code);
        expect(outcome.message).not.toMatch(/needle|joe/);
      } else expect(outcome).toHaveProperty("destroyed");
      for (const socket of context.sockets) socket.destroy();
    });
    await assert(cases, { numRuns: 300 });
  },
);
