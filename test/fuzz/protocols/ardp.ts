import { prospero } from "@anyscheme/scheme-others/prospero";
import { isDeepStrictEqual } from "node:util";
import { AccessError } from "@anyscheme/core";
import { defaultLimits, mergeLimits } from "@anyscheme/core/plugin";
import * as fc from "fast-check";
import { ReplyPackets } from "../../../packages/scheme-others/src/prospero/ardp/reply-packets.ts";
import {
  parseArdpPacket,
  encodeArdpPacket,
} from "../../../packages/scheme-others/src/prospero/ardp/packet.ts";
import { captured } from "../captures.ts";
import { hold } from "../decoder.ts";
import { bytesLike, bytesOf } from "../arbitrary-bytes.ts";
import { type AnyTarget, target } from "../target.ts";

const LIMITS = defaultLimits([prospero()]);

const limits = mergeLimits({ maxProsperoPackets: 4 }, LIMITS);

/** A datagram surrounded by other bytes, so that a read past its end is detected. */
function surrounded(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.alloc(16, 0x01), bytes, Buffer.alloc(16, 0x01)]).subarray(
    16,
    16 + bytes.length,
  );
}

/** A sequence of datagrams throws only `AccessError`, and yields no byte that was not received. */
const datagrams: AnyTarget = target<readonly string[]>({
  name: "ARDP packets",
  inputs: fc.array(bytesLike(captured("prospero")), { maxLength: 12 }),
  ofSize: (piece, size) => Array.from({ length: Math.ceil(size / piece.length) }, () => piece),
  check: take,
  run: take,
});

function take(texts: readonly string[]): void {
  const incoming = new ReplyPackets(limits);
  let came = 0;
  let given = 0;
  for (const text of texts) {
    const bytes = bytesOf(text);
    const packet = parseArdpPacket(bytes);
    hold(
      isDeepStrictEqual(contentOf(packet), contentOf(parseArdpPacket(surrounded(bytes)))),
      "it reads past its end",
    );
    if (!packet) continue;
    came += packet.data.length;
    try {
      incoming.addPacket(packet);
    } catch (error) {
      if (error instanceof AccessError) return;
      throw error;
    }
    for (let next = incoming.takeChunk(); next; next = incoming.takeChunk()) given += next.length;
    hold(given <= came, "more bytes were given than came");
  }
}

function contentOf(packet: ReturnType<typeof parseArdpPacket>): unknown {
  return packet && { ...packet, data: Array.from(packet.data) };
}

interface Delivery {
  /** The payload of each packet. */
  readonly parts: readonly string[];
  /** The order of the packets, repeated until all have arrived. */
  readonly order: readonly number[];
}

/** Sends the packets of one message in any order, some of them twice. The result is the message. */
const deliveries: AnyTarget = target<Delivery>({
  name: "an ARDP message, its packets in any order",
  inputs: fc.record({
    parts: fc.array(fc.string({ unit: "binary-ascii", maxLength: 5 }), { minLength: 1, maxLength: 5 }),
    order: fc.array(fc.nat({ max: 4 }), { maxLength: 12 }),
  }),
  ofSize: (piece, size) => ({
    parts: Array.from({ length: Math.min(60_000, Math.ceil(size / piece.length)) }, () => piece),
    order: [],
  }),
  check: deliver,
  run: deliver,
});

function deliver({ parts, order }: Delivery): void {
  const incoming = new ReplyPackets(limits);
  let text = "";
  for (const index of [...order.filter((at) => at < parts.length), ...parts.keys()]) {
    const data = bytesOf(parts[index] ?? "");
    const bytes = encodeArdpPacket({
      connectionId: 1,
      packetNumber: index + 1,
      packetCount: parts.length,
      receivedThrough: 0,
      data,
    });
    const packet = parseArdpPacket(bytes);
    hold(packet !== undefined, "a packet of ours is none");
    incoming.addPacket(packet);
    for (let next = incoming.takeChunk(); next; next = incoming.takeChunk())
      text += Buffer.from(next).toString("latin1");
  }
  hold(incoming.isComplete, "the message is not complete");
  hold(text === parts.join(""), "the bytes are others");
}

export const ardp: readonly AnyTarget[] = [datagrams, deliveries];
