import { AccessError, type Limits } from "@anyscheme/core";
import { limitError } from "@anyscheme/core/plugin";

/** What stands before every APDU: its length in ten digits, type, version, server name, compression, encoding, check sum. */
export const HEADER_BYTES = 25;

/** Digits of the length; clients of old wait for a "0", so that only nine of them count. */
const LENGTH_DIGITS = 10;

/** What is held of a message before its bytes have come, however long it says it is. */
const FIRST_BUFFER_BYTES = 16_384;

/** A message of version 2 around an APDU, neither compressed nor encoded. Nobody ever computed a check sum. */
export function encodeMessage(apdu: Uint8Array): Uint8Array {
  const length = String(apdu.length).padStart(LENGTH_DIGITS, "0");
  return Buffer.concat([Buffer.from(`${length}z2wais        0`, "latin1"), apdu]);
}

/**
 * Puts one message together, whatever the pieces it arrives in. Throws `protocol` for what is no WAIS message, and `limit`
 * before it holds more than `limits.maxWaisApduBytes`.
 */
export class MessageReader {
  readonly #limits: Limits;
  readonly #header = new Uint8Array(HEADER_BYTES);
  #received = 0;
  #length = 0;
  #body: Uint8Array | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Whether any byte has come. */
  get hasStarted(): boolean {
    return this.#received > 0;
  }

  /** The APDU, once these bytes complete it. Throws `protocol` when more bytes follow it. */
  push(bytes: Uint8Array): Uint8Array | undefined {
    let at = 0;
    if (this.#received < HEADER_BYTES) {
      at = Math.min(HEADER_BYTES - this.#received, bytes.length);
      this.#header.set(bytes.subarray(0, at), this.#received);
      this.#received += at;
      if (this.#received < HEADER_BYTES) return undefined;
      this.#length = this.#judgeHeader();
      this.#body = new Uint8Array(Math.min(this.#length, FIRST_BUFFER_BYTES));
    }
    return this.#fill(at === 0 ? bytes : bytes.subarray(at));
  }

  #fill(bytes: Uint8Array): Uint8Array | undefined {
    const held = this.#received - HEADER_BYTES;
    const total = held + bytes.length;
    if (total > this.#length) throw new AccessError("protocol", "bytes follow the server's answer");
    this.#body = grow(this.#body ?? new Uint8Array(0), held, total, this.#length);
    this.#body.set(bytes, held);
    this.#received += bytes.length;
    return total === this.#length ? this.#body.subarray(0, total) : undefined;
  }

  #judgeHeader(): number {
    const header = Buffer.from(this.#header).toString("latin1");
    const fields = /^(\d{10})[Zz](.).{10}(.)(.).$/s.exec(header);
    if (!fields) throw new AccessError("protocol", "the answer is no WAIS message");
    const [, digits, version, compression, encoding] = fields;
    if (compression !== " " || encoding !== " " || !/[0-2]/.test(version ?? "")) {
      throw new AccessError("protocol", "the answer is in a form that was not asked for");
    }
    const length = Number(digits);
    if (length > this.#limits.maxWaisApduBytes)
      throw limitError("maxWaisApduBytes", this.#limits, `the server announces an answer of ${length} bytes`);
    return length;
  }
}

/** A buffer with room for `total` bytes, of which `held` are there already; never larger than `most`. */
function grow(buffer: Uint8Array, held: number, total: number, most: number): Uint8Array {
  if (total <= buffer.length) return buffer;
  const larger = new Uint8Array(Math.min(most, Math.max(total, buffer.length * 2)));
  larger.set(buffer.subarray(0, held));
  return larger;
}
