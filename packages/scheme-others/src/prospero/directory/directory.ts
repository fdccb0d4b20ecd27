import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, type DirectoryCompleteness } from "@anyscheme/core/plugin";
import type { Url } from "@anyscheme/core/syntax";
import { ProsperoEntry } from "./entry.ts";
import { LogicalLineSplitter } from "../protocol/logical-lines.ts";
import { isAttribute, type ReplyLine, type Link, parseLine } from "../protocol/reply-line.ts";
import { failureError } from "../protocol/failure.ts";
import { isResult, noResultError, type ReplyReader } from "../protocol/reply-reader.ts";

/** The options that the entries of a directory need. */
export interface EntryOptions {
  readonly limits: Limits;
  readonly parse: (text: string) => Url;
}

/** Lists the directories that a directory is united with. */
export interface UnionReader {
  /** Requests the links of a directory. Returns `undefined` if they were requested before. */
  list(link: Link): Promise<ReplyReader | undefined>;
  /** The signal that aborts at the end of the request. */
  readonly signal: AbortSignal;
}

/** The links of a directory, as they arrive. The links of united directories follow. */
export class ProsperoDirectory implements AsyncIterable<ProsperoEntry> {
  readonly #reply: ReplyReader;
  readonly #collector: EntryCollector;
  readonly #unions: UnionReader | undefined;
  #failedUnion = false;

  /** Creates a directory. Union links are entries if `unions` is omitted. */
  constructor(reply: ReplyReader, listing: EntryOptions, unions?: UnionReader) {
    this.#reply = reply;
    this.#collector = new EntryCollector(listing, unions !== undefined);
    this.#unions = unions;
  }

  /** The completeness. `"truncated"` if a server withheld links, or a united directory could not be read. */
  get completeness(): DirectoryCompleteness {
    return this.#failedUnion || this.#collector.isIncomplete ? "truncated" : "verified";
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ProsperoEntry> {
    yield* this.#entriesOf(this.#reply);
    for (let union = this.#collector.nextUnion(); union; union = this.#collector.nextUnion()) {
      const [link, attributes] = union;
      try {
        const reply = await this.#unions?.list(link);
        if (reply) yield* this.#entriesOf(reply);
      } catch (error) {
        if (this.#unions?.signal.aborted || !(error instanceof AccessError) || error.code === "limit")
          throw error;
        this.#failedUnion = true;
        yield this.#collector.createEntry({ ...link, fault: error.reason }, attributes);
      }
    }
  }

  async *#entriesOf(reply: ReplyReader): AsyncGenerator<ProsperoEntry> {
    for (;;) {
      let lines: readonly string[] | undefined;
      let failure: Error | undefined;
      try {
        lines = await reply.next();
      } catch (error) {
        failure = error as Error;
      }
      // The entries before an error are yielded before the error is thrown.
      yield* lines ? this.#collector.addLines(lines) : this.#collector.endReply(failure);
      failure ??= this.#collector.takeFault();
      if (failure) throw failure;
      if (!lines) return;
    }
  }
}

/** Decodes a whole reply. Throws `protocol`, `limit`, and the server's failure. */
export function decodeListing(reply: Uint8Array, listing: EntryOptions): ProsperoEntry[] {
  const collector = new EntryCollector(listing, false);
  const cutter = new LogicalLineSplitter(listing.limits);
  const lines = cutter.push(reply);
  const entries = [
    ...collector.addLines(lines),
    ...collector.addLines([cutter.end()]),
    ...collector.endReply(),
  ];
  const fault = collector.takeFault();
  if (fault) throw fault;
  return entries;
}

/** Creates entries from lines. An entry is a link with the attributes after it. */
class EntryCollector {
  readonly #listing: EntryOptions;
  readonly #followsUnions: boolean;
  readonly #unions: (readonly [link: Link, attributes: readonly string[]])[] = [];
  #link: Link | undefined;
  /** The lines of the attributes of the current link. An entry parses its attributes at the first access. */
  #attributes: string[] = [];
  #count = 0;
  /** True when a line of the reply had a result. */
  #hasResult = false;
  #heldBack = false;
  #fault: Error | undefined;

  constructor(listing: EntryOptions, followsUnions: boolean) {
    this.#listing = listing;
    this.#followsUnions = followsUnions;
  }

  /** True when a server reported that it withheld information. */
  get isIncomplete(): boolean {
    return this.#heldBack;
  }

  /** Returns and removes the error in the lines. The lines after the error are ignored. */
  takeFault(): Error | undefined {
    const fault = this.#fault;
    this.#fault = undefined;
    return fault;
  }

  /** Returns the entries that these lines complete. */
  addLines(lines: readonly string[]): ProsperoEntry[] {
    const entries: ProsperoEntry[] = [];
    if (this.#fault) return entries;
    try {
      for (const line of lines) {
        if (isAttribute(line)) this.#attributes.push(line);
        else this.#read(parseLine(line), line, entries);
      }
    } catch (error) {
      this.#fault = error as Error;
      this.#finish(entries);
    }
    return entries;
  }

  /** Returns the entry that the end of a reply completes. A reply without a result is an error. */
  endReply(failure?: Error): ProsperoEntry[] {
    const entries: ProsperoEntry[] = [];
    this.#finish(entries);
    if (!this.#hasResult && !failure) this.#fault ??= noResultError();
    this.#hasResult = false;
    return entries;
  }

  /** Returns and removes the next united directory, with the lines of its attributes. */
  nextUnion(): readonly [link: Link, attributes: readonly string[]] | undefined {
    return this.#unions.shift();
  }

  createEntry(link: Link, attributes: readonly string[]): ProsperoEntry {
    return new ProsperoEntry(link, attributes, this.#listing.parse);
  }

  #read(line: ReplyLine, text: string, entries: ProsperoEntry[]): void {
    if (line.kind === "attribute") this.#attributes.push(text);
    this.#hasResult ||= isResult(line);
    if (line.kind === "warning") this.#heldBack ||= line.code === INCOMPLETE_WARNING;
    if (line.kind === "attribute" || !isResult(line)) return;
    this.#finish(entries);
    if (line.kind === "failure") throw failureError(line);
    if (line.kind === "forwarded" || line.kind === "unresolved")
      throw new AccessError("protocol", "the reply ends with a part of the directory on another server");
    if (line.kind !== "link") return;
    const { limits } = this.#listing;
    if (++this.#count > limits.maxProsperoLinks)
      throw limitError("maxProsperoLinks", limits, "the directory has too many links");
    this.#link = line;
  }

  #finish(entries: ProsperoEntry[]): void {
    const link = this.#link;
    if (link?.union && this.#followsUnions) this.#unions.push([link, this.#attributes]);
    else if (link) entries.push(this.createEntry(link, this.#attributes));
    this.#link = undefined;
    this.#attributes = [];
  }
}

/** The warning of the original server for "Some information you wanted can't be sent." */
const INCOMPLETE_WARNING = "OUT-OF-DATE";
