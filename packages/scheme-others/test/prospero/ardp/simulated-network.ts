import { prospero } from "@anyscheme/scheme-others/prospero";
import { mergeDefaultLimitsOfSchemes } from "@anyscheme/core/plugin";
import type { ClientLimits } from "@anyscheme/core";
import { ArdpExchangeStateMachine } from "../../../src/prospero/ardp/ardp-exchange-state-machine.ts";

const DEFAULT_PROSPERO_CLIENT_LIMITS = mergeDefaultLimitsOfSchemes([prospero()]);

/** The faults of the simulated network. */
export interface DatagramFaults {
  readonly seed: number;
  /** The share of datagrams that the network loses, from 0 to 1. */
  readonly loss: number;
  /** The share of datagrams that the network duplicates, from 0 to 1. */
  readonly duplication: number;
  /**
   * The least and the greatest delay of a datagram, in milliseconds. Different delays change the order of the
   * datagrams.
   */
  readonly delayMs: readonly [least: number, most: number];
}

export interface ArdpSimulationOutcome {
  readonly reply: Buffer | undefined;
  readonly failure: unknown;
  /** The request message as the simulated server received it. */
  readonly requests: readonly Buffer[];
  readonly sentByClient: number;
  readonly sentByServer: number;
  readonly endedMs: number;
}

/**
 * Returns a generator that creates the same numbers for the same seed.
 * <https://en.wikipedia.org/wiki/Linear_congruential_generator>
 */
function createRandomGenerator(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const REPLY_PACKET_DATA_BYTES = 1250;
const WINDOW_PACKETS = 16;

/**
 * A simulated ARDP server without a timer. Sends a window of packets, and the next window after each acknowledgement.
 */
class SimulatedServer {
  readonly requests: Buffer[] = [];
  readonly #reply: readonly Buffer[];
  readonly #gathered = new Map<number, Buffer>();
  #acknowledged = 0;

  constructor(reply: Buffer) {
    const count = Math.floor(reply.length / REPLY_PACKET_DATA_BYTES) + 1;
    this.#reply = Array.from({ length: count }, (_, index) =>
      reply.subarray(index * REPLY_PACKET_DATA_BYTES, (index + 1) * REPLY_PACKET_DATA_BYTES),
    );
  }

  receivePacket(packet: Buffer): Buffer[] {
    const id = packet.subarray(1, 3);
    const number = packet.readUInt16BE(3);
    const total = packet.readUInt16BE(5);
    if (number === 0) {
      this.#acknowledged = Math.max(this.#acknowledged, packet.readUInt16BE(7));
      return this.#window(id);
    }
    this.#gathered.set(number, packet.subarray(packet[0]));
    let through = 0;
    while (this.#gathered.has(through + 1)) through++;
    if (through < total)
      return packet[11] === 0x80 ? [this.#packet(id, 0, Buffer.alloc(0), through, false)] : [];
    if (this.requests.length === 0) {
      const numbers = Array.from({ length: total }, (_, index) => index + 1);
      this.requests.push(Buffer.concat(numbers.map((each) => this.#gathered.get(each) ?? Buffer.alloc(0))));
    }
    return this.#window(id);
  }

  #window(id: Buffer): Buffer[] {
    const end = Math.min(this.#reply.length, this.#acknowledged + WINDOW_PACKETS);
    return this.#reply.slice(this.#acknowledged, end).map((data, index) => {
      const number = this.#acknowledged + index + 1;
      return this.#packet(id, number, data, 1, number === end && end < this.#reply.length);
    });
  }

  #packet(id: Buffer, number: number, data: Buffer, through: number, asks: boolean): Buffer {
    const header = Buffer.alloc(asks ? 12 : 9);
    header[0] = header.length;
    id.copy(header, 1);
    header.writeUInt16BE(number, 3);
    header.writeUInt16BE(number === 0 ? 0 : this.#reply.length, 5);
    header.writeUInt16BE(through, 7);
    if (asks) header[11] = 0x80;
    return Buffer.concat([header, data]);
  }
}

interface DatagramArrival {
  readonly atMs: number;
  readonly order: number;
  readonly receiver: "client" | "server";
  readonly datagram: Buffer;
}

/** Runs an exchange over a network in memory. The simulated clock advances to the next event. */
export function simulateArdpExchange(
  request: Buffer,
  reply: Buffer,
  faults: DatagramFaults,
  limits: ClientLimits = DEFAULT_PROSPERO_CLIENT_LIMITS,
): ArdpSimulationOutcome {
  const nextRandom = createRandomGenerator(faults.seed);
  const server = new SimulatedServer(reply);
  const exchange = new ArdpExchangeStateMachine({ message: request, connectionId: 0x1234, limits, nowMs: 0 });
  const arrivals: DatagramArrival[] = [];
  const received: Uint8Array[] = [];
  const sent = { client: 0, server: 0 };
  let nowMs = 0;
  let order = 0;
  const [least, most] = faults.delayMs;

  function sendDatagram(to: "client" | "server", datagram: Buffer): void {
    sent[to === "client" ? "server" : "client"]++;
    const copies = nextRandom() < faults.duplication ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (nextRandom() < faults.loss) continue;
      arrivals.push({
        atMs: nowMs + least + nextRandom() * (most - least),
        order: order++,
        receiver: to,
        datagram,
      });
    }
    arrivals.sort((one, other) => one.atMs - other.atMs || one.order - other.order);
  }

  function createOutcome(failure?: unknown): ArdpSimulationOutcome {
    return {
      reply: failure === undefined ? Buffer.concat(received) : undefined,
      failure,
      requests: server.requests,
      sentByClient: sent.client,
      sentByServer: sent.server,
      endedMs: nowMs,
    };
  }

  try {
    while (!exchange.isComplete) {
      for (const datagram of exchange.takeDatagrams()) sendDatagram("server", Buffer.from(datagram));
      const [next] = arrivals;
      if (!next || next.atMs > exchange.deadlineMs) {
        nowMs = Math.max(nowMs, exchange.deadlineMs);
        exchange.onTimeout(nowMs);
        continue;
      }
      arrivals.shift();
      nowMs = next.atMs;
      if (next.receiver === "server")
        for (const answer of server.receivePacket(next.datagram)) sendDatagram("client", answer);
      else exchange.receive(next.datagram, nowMs);
      for (let bytes = exchange.takeChunk(); bytes; bytes = exchange.takeChunk()) received.push(bytes);
    }
    for (const datagram of exchange.takeDatagrams()) sendDatagram("server", Buffer.from(datagram));
    return createOutcome();
  } catch (error) {
    return createOutcome(error);
  }
}
