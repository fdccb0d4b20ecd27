import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { AccessError, createClient, publicInternet, anyAddress } from "@anyscheme/core";
import type { Resolver } from "@anyscheme/core/plugin";
import { describe, expect, it } from "vitest";
import { SCHEME_SERVER_STARTERS } from "../../fixtures/scheme-server-starters.ts";
import { EXPECTED_SCHEME_PORT_RULES } from "./expected-allowed-ports.ts";

const ALLOWED_ADDRESS = "127.0.0.1";
const FORBIDDEN_ADDRESS = "127.0.0.2";

/** Servers at the same port of two loopback addresses, which record connections. */
interface LoopbackRecordingServers extends AsyncDisposable {
  readonly port: number;
  /** The addresses of the servers that received a connection or a datagram. */
  readonly contactedAddresses: readonly string[];
}

/**
 * Starts servers for TCP and UDP at the same port of the allowed and the forbidden address. With a given port, starts a
 * server only at the forbidden address.
 */
async function startLoopbackRecordingServers(fixedPort = 0): Promise<LoopbackRecordingServers> {
  const reached: string[] = [];
  const closes: (() => Promise<unknown>)[] = [];
  let port = fixedPort;
  for (const address of fixedPort === 0 ? [ALLOWED_ADDRESS, FORBIDDEN_ADDRESS] : [FORBIDDEN_ADDRESS]) {
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
    contactedAddresses: reached,
    async [Symbol.asyncDispose]() {
      for (const close of closes) await close();
    },
  };
}

const createFixedResolver = (answers: readonly string[], lookedUpNames: string[] = []): Resolver => {
  return (name) => (lookedUpNames.push(name), Promise.resolve(answers));
};

describe.each(Object.keys(SCHEME_SERVER_STARTERS).filter((name) => name !== "file"))(
  "the guard checks the DNS answers for the scheme %s",
  (name) => {
    it("the client looks a host up once, and uses the address for all connections of the request", async () => {
      const served = await (SCHEME_SERVER_STARTERS[name] as (typeof SCHEME_SERVER_STARTERS)[string])();
      const lookedUpNames: string[] = [];
      {
        await using tripwires = await startLoopbackRecordingServers(served.allowedPorts[0]);
        await using client = createClient({
          schemes: [served.scheme],
          policy: anyAddress({ allowPorts: { [name]: served.allowedPorts } }),
          resolver: (host) =>
            Promise.resolve([lookedUpNames.push(host) === 1 ? ALLOWED_ADDRESS : FORBIDDEN_ADDRESS]),
        });
        const resource = await client.dereference(served.contentUrl);
        if (resource.kind !== "content") throw new Error(`the resource is a ${resource.kind}`);
        expect((await resource.bytes()).length).toBeGreaterThan(1_000);
        expect(tripwires.contactedAddresses).toEqual([]);
      }
      expect(lookedUpNames).toEqual(["localhost"]);
      await served.stop();
    });
  },
);

describe.each(Object.entries(EXPECTED_SCHEME_PORT_RULES))(
  "the DNS answers that a client with the scheme %s refuses",
  (name, { createScheme, createUrl }) => {
    it.each<[string, readonly string[], string]>([
      ["no address", [], "unavailable"],
      [
        "an allowed address before a forbidden address",
        [ALLOWED_ADDRESS, FORBIDDEN_ADDRESS],
        "refused-address",
      ],
      [
        "a forbidden address before an allowed address",
        [FORBIDDEN_ADDRESS, ALLOWED_ADDRESS],
        "refused-address",
      ],
      [
        "a forbidden IPv4-mapped IPv6 address",
        [ALLOWED_ADDRESS, `::ffff:${FORBIDDEN_ADDRESS}`],
        "refused-address",
      ],
      ["an abbreviated IPv4 address", [ALLOWED_ADDRESS, "127.1"], "refused-address"],
      ["a host name", ["localhost"], "refused-address"],
      ["an empty text", [ALLOWED_ADDRESS, ""], "refused-address"],
      ["an address followed by a port", [`${ALLOWED_ADDRESS}:80`], "refused-address"],
    ])("the client opens no connection when the resolver returns %s", async (_, answers, code) => {
      await using tripwires = await startLoopbackRecordingServers();
      const lookedUpNames: string[] = [];
      await using client = createClient({
        schemes: [createScheme(tripwires.port)],
        policy: publicInternet({
          allowAddresses: [ALLOWED_ADDRESS],
          allowPorts: { [name]: [tripwires.port] },
        }),
        resolver: createFixedResolver(answers, lookedUpNames),
      });
      const work = client
        .dereference(createUrl(tripwires.port))
        .then((resource) => (resource.kind === "service" ? resource.connect() : undefined));
      const error: unknown = await work.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(AccessError);
      expect((error as AccessError).code).toBe(code);
      expect(lookedUpNames).toEqual(["h.example"]);
      expect(tripwires.contactedAddresses).toEqual([]);
    });

    it("the recording servers record the connection to an allowed address", async () => {
      await using tripwires = await startLoopbackRecordingServers();
      await using client = createClient({
        schemes: [createScheme(tripwires.port)],
        policy: publicInternet({
          allowAddresses: [ALLOWED_ADDRESS],
          allowPorts: { [name]: [tripwires.port] },
        }),
        resolver: createFixedResolver([ALLOWED_ADDRESS]),
        limits: { firstByteTimeoutMs: 200 },
      });
      await client
        .dereference(createUrl(tripwires.port))
        .then((resource) => (resource.kind === "service" ? resource.connect() : undefined))
        .catch(() => undefined);
      expect(new Set(tripwires.contactedAddresses)).toEqual(new Set([ALLOWED_ADDRESS]));
    });
  },
);
