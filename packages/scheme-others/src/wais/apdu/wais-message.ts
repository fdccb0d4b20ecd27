import { AccessError } from "@anyscheme/core";
import { createLimitError } from "@anyscheme/core/plugin";
import type { WaisLimits } from "../scheme-options.ts";

/**
 * The size of the WAIS header before an APDU, in bytes. The fields of the WAIS header are length in ten digits, type,
 * version, server name, compression, encoding and checksum.
 */
export const WAIS_HEADER_BYTES = 25;

/**
 * The number of digits of the length in the header of a WAIS message. Old WAIS clients require a leading "0", which
 * leaves nine digits for the length.
 */
const WAIS_HEADER_LENGTH_DIGITS = 10;

/**
 * The size of the first buffer for a WAIS message. The length in the message header does not affect the size of this
 * first buffer.
 */
const INITIAL_BUFFER_BYTES = 16_384;

/**
 * Encodes a message of version 2 with an APDU, without compression and encoding. Omits the checksum, which no known
 * software computes.
 */
export function encodeWaisMessage(apdu: Uint8Array): Uint8Array {
  const length = String(apdu.length).padStart(WAIS_HEADER_LENGTH_DIGITS, "0");
  return Buffer.concat([Buffer.from(`${length}z2wais        0`, "latin1"), apdu]);
}

/**
 * Assembles a WAIS message from chunks of any size. Throws `protocol` for an invalid message, and `limit` before it
 * allocates more than `limits.maxWaisApduBytes`.
 */
export class WaisMessageReader {
  readonly #limits: WaisLimits;
  #buffer = new ArrayBuffer(INITIAL_BUFFER_BYTES);
  #received = 0;
  /** The size of the WAIS message, which is undefined until the header has arrived. */
  #size: number | undefined;

  constructor(limits: WaisLimits) {
    this.#limits = limits;
  }

  /** True when a byte of the WAIS message has arrived. */
  get hasStarted(): boolean {
    return this.#received > 0;
  }

  /**
   * Returns the APDU when the given bytes complete the WAIS message. Throws `protocol` if more bytes follow the
   * message.
   */
  push(bytes: Uint8Array): Uint8Array | undefined {
    const start = this.#received;
    this.#received += bytes.length;
    if (this.#size === undefined || this.#received <= this.#size) this.#store(bytes, start);
    if (this.#size === undefined && this.#received >= WAIS_HEADER_BYTES)
      this.#size = WAIS_HEADER_BYTES + this.#parseLength();
    if (this.#size === undefined || this.#received < this.#size) return undefined;
    if (this.#received > this.#size)
      throw new AccessError("protocol", "the server sent further bytes after its response");
    return new Uint8Array(this.#buffer, WAIS_HEADER_BYTES, this.#size - WAIS_HEADER_BYTES);
  }

  /**
   * Copies received bytes to the buffer of the WAIS message. Doubles a message buffer that is too small, up to the size
   * of the message.
   */
  #store(bytes: Uint8Array, start: number): void {
    const end = start + bytes.length;
    const doubled = Math.min(this.#buffer.byteLength * 2, this.#size ?? Infinity);
    if (end > this.#buffer.byteLength) this.#buffer = this.#buffer.transfer(Math.max(end, doubled));
    new Uint8Array(this.#buffer).set(bytes, start);
  }

  /** Parses the header. Returns the length of the APDU after the WAIS header. */
  #parseLength(): number {
    const header = Buffer.from(this.#buffer, 0, WAIS_HEADER_BYTES).toString("latin1");
    const fields = /^(\d{10})[Zz](.).{10}(.)(.).$/s.exec(header);
    if (!fields) throw new AccessError("protocol", "the response is no WAIS message");
    const [, digits, version, compression, encoding] = fields;
    if (compression !== " " || encoding !== " " || !/[0-2]/.test(version ?? "")) {
      throw new AccessError("protocol", "the response has an unsupported version, compression or encoding");
    }
    const length = Number(digits);
    if (length > this.#limits.maxWaisApduBytes)
      throw createLimitError(
        "maxWaisApduBytes",
        this.#limits,
        `the server announced a response of ${length} bytes`,
      );
    return length;
  }
}
