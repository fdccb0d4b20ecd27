import type { AccessError, Limits } from "@anyscheme/core";
import { limitError, bytesToLatin1 } from "@anyscheme/core/plugin";
import { rejectOpenQuote } from "./reply-line.ts";

/**
 * Splits a message into logical lines, from chunks of any size. A line ends at the first LF outside apostrophes. A
 * doubled apostrophe closes the quotation and opens it again, so counting apostrophes is enough.
 */
export class LogicalLineSplitter {
  readonly #limits: Limits;
  /** The beginning of the incomplete line. */
  #parts: string[] = [];
  #length = 0;
  #quoted = false;
  #failure: AccessError | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Returns the lines that these bytes complete, without LF. If a line is too long, returns the lines before it,
   * and the next call throws `limit`.
   */
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
        const line = this.#complete(text.slice(start, feed));
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
    if (!this.#failure) this.#append(text.slice(start));
    if (lines.length === 0) this.throwIfTooLong();
    return lines;
  }

  /**
   * Returns the text after the last line end, because "VERSION-NOT-SUPPORTED" has no line end. Throws `protocol`
   * for an open quotation, and `limit` for a line that is too long.
   */
  end(): string {
    this.throwIfTooLong();
    const line = this.#joinParts();
    rejectOpenQuote(line);
    return line;
  }

  /** Throws `limit` when a line was too long. */
  throwIfTooLong(): void {
    if (this.#failure) throw this.#failure;
  }

  /** Returns the line that ends with this part, or `undefined` if the line is too long. */
  #complete(part: string): string | undefined {
    // Most lines arrive in one chunk, which needs no concatenation.
    if (this.#length === 0 && part.length <= this.#limits.maxListingLineBytes) return part;
    return this.#append(part) ? this.#joinParts() : undefined;
  }

  /** Adds text to the incomplete line. Returns false if the line is too long. */
  #append(part: string): boolean {
    this.#length += part.length;
    if (this.#length > this.#limits.maxListingLineBytes) {
      this.#failure = limitError("maxListingLineBytes", this.#limits, "a line is too long");
      return false;
    }
    if (part !== "") this.#parts.push(part);
    return true;
  }

  #joinParts(): string {
    const [first = ""] = this.#parts;
    const line = this.#parts.length > 1 ? this.#parts.join("") : first;
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}
