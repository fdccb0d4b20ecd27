import { limitError, type Limits } from "../policy/limits.ts";
import type { LineLimit } from "./lines.ts";

const LF = 0x0a;

/** The result of one push: the line that the bytes complete, and how many of them belong to it. */
export interface ScannedLine {
  /** One character a byte, without CR LF or LF. `undefined` until the line ends. */
  readonly line: string | undefined;
  readonly used: number;
}

/** Finds one line at a time in bytes that arrive in any pieces. The bytes behind the line stay with the caller. */
export class LineScanner {
  readonly #limits: Limits;
  readonly #limitName: LineLimit;
  #partial = "";

  constructor(limits: Limits, limitName: LineLimit) {
    this.#limits = limits;
    this.#limitName = limitName;
  }

  /** The beginning of a line whose end has not arrived. */
  get partial(): string {
    return this.#partial;
  }

  /** Scans up to the end of the next line. Throws `limit` for a line that is too long. */
  push(bytes: Uint8Array): ScannedLine {
    const end = bytes.indexOf(LF);
    const length = end < 0 ? bytes.length : end;
    const limit = this.#limits[this.#limitName];
    // A CR may belong to the line end.
    if (this.#partial.length + length > limit + 1) throw this.#tooLong();
    this.#partial += Buffer.from(bytes.buffer, bytes.byteOffset, length).toString("latin1");
    if (end < 0) {
      if (this.#partial.length > limit && !this.#partial.endsWith("\r")) throw this.#tooLong();
      return { line: undefined, used: length };
    }
    const line = this.#partial.endsWith("\r") ? this.#partial.slice(0, -1) : this.#partial;
    this.#partial = "";
    if (line.length > limit) throw this.#tooLong();
    return { line, used: end + 1 };
  }

  #tooLong(): Error {
    return limitError(this.#limitName, this.#limits, "a line is too long");
  }
}
