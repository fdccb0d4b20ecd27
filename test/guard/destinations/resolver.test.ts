import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { AccessError, createClient, publicInternet, anyAddress } from "@anyscheme/core";
import type { Resolver } from "@anyscheme/core/plugin";
import { describe, expect, it } from "vitest";
import { SCHEME_SERVERS } from "../../fixtures/scheme-servers.ts";
import { PORT_ROWS } from "./port-rules.ts";

const GOOD = "127.0.0.1";
const BAD = "127.0.0.2";

interface Trap extends AsyncDisposable {
  readonly port: number;
  /** The addresses that received a connection. */
  readonly reached: readonly string[];
}

/** Starts tripwires at the same port of both addresses, for TCP and UDP. */
async function startTrap(wanted = 0): Promise<Trap> {
  const reached: string[] = [];
  const closes: (() => Promise<unknown>)[] = [];
  let port = wanted;
  for (const address of wanted === 0 ? [GOOD, BAD] : [BAD]) {
    const server = createServer((socket) => {
      reached.push(address);
      socket.destroy();
    });
    server.listen(port, address);
    await once(server, "listening");
    port = (server.address() as { port: number }).port;
    closes.push(() => new Promise((resolve) => server.close(resolve)));
    const socket = createSocket("udp4", () => reached.push(address));
    socket.bind(port, address);
    await once(socket, "listening");
    closes.push(() => new Promise<void>((resolve) => socket.close(resolve)));
  }
  return {
    port,
    reached,
    async [Symbol.asyncDispose]() {
      for (const close of closes) await close();
    },
  };
}

const createFixedResolver = (answers: readonly string[], asked: string[] = []): Resolver => {
  return (name) => (asked.push(name), Promise.resolve(answers));
};

describe.each(Object.keys(SCHEME_SERVERS).filter((name) => name !== "file"))(
  "the DNS lookup of the scheme %s",
  (name) => {
    it("looks a host up once, and uses the address for all connections", async () => {
      const served = await (SCHEME_SERVERS[name] as (typeof SCHEME_SERVERS)[string])();
      const asked: string[] = [];
      {
        await using trap = await startTrap(served.ports[0]);
        await using client = createClient({
          schemes: [served.scheme],
          policy: anyAddress({ allowPorts: { [name]: served.ports } }),
          resolver: (host) => Promise.resolve([asked.push(host) === 1 ? GOOD : BAD]),
        });
        const resource = await client.dereference(served.url);
        if (resource.kind !== "content") throw new Error(`it is a ${resource.kind}`);
        expect((await resource.bytes()).length).toBeGreaterThan(1_000);
        expect(trap.reached).toEqual([]);
      }
      expect(asked).toEqual(["localhost"]);
      await served.stop();
    });
  },
);

describe.each(Object.entries(PORT_ROWS))(
  "the refused DNS answers for the scheme %s",
  (name, { scheme, url }) => {
    it.each<[string, readonly string[], string]>([
      ["nothing", [], "unavailable"],
      ["a good and a bad address", [GOOD, BAD], "refused-address"],
      ["a bad and a good address", [BAD, GOOD], "refused-address"],
      ["a bad address in its IPv4-mapped form", [GOOD, `::ffff:${BAD}`], "refused-address"],
      ["something that is no address", [GOOD, "127.1"], "refused-address"],
      ["a name", ["localhost"], "refused-address"],
      ["an empty text", [GOOD, ""], "refused-address"],
      ["an address with a port", [`${GOOD}:80`], "refused-address"],
    ])("opens no connection when the resolver returns %s", async (_, answers, code) => {
      await using trap = await startTrap();
      const asked: string[] = [];
      await using client = createClient({
        schemes: [scheme(trap.port)],
        policy: publicInternet({ allowAddresses: [GOOD], allowPorts: { [name]: [trap.port] } }),
        resolver: createFixedResolver(answers, asked),
      });
      const work = client
        .dereference(url(trap.port))
        .then((resource) => (resource.kind === "service" ? resource.connect() : undefined));
      const error: unknown = await work.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(AccessError);
      expect((error as AccessError).code).toBe(code);
      expect(asked).toEqual(["h.example"]);
      expect(trap.reached).toEqual([]);
    });

    it("a server that must not be reached records a connection when the policy allows its address", async () => {
      await using trap = await startTrap();
      await using client = createClient({
        schemes: [scheme(trap.port)],
        policy: publicInternet({ allowAddresses: [GOOD], allowPorts: { [name]: [trap.port] } }),
        resolver: createFixedResolver([GOOD]),
        limits: { firstByteTimeoutMs: 200 },
      });
      await client
        .dereference(url(trap.port))
        .then((resource) => (resource.kind === "service" ? resource.connect() : undefined))
        .catch(() => undefined);
      expect(new Set(trap.reached)).toEqual(new Set([GOOD]));
    });
  },
);
