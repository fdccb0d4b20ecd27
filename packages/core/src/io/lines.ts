import type { AccessError } from "../errors/access-error.ts";
import { limitError, type Limits } from "../policy/limits.ts";
import type { ByteSource } from "../scheme/content.ts";

const LF = 0x0a;
const CR = 0x0d;
const NOTHING = new Uint8Array(0);

/** The limits on the length of a line. */
export type LineLimit =
  "maxListingLineBytes" | "maxGopherLineBytes" | "maxNntpLineBytes" | "maxReplyLineBytes";

/**
 * Cuts bytes into lines, whatever the pieces they arrive in. A line ends with LF or CR LF, which are not part of it. The
 * lines are views of the bytes pushed last, or copies.
 */
export class LineSplitter {
  readonly #limits: Limits;
  readonly #name: LineLimit;
  #rest: Uint8Array = NOTHING;
  #failure: AccessError | undefined;

  /** Lines longer than the limit of this name make `push` throw `limit`. */
  constructor(limits: Limits, name: LineLimit) {
    this.#limits = limits;
    this.#name = name;
  }

  /** The lines that these bytes complete. Those before a line that is too long are given first; the next call throws. */
  push(bytes: Uint8Array): Uint8Array[] {
    this.throwIfTooLong();
    const lines: Uint8Array[] = [];
    for (let start = 0; ;) {
      const end = bytes.indexOf(LF, start);
      const piece = bytes.subarray(start, end < 0 ? bytes.length : end);
      const whole = this.#rest.length === 0 ? piece : concat(this.#rest, piece);
      const line = whole.at(-1) === CR ? whole.subarray(0, -1) : whole;
      this.#judge(line);
      if (this.#failure) break;
      if (end < 0) {
        this.#rest = whole === piece ? new Uint8Array(piece) : whole;
        break;
      }
      this.#rest = NOTHING;
      lines.push(line);
      start = end + 1;
    }
    if (lines.length === 0) this.throwIfTooLong();
    return lines;
  }

  /** What follows the last line end; the cutter is empty afterwards. */
  rest(): Uint8Array {
    const rest = this.#rest;
    // A CR that no LF has followed is part of the line.
    this.#judge(rest);
    this.throwIfTooLong();
    this.#rest = NOTHING;
    return rest;
  }

  #judge(line: Uint8Array): void {
    if (line.length > this.#limits[this.#name])
      this.#failure ??= limitError(this.#name, this.#limits, "a line is too long");
  }

  /** Throws `limit` when a line was too long. */
  throwIfTooLong(): void {
    if (this.#failure) throw this.#failure;
  }
}

/** The lines of a source, as they arrive; a last line without a line end counts when it is not empty. */
export async function* readLines(
  source: ByteSource,
  limits: Limits,
  name: LineLimit,
): AsyncGenerator<Uint8Array> {
  const cutter = new LineSplitter(limits, name);
  let lines: Uint8Array[] = [];
  for (;;) {
    const state = await source.read((bytes) => {
      lines = cutter.push(new Uint8Array(bytes));
      return lines.length === 0;
    });
    yield* lines;
    lines = [];
    cutter.throwIfTooLong();
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
