import dns from "node:dns";
import dnsPromises from "node:dns/promises";
import { once } from "node:events";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { type AddressInfo, isIP } from "node:net";
import { constants } from "node:os";
import { type SsrfAttack, PUBLIC_ADDRESS } from "./ssrf-attacks.ts";

/** The native handle of a TCP socket, which sends the first packet. */
interface TcpHandle {
  connect: (this: TcpHandle, request: unknown, address: string, port: number) => number;
  connect6: (this: TcpHandle, request: unknown, address: string, port: number) => number;
  getpeername: (this: TcpHandle, peer: Record<string, unknown>) => number;
}

/** A network in which every connection is recorded, and only port 80 of the public address leads to a server. */
export interface FakeNetwork extends AsyncDisposable {
  /** Every address and port to which a socket has tried to connect. */
  readonly connectAttempts: string[];
  /** Sets the names that the resolver knows, and forgets the recorded connections. */
  prepareAttack(attack: SsrfAttack): void;
}

/**
 * Replaces the connect call of the native sockets and the look-ups of Node.js in this process. No packet leaves the
 * machine: a connection fails with `ECONNREFUSED` before a packet is sent, except to port 80 of the public address.
 */
export async function installFakeNetwork(): Promise<FakeNetwork> {
  const server = createServer((request, response) => {
    const [path, target] = (request.url ?? "").split("?");
    if (path === "/close") response.setHeader("connection", "close");
    if (path === "/to") response.writeHead(302, { location: decodeURIComponent(target ?? "") });
    response.end("public");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: serverPort } = server.address() as AddressInfo;

  const dials: string[] = [];
  let answers = new Map<string, (readonly string[])[]>();
  const publicHandles = new WeakSet();
  const prototype = Object.getPrototypeOf(Reflect.get(server, "_handle")) as TcpHandle;
  const { connect, connect6, getpeername } = prototype;
  const record = (address: string, port: number): void => void dials.push(`${address} port ${port}`);
  prototype.connect = function connectRecorded(this: TcpHandle, request, address, port) {
    record(address, port);
    if (address !== PUBLIC_ADDRESS || port !== 80) return -constants.errno.ECONNREFUSED;
    publicHandles.add(this);
    return connect.call(this, request, "127.0.0.1", serverPort);
  };
  prototype.connect6 = (_, address, port) => {
    record(address, port);
    return -constants.errno.ECONNREFUSED;
  };
  prototype.getpeername = function getPublicPeer(this: TcpHandle, peer) {
    if (!publicHandles.has(this)) return getpeername.call(this, peer);
    Object.assign(peer, { address: PUBLIC_ADDRESS, family: "IPv4", port: 80 });
    return 0;
  };

  const lookUp = (name: string): dns.LookupAddress[] => {
    const left = answers.get(name) ?? [];
    const found = (left.length > 1 ? left.shift() : left[0]) ?? (isIP(name) ? [name] : []);
    if (found.length === 0) throw Object.assign(new Error(`ENOTFOUND ${name}`), { code: "ENOTFOUND" });
    return found.map((address) => ({ address, family: isIP(address) }));
  };
  const builtin = { lookup: dns.lookup, lookupPromise: dnsPromises.lookup };
  const lookup = (name: string, options: dns.LookupOptions, done: (...args: unknown[]) => void): void => {
    process.nextTick(() => {
      try {
        const found = lookUp(name);
        if (options.all) done(null, found);
        else done(null, found[0]?.address, found[0]?.family);
      } catch (error) {
        done(error);
      }
    });
  };
  Object.assign(dns, { lookup });
  Object.assign(dnsPromises, { lookup: (name: string) => Promise.resolve().then(() => lookUp(name)) });
  syncBuiltinESMExports();

  return {
    connectAttempts: dials,
    prepareAttack({ dnsAnswersByName = {} }) {
      dials.length = 0;
      answers = new Map(Object.entries(dnsAnswersByName).map(([name, list]) => [name, [...list]]));
    },
    async [Symbol.asyncDispose]() {
      Object.assign(prototype, { connect, connect6, getpeername });
      Object.assign(dns, { lookup: builtin.lookup });
      Object.assign(dnsPromises, { lookup: builtin.lookupPromise });
      syncBuiltinESMExports();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
