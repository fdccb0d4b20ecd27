import { AccessError } from "../access-error.ts";
import type { OctetSource } from "../scheme.ts";

const LF = 0x0a;
const CR = 0x0d;
const NOTHING = new Uint8Array(0);

/**
 * Cuts octets into lines, whatever the pieces they arrive in. A line ends with LF or CR LF, which are not part of it. The
 * lines are views of the octets pushed last, or copies.
 */
export class LineCutter {
  readonly #maxLineBytes: number;
  #rest: Uint8Array = NOTHING;

  /** Lines longer than `maxLineBytes` make `push` throw `limit`. */
  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that these octets complete. */
  push(octets: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (;;) {
      const end = octets.indexOf(LF, start);
      if (end < 0) break;
      lines.push(this.#line(octets.subarray(start, end)));
      start = end + 1;
    }
    this.#keep(octets.subarray(start));
    return lines;
  }

  /** What follows the last line end; the cutter is empty afterwards. */
  rest(): Uint8Array {
    const rest = this.#rest;
    this.#rest = NOTHING;
    return rest;
  }

  #line(piece: Uint8Array): Uint8Array {
    const whole = this.#rest.length === 0 ? piece : concat(this.#rest, piece);
    this.#rest = NOTHING;
    const line = whole.at(-1) === CR ? whole.subarray(0, -1) : whole;
    this.#checkLength(line.length);
    return line;
  }

  #keep(piece: Uint8Array): void {
    this.#checkLength(this.#rest.length + piece.length - 1);
    if (piece.length > 0) this.#rest = concat(this.#rest, piece);
  }

  #checkLength(length: number): void {
    if (length > this.#maxLineBytes) {
      throw new AccessError("limit", `a line is longer than ${this.#maxLineBytes} octets`, {
        limit: "line length",
      });
    }
  }
}

/** The lines of a source, as they arrive; a last line without a line end counts when it is not empty. */
export async function* linesOf(source: OctetSource, maxLineBytes: number): AsyncGenerator<Uint8Array> {
  const cutter = new LineCutter(maxLineBytes);
  let lines: Uint8Array[] = [];
  for (;;) {
    const state = await source.read((octets) => {
      lines = cutter.push(octets.slice());
      return lines.length === 0;
    });
    yield* lines;
    lines = [];
    if (state === "end") break;
  }
  const rest = cutter.rest();
  if (rest.length > 0) yield rest;
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
