import { lookup } from "node:dns/promises";
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";
import { connect as startTls, type TLSSocket } from "node:tls";
import { AccessError } from "../access-error.ts";
import type { DialOptions, DialTarget, SecureOptions, Target, TraceEvent } from "../scheme.ts";
import { certificateProblem } from "./certificate.ts";
import { addressOctets, privateBlock, sameAddress } from "./addresses.ts";
import { type Ending, EndingSource } from "./ending.ts";
import { limitReached, type Limits } from "./limits.ts";
import { nameRefusal } from "./names.ts";
import type { Policy } from "./policy.ts";
import { decidePort, type PortClass } from "./ports.ts";

/** Gives the addresses of a name. The default asks the system's resolver. */
export type Resolver = (name: string, options: { signal: AbortSignal }) => Promise<readonly string[]>;

export const systemResolver: Resolver = async (name) => {
  const found = await lookup(name, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** What one access brings to the guard. */
export interface Gate {
  readonly policy: Policy;
  readonly portClass: PortClass;
  readonly limits: Limits;
  readonly resolver: Resolver;
  readonly signal: Ending;
  trace(event: TraceEvent): void;
  /** Told of every socket before it connects, so that whoever ends the access can end the socket; `carrier` is what TLS runs on. */
  opened(socket: Socket, carrier?: Socket): void;
  /** Told how to close every datagram socket before it sends; gives what to call once it is closed. */
  bound(close: () => void): () => void;
  /** The policy for the addresses that were resolved: lets a private page lead to a private page. */
  policyFor(addresses: readonly string[]): Policy;
}

/**
 * Opens a guarded connection; with `datagram`, the only door to the network. The order is: port rule, name rule, one look-up, address rule,
 * dial the number, check the peer. Throws `refused-port`, `refused-name`, `refused-address`, `unavailable`, `timeout`.
 */
export async function dial(gate: Gate, target: DialTarget, options: DialOptions = {}): Promise<Socket> {
  if ("peerOf" in target) return dialPeer(gate, target.peerOf, target.port, options);
  const addresses = await admit(gate, target);
  return withDeadline(
    gate,
    "connectTimeoutMs",
    `connecting to ${target.host} port ${target.port} took too long`,
    (ending) => connectFirst(gate, addresses, target.port, options, ending),
  );
}

/** What every way out goes through: port rule, name rule, one look-up, address rule. Gives the addresses that may be reached. */
export async function admit(gate: Gate, target: Target): Promise<readonly string[]> {
  await checkPort(gate, target);
  const addresses = await resolve(gate, target.host);
  checkAddresses(gate, addresses, target.port);
  return addresses;
}

/**
 * A further connection to the peer of a first one, at the very address that was checked for the first. FTP data ports are
 * chosen by the server, so that only those from 1024 on are dialled.
 */
async function dialPeer(gate: Gate, first: Socket, port: number, options: DialOptions): Promise<Socket> {
  const address = peers.get(first);
  if (address === undefined)
    throw new AccessError(
      "refused-address",
      "a further connection needs a first one that the guard has opened",
    );
  if (first.remoteAddress === undefined || first.destroyed)
    throw new AccessError("unavailable", "the first connection is closed");
  if (!Number.isInteger(port) || port < 1024 || port > 65535) {
    throw new AccessError("refused-port", `the server offered port ${port} for the data connection`);
  }
  return withDeadline(
    gate,
    "connectTimeoutMs",
    `connecting to ${address} port ${port} took too long`,
    (ending) => connectFirst(gate, [address], port, options, ending),
  );
}

/** The address of the peer of each connection that was opened here, as it was checked. */
const peers = new WeakMap<Socket, string>();

/** The latest session of each TLS connection. */
const sessions = new WeakMap<Socket, Buffer>();

/** Starts TLS on a connection that {@link dial} opened. The certificate has to be good for `host`. Throws `unavailable`, `timeout`. */
export async function secure(
  gate: Gate,
  socket: Socket,
  host: string,
  options: SecureOptions = {},
): Promise<Socket> {
  const tls = beginTls(socket, host, options);
  const peer = peers.get(socket);
  if (peer !== undefined) peers.set(tls, peer);
  tls.on("session", (latest: Buffer) => sessions.set(tls, latest));
  gate.opened(tls, socket);
  await withDeadline(gate, "connectTimeoutMs", `TLS with ${host} took too long`, (ending) =>
    settled(tls, "secureConnect", ending, `TLS with ${host} failed`),
  );
  gate.trace({ action: "secure", text: `${tls.getProtocol() ?? "TLS"}, ${tls.getCipher().name}` });
  return tls;
}

function beginTls(socket: Socket, host: string, options: SecureOptions): TLSSocket {
  const { ca, cert, key, passphrase, alpnProtocols, sessionOf } = options;
  const session = sessionOf && sessions.get(sessionOf);
  try {
    return startTls({
      socket,
      // Said aloud, because the defaults follow environment variables.
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
      ...(addressOctets(host) ? { host } : { servername: host.replace(/\.$/, "") }),
      ...(ca === undefined ? {} : { ca: [ca].flat() }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(passphrase === undefined ? {} : { passphrase }),
      ...(alpnProtocols && { ALPNProtocols: [...alpnProtocols] }),
      ...(session && { session }),
    });
  } catch (cause) {
    socket.destroy();
    throw new AccessError("unavailable", "TLS cannot begin with these certificates", { cause });
  }
}

async function checkPort(gate: Gate, { host, port }: Target): Promise<void> {
  const verdict = decidePort(port, gate.portClass, gate.policy);
  if (verdict.allowed) return;
  const { scheme } = gate.portClass;
  if (verdict.ask && (await gate.policy.onPort?.({ scheme, host, port })) === true) return;
  throw new AccessError("refused-port", verdict.why, {
    advice: port > 0 && port < 65536 ? `allow it with allowPorts: { "${scheme}": [${port}] }` : undefined,
  });
}

async function resolve(gate: Gate, host: string): Promise<readonly string[]> {
  if (addressOctets(host)) return [host];
  const refusal = nameRefusal(host, gate.policy);
  if (refusal) throw new AccessError("refused-name", `the name ${host} is refused: ${refusal}`);
  const addresses = await withDeadline(
    gate,
    "dnsTimeoutMs",
    `looking up ${host} took too long`,
    async (ending) => {
      try {
        return await gate.resolver(host, { signal: ending.signal });
      } catch (cause) {
        throw new AccessError("unavailable", `the name ${host} cannot be resolved`, { cause });
      }
    },
  );
  if (addresses.length === 0) throw new AccessError("unavailable", `the name ${host} has no address`);
  if (addresses.length > gate.limits.maxAddresses)
    throw limitReached("maxAddresses", gate.limits, `the name ${host} has too many addresses`);
  gate.trace({ action: "resolve", text: `${host} is ${addresses.join(", ")}` });
  return addresses;
}

// One refused address refuses the whole answer: a name that leads to a private address is not a public name.
function checkAddresses(gate: Gate, addresses: readonly string[], port: number): void {
  const policy = gate.policyFor(addresses);
  for (const address of addresses) {
    const octets = addressOctets(address);
    if (!octets)
      throw new AccessError("refused-address", `the resolver gave ${address}, which is no address`);
    const block = policy.reach === "public" ? privateBlock(octets) : undefined;
    const excepted = policy.allowAddresses.some((allows) => allows(octets, gate.portClass.scheme, port));
    if (block && !excepted) {
      const advice = `allow it with allowAddresses: ["${address}"]`;
      throw new AccessError("refused-address", `the address ${address} is refused: ${block}`, { advice });
    }
  }
}

async function connectFirst(
  gate: Gate,
  addresses: readonly string[],
  port: number,
  options: DialOptions,
  ending: EndingSource,
): Promise<Socket> {
  let failure: unknown;
  for (const [index, address] of addresses.entries()) {
    try {
      const left = addresses.length - index;
      if (left === 1) return await connectTo(gate, address, port, options, ending);
      // Whole milliseconds: `AbortSignal.timeout` takes nothing else.
      const share = AbortSignal.timeout(
        Math.min(Math.ceil(gate.limits.connectTimeoutMs / left), 2 ** 31 - 1),
      );
      return await connectTo(gate, address, port, options, AbortSignal.any([ending.signal, share]));
    } catch (error) {
      if (ending.aborted) throw error;
      failure = error;
    }
  }
  throw failure;
}

async function connectTo(
  gate: Gate,
  address: string,
  port: number,
  options: DialOptions,
  ending: Ending,
): Promise<Socket> {
  const socket = connect({
    host: address,
    port,
    noDelay: true,
    ...(options.onread && { onread: options.onread }),
  } as TcpNetConnectOpts);
  gate.opened(socket);
  await settled(socket, "connect", ending, `connecting to ${address} port ${port} failed`);
  const peer = socket.remoteAddress ?? "";
  if (peer !== address && !sameAddress(peer, address)) {
    socket.destroy();
    // Whoever has gone again is nobody to refuse.
    if (peer === "")
      throw new AccessError("unavailable", `${address} port ${port} closed the connection at once`);
    throw new AccessError("refused-address", `the peer is ${peer} and not ${address}`);
  }
  peers.set(socket, address);
  gate.trace({ action: "connect", text: `${address} port ${port}` });
  return socket;
}

/** Waits for the socket's event; a failure or an abort destroys the socket. */
function settled(
  socket: Socket,
  event: "connect" | "secureConnect",
  ending: Ending,
  what: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: unknown): void => {
      ending.removeEventListener("abort", onAbort);
      socket.off(event, onEvent).off("error", onError).off("close", onClose);
      if (error === undefined) return resolve();
      // A late error of a destroyed socket has no listener left and would end the process.
      socket.on("error", () => undefined).destroy();
      reject(error);
    };
    const onEvent = (): void => finish();
    const onError = (cause: Error): void =>
      finish(new AccessError("unavailable", what, { cause, ...certificateProblem(cause) }));
    const onClose = (): void => finish(new AccessError("unavailable", what));
    const onAbort = (): void => finish(ending.reason);
    socket.once(event, onEvent).once("error", onError).once("close", onClose);
    ending.addEventListener("abort", onAbort, { once: true });
    if (ending.aborted) onAbort();
  });
}

/** Runs work under one of the time limits, within the signal of the access. */
async function withDeadline<T>(
  gate: Gate,
  limit: "dnsTimeoutMs" | "connectTimeoutMs",
  what: string,
  work: (ending: EndingSource) => Promise<T>,
): Promise<T> {
  gate.signal.throwIfAborted();
  const ending = new EndingSource();
  const abort = (): void => ending.abort(gate.signal.reason);
  const expire = (): void => ending.abort(limitReached(limit, gate.limits, what));
  const timer = gate.limits[limit] === Infinity ? undefined : setTimeout(expire, gate.limits[limit]);
  gate.signal.addEventListener("abort", abort, { once: true });
  try {
    return await new Promise<T>((resolve, reject) => {
      ending.addEventListener("abort", () => reject(ending.reason));
      work(ending).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    gate.signal.removeEventListener("abort", abort);
  }
}
