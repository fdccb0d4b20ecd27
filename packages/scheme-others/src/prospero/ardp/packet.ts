/** The bits of the flags byte in an ARDP header. */
const ADDITIONAL_ADDRESS_FLAG = 0x01;
const PRIORITY_FLAG = 0x02;
const PROTOCOL_ID_FLAG = 0x04;
const WINDOW_SIZE_FLAG = 0x08;
const SEQUENCED_CONTROL_FLAG = 0x40;
const PLEASE_ACKNOWLEDGE_FLAG = 0x80;

/** The option numbers. */
const CANCEL_OR_REFUSED_OPTION = 1;
const SET_RECEIVED_THROUGH_OPTION = 2;
const REDIRECT_OPTION = 4;
const REDIRECT_AND_NOTIFY_OPTION = 5;
const QUEUE_STATE_OPTION = 254;

/**
 * The size of the largest ARDP header in bytes. A datagram with a larger first byte is not an ARDP packet, because the
 * high bits contain the version 0.
 */
const MAX_ARDP_HEADER_BYTES = 31;
/** The size of an ARDP header up to the flags byte, in bytes. */
const ARDP_HEADER_WITH_FLAGS_BYTES = 12;
const ARDP_OPTIONAL_FIELDS_OFFSET = 13;

/**
 * A received ARDP packet. Fields that a short ARDP header omits are `undefined`, unless the protocol implies a value.
 */
export interface ArdpPacket {
  /** The ARDP connection id, or 0 if the packet has none. */
  readonly connectionId: number;
  /** The ARDP packet number from 1, or 0 for a control packet. */
  readonly packetNumber: number;
  /** The number of packets in the ARDP message, or 0 while the sender does not know the number. */
  readonly packetCount: number | undefined;
  /** The number of the last ARDP packet that the sender of this packet has received without a gap. */
  readonly receivedThrough: number | undefined;
  readonly waitSeconds: number | undefined;
  readonly requestsAcknowledgement: boolean;
  /** True when `receivedThrough` may be lower than in earlier packets. */
  readonly mayLowerReceivedThrough: boolean;
  /** The number of ARDP packets that the sender of this packet accepts at a time. */
  readonly windowPackets: number | undefined;
  readonly isRequestRefused: boolean;
  readonly redirectServer: { readonly address: string; readonly port: number } | undefined;
  /** The place of the Prospero request in the queue of the server, and the wait that the server expects. */
  readonly queueState:
    { readonly position?: number | undefined; readonly expectedWaitSeconds?: number | undefined } | undefined;
  /** The data of the ARDP packet, which is empty in a control packet. */
  readonly data: Uint8Array;
}

/** The fields of an ARDP packet to send. */
export interface ArdpPacketInit {
  readonly connectionId: number;
  readonly packetNumber: number;
  readonly packetCount: number;
  readonly receivedThrough: number;
  readonly requestsAcknowledgement?: boolean;
  readonly data?: Uint8Array;
}

const EMPTY_BYTES = new Uint8Array(0);

/** Parses a datagram. Returns `undefined` if the datagram is not an ARDP packet or has an incomplete header. */
export function parseArdpPacket(bytes: Uint8Array): ArdpPacket | undefined {
  const length = bytes[0] ?? 0;
  if (length === 0 || length > MAX_ARDP_HEADER_BYTES || length > bytes.length) return undefined;
  const word = (at: number): number | undefined =>
    at + 2 <= length ? ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0) : undefined;
  const number = word(3);
  const flags = length > 11 ? (bytes[11] ?? 0) : 0;
  const option = length > 12 ? (bytes[12] ?? 0) : 0;
  const extra = parseArdpOptionalFields(bytes.subarray(0, length), flags, option);
  if (!extra) return undefined;
  const isControl = number === 0 || (flags & SEQUENCED_CONTROL_FLAG) !== 0;
  return {
    connectionId: word(1) ?? 0,
    packetNumber: number ?? 1,
    packetCount: number === undefined ? 1 : word(5),
    receivedThrough: word(7),
    waitSeconds: word(9),
    requestsAcknowledgement: (flags & PLEASE_ACKNOWLEDGE_FLAG) !== 0,
    mayLowerReceivedThrough: option === SET_RECEIVED_THROUGH_OPTION,
    isRequestRefused: option === CANCEL_OR_REFUSED_OPTION,
    ...extra,
    data: isControl ? EMPTY_BYTES : bytes.subarray(length),
  };
}

/**
 * Parses the optional header fields of an ARDP packet. The ARDP header fields of the flags come first, from the low bit
 * to the high bit, and then the fields of the ARDP option.
 */
function parseArdpOptionalFields(
  header: Uint8Array,
  flags: number,
  option: number,
): Pick<ArdpPacket, "windowPackets" | "redirectServer" | "queueState"> | undefined {
  let at = ARDP_OPTIONAL_FIELDS_OFFSET;
  const take = (count: number): Uint8Array => header.subarray(at, (at += count));
  if (flags & ADDITIONAL_ADDRESS_FLAG) {
    const [, size = 0] = take(2);
    take(size);
  }
  if (flags & PRIORITY_FLAG) take(2);
  if (flags & PROTOCOL_ID_FLAG) take(2);
  const windowPackets = flags & WINDOW_SIZE_FLAG ? parseBigEndian(take(2)) : undefined;
  let redirectServer: ArdpPacket["redirectServer"];
  let queueState: ArdpPacket["queueState"];
  if (option === REDIRECT_OPTION || option === REDIRECT_AND_NOTIFY_OPTION)
    redirectServer = { address: take(4).join("."), port: parseBigEndian(take(2)) };
  if (option === QUEUE_STATE_OPTION) {
    const [bits = 0] = take(1);
    const position = bits & 1 ? parseBigEndian(take(2)) : undefined;
    queueState = { position, expectedWaitSeconds: bits & 2 ? parseBigEndian(take(4)) : undefined };
  }
  const complete = at === ARDP_OPTIONAL_FIELDS_OFFSET || at <= header.length;
  return complete ? { windowPackets, redirectServer, queueState } : undefined;
}

function parseBigEndian(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

/** Encodes an ARDP packet. */
export function encodeArdpPacket(init: ArdpPacketInit): Uint8Array {
  const {
    connectionId,
    packetNumber,
    packetCount,
    receivedThrough,
    requestsAcknowledgement = false,
    data = EMPTY_BYTES,
  } = init;
  const length = requestsAcknowledgement ? ARDP_HEADER_WITH_FLAGS_BYTES : 9;
  const packet = new Uint8Array(length + data.length);
  packet[0] = length;
  for (const [index, value] of [connectionId, packetNumber, packetCount, receivedThrough].entries())
    packet.set([value >> 8, value & 0xff], 2 * index + 1);
  if (requestsAcknowledgement) packet[11] = PLEASE_ACKNOWLEDGE_FLAG;
  packet.set(data, length);
  return packet;
}

/** Encodes an ARDP packet that cancels the server's reply. */
export function encodeCancelPacket(connectionId: number): Uint8Array {
  const packet = new Uint8Array(ARDP_OPTIONAL_FIELDS_OFFSET);
  packet.set([ARDP_OPTIONAL_FIELDS_OFFSET, connectionId >> 8, connectionId & 0xff]);
  packet[12] = CANCEL_OR_REFUSED_OPTION;
  return packet;
}
