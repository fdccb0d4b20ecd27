import { connect, type TcpNetConnectOpts } from "node:net";
import { AccessError } from "../errors/access-error.ts";
import type { ConnectOptions, ConnectTarget } from "../scheme/context.ts";
import type { Endpoint } from "../scheme/plan.ts";
import { sameAddress } from "../policy/ip-address.ts";
import { admit } from "../policy/check.ts";
import type { Gate } from "./connector.ts";
import { checkedPeer, notePeer } from "./peers.ts";
import { placeOf, policyFor } from "../policy/policy-for.ts";
import { dataPortRefusal } from "../policy/ports.ts";
import { settled } from "./wait-for-connect.ts";
import type { Socket } from "./socket.ts";

/**
 * Opens a guarded connection; with `datagram`, the only door to the network. The order is: port rule, name rule, one look-up, address rule,
 * dial the number, check the peer. Throws `refused-port`, `refused-name`, `refused-address`, `unavailable`, `timeout`.
 */
export async function dial(gate: Gate, target: ConnectTarget, options: ConnectOptions = {}): Promise<Socket> {
  if ("samePeerAs" in target) {
    const address = furtherAddress(gate, target);
    // Waits one tick so that RETR is written first. The server opens the file while we connect.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    gate.signal.throwIfAborted();
    return connectTo(gate, { host: address, port: target.port }, address, options, undefined);
  }
  const admitted = admit(gate, target);
  const addresses = "then" in admitted ? await admitted : admitted;
  const { length } = addresses;
  const endsMs = length > 1 ? performance.now() + gate.limits.connectTimeoutMs : 0;
  for (let index = 0; index < length - 1; index++) {
    gate.signal.throwIfAborted();
    // Each address gets its share of what is left, so that a silent one leaves time for the others.
    const share = Math.max(1, Math.ceil((endsMs - performance.now()) / (length - index)));
    try {
      return await connectTo(gate, target, addresses[index] as string, options, share);
    } catch {
      // The next address may answer; how the last one fails is told.
    }
  }
  gate.signal.throwIfAborted();
  const left = length > 1 ? Math.max(1, Math.ceil(endsMs - performance.now())) : undefined;
  return await connectTo(gate, target, addresses.at(-1) as string, options, left);
}

/**
 * Where a further connection goes to the peer of a first one: to the very address that was checked for the first. FTP data ports
 * are chosen by the server, so that they have a port rule of their own.
 */
function furtherAddress(
  { lead, portClass }: Gate,
  { samePeerAs, port }: ConnectTarget & { readonly samePeerAs: Socket },
): string {
  const address = checkedPeer(samePeerAs);
  if (address === undefined)
    throw new AccessError(
      "refused-address",
      "a further connection needs a first one that the guard has opened",
    );
  if (samePeerAs.remoteAddress === undefined || samePeerAs.destroyed)
    throw new AccessError("unavailable", "the first connection is closed");
  const refusal = dataPortRefusal(port, portClass, policyFor(lead, placeOf([address])));
  if (refusal !== undefined)
    throw new AccessError("refused-port", `the server offered ${refusal} for the data connection`);
  return address;
}

async function connectTo(
  gate: Gate,
  { host, port }: Endpoint,
  address: string,
  { onread }: ConnectOptions,
  ms: number | undefined,
): Promise<Socket> {
  const socket = connect({ host: address, port, noDelay: true, onread } as TcpNetConnectOpts);
  gate.opened(socket);
  await settled(gate, socket, "connect", `cannot connect to ${host} port ${port}`, ms);
  const peer = socket.remoteAddress ?? "";
  if (peer !== address && !sameAddress(peer, address)) {
    socket.destroy();
    // Whoever has gone again is nobody to refuse.
    if (peer === "") {
      const cause = Object.assign(new Error("the connection was closed"), { code: "ECONNRESET" });
      const what = `cannot connect to ${host} port ${port}: connection closed by the server`;
      throw new AccessError("unavailable", what, { cause });
    }
    throw new AccessError("refused-address", `the peer is ${peer} and not ${address}`);
  }
  notePeer(socket, address);
  gate.trace({ action: "connect", text: `${address} port ${port}` });
  return socket;
}
