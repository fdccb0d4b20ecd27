import { prospero } from "@anyscheme/scheme-others/prospero";
import { isDeepStrictEqual } from "node:util";
import { AccessError } from "@anyscheme/core";
import { mergeDefaultLimitsOfSchemes, mergeLimits } from "@anyscheme/core/plugin";
import * as fc from "fast-check";
import { ArdpReplyReassembly } from "../../../packages/scheme-others/src/prospero/ardp/reply-reassembly.ts";
import {
  parseArdpPacket,
  encodeArdpPacket,
} from "../../../packages/scheme-others/src/prospero/ardp/packet.ts";
import { readRecordedServerReplies } from "../recorded-server-replies.ts";
import { assertCondition } from "../decoder-target.ts";
import { arbitraryMutatedSamples, encodeLatin1 } from "../mutated-samples.ts";
import { type FuzzTarget, createFuzzTarget } from "../fuzz-target.ts";

const PROSPERO_LIMITS = mergeDefaultLimitsOfSchemes([prospero()]);

const packetLimits = mergeLimits({ maxProsperoPackets: 4 }, PROSPERO_LIMITS);

/** Copies a datagram into a larger buffer, so that the test detects a read past the end of the datagram. */
function surroundWithBytes(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.alloc(16, 0x01), bytes, Buffer.alloc(16, 0x01)]).subarray(
    16,
    16 + bytes.length,
  );
}

/** The number of bytes that the headers of each datagram add to the size of an input. */
const DATAGRAM_OVERHEAD_BYTES = 32;

/** Checks that a sequence of datagrams throws only `AccessError`, and yields no more bytes than were received. */
const datagramFuzzTarget: FuzzTarget = createFuzzTarget<readonly string[]>({
  name: "ARDP packets",
  arbitraryInput: fc.array(arbitraryMutatedSamples(readRecordedServerReplies("prospero")), { maxLength: 12 }),
  createRepetitiveInput: (pattern, size) =>
    Array.from({ length: Math.ceil(size / DATAGRAM_OVERHEAD_BYTES) }, () => pattern),
  checkParsingResult: addDatagrams,
  runWithoutChecks: addDatagrams,
});

function addDatagrams(texts: readonly string[]): void {
  const reply = new ArdpReplyReassembly(packetLimits);
  let receivedLength = 0;
  let yieldedLength = 0;
  for (const text of texts) {
    const bytes = encodeLatin1(text);
    const packet = parseArdpPacket(bytes);
    assertCondition(
      isDeepStrictEqual(
        toComparablePacket(packet),
        toComparablePacket(parseArdpPacket(surroundWithBytes(bytes))),
      ),
      "the parser reads past the end of the datagram",
    );
    if (!packet) continue;
    receivedLength += packet.data.length;
    try {
      reply.addPacket(packet);
    } catch (error) {
      if (error instanceof AccessError) return;
      throw error;
    }
    for (let next = reply.takeChunk(); next; next = reply.takeChunk()) yieldedLength += next.length;
    assertCondition(yieldedLength <= receivedLength, "the message yields more bytes than were received");
  }
}

function toComparablePacket(packet: ReturnType<typeof parseArdpPacket>): unknown {
  return packet && { ...packet, data: Array.from(packet.data) };
}

interface PacketDelivery {
  /** The payloads of the packets of one ARDP message. */
  readonly payloads: readonly string[];
  /**
   * The indexes of the ARDP packets that arrive first. After these early packets, all packets of the ARDP message
   * arrive once more in order.
   */
  readonly packetIndexes: readonly number[];
}

/** Checks that the packets of one message form the message in any order, also when packets arrive twice. */
const packetOrders: FuzzTarget = createFuzzTarget<PacketDelivery>({
  name: "an ARDP message whose packets arrive in any order",
  arbitraryInput: fc.record({
    payloads: fc.array(fc.string({ unit: "binary-ascii", maxLength: 5 }), { minLength: 1, maxLength: 5 }),
    packetIndexes: fc.array(fc.nat({ max: 4 }), { maxLength: 12 }),
  }),
  createRepetitiveInput: (pattern, size) => ({
    payloads: Array.from({ length: Math.ceil(size / DATAGRAM_OVERHEAD_BYTES) }, () => pattern),
    packetIndexes: [],
  }),
  checkParsingResult: checkReassembly,
  runWithoutChecks: checkReassembly,
});

function checkReassembly({ payloads, packetIndexes }: PacketDelivery): void {
  const reply = new ArdpReplyReassembly(packetLimits);
  let text = "";
  for (const index of [...packetIndexes.filter((index) => index < payloads.length), ...payloads.keys()]) {
    const data = encodeLatin1(payloads[index] ?? "");
    const bytes = encodeArdpPacket({
      connectionId: 1,
      packetNumber: index + 1,
      packetCount: payloads.length,
      receivedThrough: 0,
      data,
    });
    const packet = parseArdpPacket(bytes);
    assertCondition(packet !== undefined, "the parser rejects a packet of the encoder");
    reply.addPacket(packet);
    for (let next = reply.takeChunk(); next; next = reply.takeChunk())
      text += Buffer.from(next).toString("latin1");
  }
  assertCondition(reply.isComplete, "the message is not complete");
  assertCondition(text === payloads.join(""), "the message differs from its payloads");
}

export const ardpFuzzTargets: readonly FuzzTarget[] = [datagramFuzzTarget, packetOrders];
