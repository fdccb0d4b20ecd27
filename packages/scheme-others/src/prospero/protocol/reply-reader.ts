import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, type ByteSource } from "@anyscheme/core/plugin";
import { LogicalLineSplitter } from "./logical-lines.ts";
import { type ReplyLine, parseLine } from "./reply-line.ts";

/** Summarizes lines for the trace, as in `3 attribute, 1 link`. Includes the text of failures and warnings. */
export function summarize(lines: readonly ReplyLine[]): string {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const text = "text" in line ? describeLine(line) : line.kind;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${count} ${text}`).join(", ") || "nothing";
}

function describeLine({ kind, code, text }: Extract<ReplyLine, { text: string }>): string {
  const coded = text.startsWith(code) ? text : `${code} ${text}`.trim();
  return kind === "warning" ? `warning ${coded}` : coded;
}

/** True for a line with a result. Remarks and warnings have none. */
export function isResult({ kind }: ReplyLine): boolean {
  return kind !== "remark" && kind !== "warning";
}

/** Creates the error for a reply without a result. */
export function noResultError(): AccessError {
  return new AccessError("protocol", "the server's reply has no result");
}

/** Reads the lines of a reply as they arrive. */
export class ReplyReader {
  readonly #source: ByteSource;
  readonly #limits: Limits;
  readonly #splitter: LogicalLineSplitter;
  #lines: readonly string[] = [];
  #bytes = 0;
  #ended = false;
  /** The error at the end of the reply. */
  #fault: Error | undefined;

  constructor(source: ByteSource, limits: Limits) {
    this.#source = source;
    this.#limits = limits;
    this.#splitter = new LogicalLineSplitter(limits);
  }

  /**
   * Returns the next lines, or `undefined` at the end. Throws `limit` or the error of the source, after it has
   * returned the lines before the error.
   */
  async next(): Promise<readonly string[] | undefined> {
    while (this.#lines.length === 0) {
      if (this.#fault) throw this.#fault;
      if (this.#ended) return undefined;
      await this.#fill();
    }
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** Parses the first lines that arrive, up to an invalid line. `next` returns these lines again. */
  async peek(): Promise<readonly ReplyLine[]> {
    while (this.#lines.length === 0 && !this.#ended) await this.#fill();
    const lines: ReplyLine[] = [];
    for (const line of this.#lines) {
      try {
        lines.push(parseLine(line));
      } catch {
        // The caller of `next` parses this line again and throws the error.
        break;
      }
    }
    return lines;
  }

  /** Parses all lines of a short reply. Throws `protocol` for an invalid line, and for a reply without a result. */
  async readAll(): Promise<ReplyLine[]> {
    const found: ReplyLine[] = [];
    for (let lines = await this.next(); lines; lines = await this.next()) found.push(...lines.map(parseLine));
    if (!found.some(isResult)) throw noResultError();
    return found;
  }

  async #fill(): Promise<void> {
    const state = await this.#source.read((bytes) => {
      this.#bytes += bytes.length;
      if (this.#bytes > this.#limits.maxListingBytes)
        throw limitError("maxListingBytes", this.#limits, "the reply is too long");
      this.#lines = this.#splitter.push(bytes);
      return false;
    });
    if (state !== "end") return;
    this.#ended = true;
    try {
      const rest = this.#splitter.end();
      if (rest !== "") this.#lines = [...this.#lines, rest];
    } catch (error) {
      this.#fault = error as Error;
    }
  }
}
