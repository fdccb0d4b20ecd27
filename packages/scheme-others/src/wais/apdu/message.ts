import { AccessError } from "@anyscheme/core";
import { limitError } from "@anyscheme/core/plugin";
import type { WaisLimits } from "../options.ts";

/**
 * The size of the header before an APDU, in bytes. Fields: length in ten digits, type, version, server name,
 * compression, encoding, checksum.
 */
export const HEADER_BYTES = 25;

/** The digits of the length. Old clients require a leading "0", which leaves nine digits. */
const LENGTH_DIGITS = 10;

/** The size of the first buffer for a message. The length in the header does not affect this size. */
const FIRST_BUFFER_BYTES = 16_384;

/**
 * Encodes a message of version 2 with an APDU, without compression and encoding. Omits the checksum, which no known
 * software computes.
 */
export function encodeMessage(apdu: Uint8Array): Uint8Array {
  const length = String(apdu.length).padStart(LENGTH_DIGITS, "0");
  return Buffer.concat([Buffer.from(`${length}z2wais        0`, "latin1"), apdu]);
}

/**
 * Assembles a message from chunks of any size. Throws `protocol` for an invalid message, and `limit` before it
 * allocates more than `limits.maxWaisApduBytes`.
 */
export class MessageReader {
  readonly #limits: WaisLimits;
  readonly #header = new Uint8Array(HEADER_BYTES);
  #received = 0;
  #length = 0;
  #body: Uint8Array | undefined;

  constructor(limits: WaisLimits) {
    this.#limits = limits;
  }

  /** True when a byte has arrived. */
  get hasStarted(): boolean {
    return this.#received > 0;
  }

  /** Returns the APDU when these bytes complete the message. Throws `protocol` if more bytes follow. */
  push(bytes: Uint8Array): Uint8Array | undefined {
    let at = 0;
    if (this.#received < HEADER_BYTES) {
      at = Math.min(HEADER_BYTES - this.#received, bytes.length);
      this.#header.set(bytes.subarray(0, at), this.#received);
      this.#received += at;
      if (this.#received < HEADER_BYTES) return undefined;
      this.#length = this.#parseHeader();
      this.#body = new Uint8Array(Math.min(this.#length, FIRST_BUFFER_BYTES));
    }
    return this.#append(at === 0 ? bytes : bytes.subarray(at));
  }

  #append(bytes: Uint8Array): Uint8Array | undefined {
    const used = this.#received - HEADER_BYTES;
    const total = used + bytes.length;
    if (total > this.#length) throw new AccessError("protocol", "bytes follow the server's response");
    this.#body = grow(this.#body ?? new Uint8Array(0), used, total, this.#length);
    this.#body.set(bytes, used);
    this.#received += bytes.length;
    return total === this.#length ? this.#body.subarray(0, total) : undefined;
  }

  #parseHeader(): number {
    const header = Buffer.from(this.#header).toString("latin1");
    const fields = /^(\d{10})[Zz](.).{10}(.)(.).$/s.exec(header);
    if (!fields) throw new AccessError("protocol", "the response is no WAIS message");
    const [, digits, version, compression, encoding] = fields;
    if (compression !== " " || encoding !== " " || !/[0-2]/.test(version ?? "")) {
      throw new AccessError("protocol", "the response has an unsupported version, compression or encoding");
    }
    const length = Number(digits);
    if (length > this.#limits.maxWaisApduBytes)
      throw limitError(
        "maxWaisApduBytes",
        this.#limits,
        `the server announced a response of ${length} bytes`,
      );
    return length;
  }
}

/** Returns a buffer for `total` bytes, at most `maxBytes`, with the first `used` bytes of `buffer`. */
function grow(buffer: Uint8Array, used: number, total: number, maxBytes: number): Uint8Array {
  if (total <= buffer.length) return buffer;
  const larger = new Uint8Array(Math.min(maxBytes, Math.max(total, buffer.length * 2)));
  larger.set(buffer.subarray(0, used));
  return larger;
}
