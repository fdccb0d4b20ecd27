import { AccessError, type CoreLimits } from "@anyscheme/core";
import { limitByteSource } from "@anyscheme/core/io";
import type { ByteSource } from "@anyscheme/core/plugin";
import { ProsperoLineSplitter } from "./logical-lines.ts";
import { type ProsperoReplyLine, parseProsperoReplyLine } from "./reply-line.ts";

/**
 * Summarizes lines of a Prospero reply for the trace, as in `3 attribute, 1 link`. The summary includes the text of
 * failures and warnings.
 */
export function summarizeProsperoReplyLines(lines: readonly ProsperoReplyLine[]): string {
  const groups = Map.groupBy(lines, (line) => ("text" in line ? summarizeReplyLine(line) : line.kind));
  return Array.from(groups, ([text, { length }]) => `${length} ${text}`).join(", ") || "nothing";
}

function summarizeReplyLine({ kind, code, text }: Extract<ProsperoReplyLine, { text: string }>): string {
  const coded = text.startsWith(code) ? text : `${code} ${text}`.trim();
  return kind === "warning" ? `warning ${coded}` : coded;
}

/**
 * True for a Prospero reply line that answers the request with a result or a failure. Remarks and warnings of a
 * Prospero server do not answer the request.
 */
export function isProsperoResultOrFailureLine({ kind }: ProsperoReplyLine): boolean {
  return kind !== "remark" && kind !== "warning";
}

/** Creates the error for a Prospero reply without a result. */
export function createReplyWithoutResultError(): AccessError {
  return new AccessError("protocol", "the server's reply has no result");
}

/**
 * Reads the logical lines of a Prospero reply as they arrive. Yields the reply lines that precede an error, and then
 * throws the error.
 */
export class ProsperoReplyLineReader implements AsyncIterable<readonly string[]> {
  readonly #source: ByteSource;
  readonly #splitter: ProsperoLineSplitter;
  #lines: string[] = [];
  #hasEnded = false;
  #failure: unknown;

  constructor(source: ByteSource, limits: CoreLimits) {
    this.#source = limitByteSource(source, limits, "maxListingBytes", "the reply is too long");
    this.#splitter = new ProsperoLineSplitter(limits);
  }

  /**
   * Yields the Prospero reply lines that each packet completes. Throws `limit`, `protocol` and the errors of the source
   * of the Prospero reply.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<readonly string[]> {
    for (;;) {
      while (this.#lines.length > 0) yield this.#lines.splice(0);
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#hasEnded) return;
      await this.#receive();
    }
  }

  /**
   * Parses the first lines of the reply that arrive, up to an invalid line. The iterator of the reader later yields the
   * lines that `peek` returns.
   */
  async peek(): Promise<readonly ProsperoReplyLine[]> {
    while (this.#lines.length === 0 && !this.#hasEnded) await this.#receive();
    const lines: ProsperoReplyLine[] = [];
    for (const line of this.#lines) {
      try {
        lines.push(parseProsperoReplyLine(line));
      } catch {
        // The parser of the directory entries parses the invalid line of the Prospero reply again, and throws
        // the error.
        break;
      }
    }
    return lines;
  }

  /**
   * Parses all lines of a short Prospero reply. Throws `protocol` for an invalid reply line, and for a Prospero reply
   * without a result.
   */
  async readAll(): Promise<ProsperoReplyLine[]> {
    const found: ProsperoReplyLine[] = [];
    for await (const lines of this) found.push(...lines.map(parseProsperoReplyLine));
    if (!found.some(isProsperoResultOrFailureLine)) throw createReplyWithoutResultError();
    return found;
  }

  async #receive(): Promise<void> {
    try {
      const state = await this.#source.readChunks((bytes) => {
        for (const line of this.#splitter.push(bytes)) this.#lines.push(line);
        return false;
      });
      if (state !== "end") return;
      this.#hasEnded = true;
      const lastLine = this.#splitter.end();
      if (lastLine !== "") this.#lines.push(lastLine);
    } catch (error) {
      this.#failure = error;
      if (this.#lines.length === 0 && !this.#hasEnded) throw error;
    }
  }
}
