import type { AccessError, Limits } from "@anyscheme/core";
import { limitError } from "@anyscheme/core/plugin";
import { rejectOpenQuote } from "./reply-line.ts";
import { bytesToLatin1 } from "./text.ts";

/**
 * Cuts the bytes of a message into logical lines, whatever the packets they arrive in: a line ends at the first LF outside
 * apostrophes. Where a doubled apostrophe stands for one, the run is left and entered again, so that counting them is enough.
 */
export class LogicalLineSplitter {
  readonly #limits: Limits;
  /** The beginning of a line whose end has not come. */
  #parts: string[] = [];
  #length = 0;
  #quoted = false;
  #failure: AccessError | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The lines that these bytes complete, without their LF. Those before a line that is too long are given first; the next call throws. */
  push(bytes: Uint8Array): string[] {
    this.throwIfTooLong();
    const text = bytesToLatin1(bytes);
    const lines: string[] = [];
    let start = 0;
    let feed = text.indexOf("\n");
    for (let at = 0; at < text.length;) {
      if (feed >= 0 && feed < at) feed = text.indexOf("\n", at);
      const apostrophe = text.indexOf("'", at);
      if (!this.#quoted && feed >= 0 && (apostrophe < 0 || feed < apostrophe)) {
        const line = this.#whole(text.slice(start, feed));
        if (line === undefined) break;
        lines.push(line);
        start = at = feed + 1;
      } else if (apostrophe < 0) {
        at = text.length;
      } else {
        this.#quoted = !this.#quoted;
        at = apostrophe + 1;
      }
    }
    if (!this.#failure) this.#keep(text.slice(start));
    if (lines.length === 0) this.throwIfTooLong();
    return lines;
  }

  /**
   * What follows the last line end: "VERSION-NOT-SUPPORTED" comes without one. The cutter is empty afterwards. Throws `protocol`
   * where a quotation has not ended, and `limit` when a line was too long.
   */
  end(): string {
    this.throwIfTooLong();
    const line = this.#take();
    rejectOpenQuote(line);
    return line;
  }

  /** Throws `limit` when a line was too long. */
  throwIfTooLong(): void {
    if (this.#failure) throw this.#failure;
  }

  /** The line that ends with this part; `undefined` when it is too long. */
  #whole(part: string): string | undefined {
    // Most lines come in one piece.
    if (this.#length === 0 && part.length <= this.#limits.maxListingLineBytes) return part;
    return this.#keep(part) ? this.#take() : undefined;
  }

  /** Adds to the line that has begun; false when it is too long now. */
  #keep(part: string): boolean {
    this.#length += part.length;
    if (this.#length > this.#limits.maxListingLineBytes) {
      this.#failure = limitError("maxListingLineBytes", this.#limits, "a line is too long");
      return false;
    }
    if (part !== "") this.#parts.push(part);
    return true;
  }

  #take(): string {
    const [first = ""] = this.#parts;
    const line = this.#parts.length > 1 ? this.#parts.join("") : first;
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}
