/** The header fields and the data of an ARDP packet from a client. */
export interface ClientPacket {
  /** The two bytes of the connection id, or an empty buffer when the header has no id. */
  readonly connectionId: Buffer;
  readonly packetNumber: number;
  readonly packetCount: number;
  readonly receivedThrough: number;
  readonly requestsAcknowledgement: boolean;
  readonly cancelsRequest: boolean;
  /** The number of packets that the client accepts before it acknowledges them. */
  readonly windowSize: number;
  readonly data: Buffer;
}

const MAX_PACKET_DATA_BYTES = 1250;
const DEFAULT_WINDOW_PACKETS = 16;
const ACKNOWLEDGEMENT_REQUEST_FLAG = 0x80;

/** Parses an ARDP packet. Returns undefined when the header of the ARDP packet is invalid. */
export function parseClientPacket(packet: Buffer): ClientPacket | undefined {
  const length = packet[0] ?? 0;
  if (length === 0 || length > 31 || length > packet.length) return undefined;
  const header = packet.subarray(0, length);
  const word = (at: number, otherwise: number): number =>
    at + 2 <= length ? header.readUInt16BE(at) : otherwise;
  const flags = header[11] ?? 0;
  // In the header, the optional priority and protocol id precede the window size.
  const windowAt = 13 + (flags & 2 ? 2 : 0) + (flags & 4 ? 2 : 0);
  return {
    connectionId: header.subarray(1, 3),
    packetNumber: word(3, 1),
    packetCount: word(5, 1),
    receivedThrough: word(7, 0),
    requestsAcknowledgement: (flags & ACKNOWLEDGEMENT_REQUEST_FLAG) !== 0,
    cancelsRequest: header[12] === 1,
    windowSize: flags & 8 ? word(windowAt, DEFAULT_WINDOW_PACKETS) : DEFAULT_WINDOW_PACKETS,
    data: packet.subarray(length),
  };
}

/**
 * Splits a reply into the data of its ARDP packets. When the last ARDP packet is full, the reply ends with an
 * additional empty packet.
 */
export function splitReplyIntoPacketBodies(reply: Buffer): Buffer[] {
  const count = Math.floor(reply.length / MAX_PACKET_DATA_BYTES) + 1;
  return Array.from({ length: count }, (_, index) =>
    reply.subarray(index * MAX_PACKET_DATA_BYTES, (index + 1) * MAX_PACKET_DATA_BYTES),
  );
}

/** A reply that the server retains, because the client may request its packets again. */
export interface UnacknowledgedReply {
  readonly connectionId: Buffer;
  readonly packetBodies: readonly Buffer[];
  readonly windowSize: number;
  /** True until the server has sent the first window of the reply's ARDP packets. */
  isFirstTransmission: boolean;
  /** The number of the reply's last ARDP packet that the server has sent. */
  lastSentPacket: number;
}

/** Returns the next window of reply packets, which follow the packets that the client has received. */
export function encodeNextReplyPackets(
  reply: UnacknowledgedReply,
  receivedThrough: number,
  swapsConnectionIdBytes: boolean,
): Buffer[] {
  const { packetBodies, windowSize: window, isFirstTransmission } = reply;
  const last = Math.min(packetBodies.length, receivedThrough + window);
  const packets: Buffer[] = [];
  for (let number = receivedThrough + 1; number <= last; number++) {
    const requestsAcknowledgement = number === last && last < packetBodies.length;
    // From the second window on, the original Prospero server writes the connection id in native byte order, and
    // includes the number of packets.
    const later = receivedThrough > 0;
    const id =
      later && swapsConnectionIdBytes ? Buffer.from(reply.connectionId.toReversed()) : reply.connectionId;
    const knowsTotal =
      later || !isFirstTransmission || (number === packetBodies.length && packetBodies.length > 1);
    packets.push(
      Buffer.concat([
        encodeArdpHeader({
          connectionId: id,
          packetNumber: number,
          requestsAcknowledgement,
          isFirstTransmission: isFirstTransmission && !later,
          packetCount: knowsTotal ? packetBodies.length : 0,
          isOnlyPacket: packetBodies.length === 1,
        }),
        packetBodies[number - 1] ?? Buffer.alloc(0),
      ]),
    );
  }
  reply.lastSentPacket = Math.max(reply.lastSentPacket, last);
  reply.isFirstTransmission = false;
  return packets;
}

interface ArdpHeader {
  readonly connectionId: Buffer;
  readonly packetNumber: number;
  readonly packetCount: number;
  /** True when the client must acknowledge the ARDP packet. */
  readonly requestsAcknowledgement: boolean;
  /**
   * True for a packet of the first window that is sent for the first time. ARDP packets of the first window have the
   * shortest header in their first transmission.
   */
  readonly isFirstTransmission: boolean;
  readonly isOnlyPacket: boolean;
}

function encodeArdpHeader({
  connectionId: id,
  packetNumber: number,
  packetCount: total,
  requestsAcknowledgement,
  isFirstTransmission,
  isOnlyPacket,
}: ArdpHeader): Buffer {
  if (id.length === 0) return Buffer.of(1);
  const bytes = [0, ...id];
  if (!isFirstTransmission || !isOnlyPacket || requestsAcknowledgement)
    bytes.push(number >> 8, number & 0xff, total >> 8, total & 0xff);
  if (!isFirstTransmission || requestsAcknowledgement) bytes.push(0, 1);
  if (requestsAcknowledgement) bytes.push(0, 0, ACKNOWLEDGEMENT_REQUEST_FLAG);
  bytes[0] = bytes.length;
  return Buffer.from(bytes);
}

/** Returns an ARDP packet that acknowledges the received packets of a request. */
export function encodeAcknowledgement(id: Buffer, receivedThrough: number): Buffer {
  return Buffer.from([9, ...id, 0, 0, 0, 0, receivedThrough >> 8, receivedThrough & 0xff]);
}
