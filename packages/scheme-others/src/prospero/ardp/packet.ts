/** Bits of the flags byte. */
const ADDITIONAL_ADDRESS = 0x01;
const PRIORITY = 0x02;
const PROTOCOL_ID = 0x04;
const WINDOW_SIZE = 0x08;
const SEQUENCED_CONTROL = 0x40;
const PLEASE_ACKNOWLEDGE = 0x80;

/** Option numbers. */
const CANCEL_OR_REFUSED = 1;
const SET_RECEIVED_THROUGH = 2;
const REDIRECT = 4;
const REDIRECT_AND_NOTIFY = 5;
const QUEUE_STATE = 254;

/** "A packet whose first octet is above 31 is not this protocol": its two high bits are the version, 0. */
const MAX_HEADER_BYTES = 31;
/** Everything up to the flags byte. */
const HEADER_WITH_FLAGS = 12;
/** Where the extra fields of flags and option begin. */
const EXTRA = 13;

/** One ARDP packet as it came. Fields that a header stops before are `undefined`, where nothing follows from that. */
export interface Packet {
  /** The connection id; 0 where there is none. */
  readonly cid: number;
  /** From 1 on; 0 for a packet that only controls. */
  readonly number: number;
  /** Packets of the whole message; 0 while its sender does not know. */
  readonly total: number | undefined;
  /** Its sender has all packets up to this one. */
  readonly receivedThrough: number | undefined;
  readonly waitSeconds: number | undefined;
  readonly pleaseAcknowledge: boolean;
  /** Whether the sender's view of `receivedThrough` goes back to the value given. */
  readonly setsReceivedThrough: boolean;
  /** How many packets its sender takes at a time. */
  readonly window: number | undefined;
  readonly refused: boolean;
  readonly redirect: { readonly address: string; readonly port: number } | undefined;
  readonly queue:
    { readonly position?: number | undefined; readonly seconds?: number | undefined } | undefined;
  /** Nothing in a packet that only controls. */
  readonly data: Uint8Array;
}

/** What a packet of ours says. */
export interface PacketInit {
  readonly cid: number;
  readonly number: number;
  readonly total: number;
  readonly receivedThrough: number;
  readonly pleaseAcknowledge?: boolean;
  readonly data?: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** Reads a datagram; `undefined` when it is no ARDP packet, or its header is cut short. */
export function readPacket(bytes: Uint8Array): Packet | undefined {
  const length = bytes[0] ?? 0;
  if (length === 0 || length > MAX_HEADER_BYTES || length > bytes.length) return undefined;
  const word = (at: number): number | undefined =>
    at + 2 <= length ? ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0) : undefined;
  const number = word(3);
  const flags = length > 11 ? (bytes[11] ?? 0) : 0;
  const option = length > 12 ? (bytes[12] ?? 0) : 0;
  const extra = readExtra(bytes.subarray(0, length), flags, option);
  if (!extra) return undefined;
  const controls = number === 0 || (flags & SEQUENCED_CONTROL) !== 0;
  return {
    cid: word(1) ?? 0,
    number: number ?? 1,
    total: number === undefined ? 1 : word(5),
    receivedThrough: word(7),
    waitSeconds: word(9),
    pleaseAcknowledge: (flags & PLEASE_ACKNOWLEDGE) !== 0,
    setsReceivedThrough: option === SET_RECEIVED_THROUGH,
    refused: option === CANCEL_OR_REFUSED,
    ...extra,
    data: controls ? NOTHING : bytes.subarray(length),
  };
}

/** The extra fields: first those of the flags, low bit to high bit, then those of the option. */
function readExtra(
  header: Uint8Array,
  flags: number,
  option: number,
): Pick<Packet, "window" | "redirect" | "queue"> | undefined {
  let at = EXTRA;
  const take = (count: number): Uint8Array => header.subarray(at, (at += count));
  if (flags & ADDITIONAL_ADDRESS) {
    const [, size = 0] = take(2);
    take(size);
  }
  if (flags & PRIORITY) take(2);
  if (flags & PROTOCOL_ID) take(2);
  const window = flags & WINDOW_SIZE ? numberOf(take(2)) : undefined;
  let redirect: Packet["redirect"];
  let queue: Packet["queue"];
  if (option === REDIRECT || option === REDIRECT_AND_NOTIFY)
    redirect = { address: take(4).join("."), port: numberOf(take(2)) };
  if (option === QUEUE_STATE) {
    const [bits = 0] = take(1);
    const position = bits & 1 ? numberOf(take(2)) : undefined;
    queue = { position, seconds: bits & 2 ? numberOf(take(4)) : undefined };
  }
  const complete = at === EXTRA || at <= header.length;
  return complete ? { window, redirect, queue } : undefined;
}

function numberOf(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

/** The encoder: the only place where the bytes of a packet are made. */
export function writePacket(init: PacketInit): Uint8Array {
  const { cid, number, total, receivedThrough, pleaseAcknowledge = false, data = NOTHING } = init;
  const length = pleaseAcknowledge ? HEADER_WITH_FLAGS : 9;
  const packet = new Uint8Array(length + data.length);
  packet[0] = length;
  for (const [index, value] of [cid, number, total, receivedThrough].entries()) {
    packet[2 * index + 1] = value >> 8;
    packet[2 * index + 2] = value & 0xff;
  }
  if (pleaseAcknowledge) packet[11] = PLEASE_ACKNOWLEDGE;
  packet.set(data, length);
  return packet;
}

/** Tells the server that its reply is no longer wanted. */
export function writeCancel(cid: number): Uint8Array {
  const packet = new Uint8Array(EXTRA);
  packet.set([EXTRA, cid >> 8, cid & 0xff]);
  packet[12] = CANCEL_OR_REFUSED;
  return packet;
}
