import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, type ByteSource } from "@anyscheme/core/plugin";
import { LogicalLineSplitter } from "./logical-lines.ts";
import { type ReplyLine, parseLine } from "./reply-line.ts";

/** What lines are, in the words of a transcript: `3 attribute, 1 link`; the words of a failure or a warning. */
export function summarize(lines: readonly ReplyLine[]): string {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const text = "words" in line ? describeLine(line) : line.kind;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${count} ${text}`).join(", ") || "nothing";
}

function describeLine({ kind, code, words }: Extract<ReplyLine, { words: string }>): string {
  const coded = words.startsWith(code) ? words : `${code} ${words}`.trim();
  return kind === "warning" ? `warning ${coded}` : coded;
}

/** Whether a line belongs to an answer. Others are for people, or none that is known. */
export function isResult({ kind }: ReplyLine): boolean {
  return kind !== "remark" && kind !== "warning";
}

/** The fault of a reply of which no line answers what was asked. */
export function noResultError(): AccessError {
  return new AccessError("protocol", "the server's reply has no line that answers the request");
}

/** The lines of a reply, as they arrive. */
export class ReplyReader {
  readonly #source: ByteSource;
  readonly #limits: Limits;
  readonly #cutter: LogicalLineSplitter;
  #lines: readonly string[] = [];
  #bytes = 0;
  #ended = false;
  /** What is wrong with the end of the reply. */
  #fault: Error | undefined;

  constructor(source: ByteSource, limits: Limits) {
    this.#source = source;
    this.#limits = limits;
    this.#cutter = new LogicalLineSplitter(limits);
  }

  /**
   * The lines that have arrived, after a wait for some of them; `undefined` at the end. Throws `limit`, and what the source
   * throws, after what came before.
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

  /** The lines that arrive together first, up to one that makes no sense. They stay to be read. */
  async peek(): Promise<readonly ReplyLine[]> {
    while (this.#lines.length === 0 && !this.#ended) await this.#fill();
    const lines: ReplyLine[] = [];
    for (const line of this.#lines) {
      try {
        lines.push(parseLine(line));
      } catch {
        // Whoever reads that far is told.
        break;
      }
    }
    return lines;
  }

  /** All lines of a reply that is not long. Throws `protocol` for one that makes no sense, and where no line answers. */
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
      this.#lines = this.#cutter.push(bytes);
      return false;
    });
    if (state !== "end") return;
    this.#ended = true;
    try {
      const rest = this.#cutter.end();
      if (rest !== "") this.#lines = [...this.#lines, rest];
    } catch (error) {
      this.#fault = error as Error;
    }
  }
}
