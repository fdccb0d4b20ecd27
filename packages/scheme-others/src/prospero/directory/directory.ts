import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, type DirectoryCompleteness } from "@anyscheme/core/plugin";
import type { Url } from "@anyscheme/core/syntax";
import { ProsperoEntry } from "./entry.ts";
import { LogicalLineSplitter } from "../protocol/logical-lines.ts";
import { isAttribute, type ReplyLine, type Link, parseLine } from "../protocol/reply-line.ts";
import { failureError } from "../protocol/failure.ts";
import { isResult, noResultError, type ReplyReader } from "../protocol/reply-reader.ts";

/** What the entries of a directory are made with. */
export interface EntryOptions {
  readonly limits: Limits;
  readonly parse: (text: string) => Url;
}

/** How the links of directories are read that a directory is united with. */
export interface UnionReader {
  /** Asks for the links of a directory; `undefined` where it has been asked already. */
  list(link: Link): Promise<ReplyReader | undefined>;
  /** Aborted when the access is over, and no further directory is asked. */
  readonly signal: AbortSignal;
}

/** The links of a directory as they arrive, and then those of the directories that it is united with. */
export class ProsperoDirectory implements AsyncIterable<ProsperoEntry> {
  readonly #reply: ReplyReader;
  readonly #gatherer: EntryCollector;
  readonly #uniting: UnionReader | undefined;
  #failedUnion = false;

  /** Union links are listed as links where `uniting` is absent. */
  constructor(reply: ReplyReader, listing: EntryOptions, uniting?: UnionReader) {
    this.#reply = reply;
    this.#gatherer = new EntryCollector(listing, uniting !== undefined);
    this.#uniting = uniting;
  }

  /** What the end of the links means: "truncated" when a server held links back, or a united directory could not be read. */
  get completeness(): DirectoryCompleteness {
    return this.#failedUnion || this.#gatherer.isIncomplete ? "truncated" : "verified";
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ProsperoEntry> {
    yield* this.#entriesOf(this.#reply);
    for (let union = this.#gatherer.nextUnion(); union; union = this.#gatherer.nextUnion()) {
      const [link, attributes] = union;
      try {
        const reply = await this.#uniting?.list(link);
        if (reply) yield* this.#entriesOf(reply);
      } catch (error) {
        if (this.#uniting?.signal.aborted || !(error instanceof AccessError) || error.code === "limit")
          throw error;
        this.#failedUnion = true;
        yield this.#gatherer.createEntry({ ...link, fault: error.reason }, attributes);
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
      // What came before a fault is given first.
      yield* lines ? this.#gatherer.addLines(lines) : this.#gatherer.endReply(failure);
      failure ??= this.#gatherer.takeFault();
      if (failure) throw failure;
      if (!lines) return;
    }
  }
}

/** The entries of a whole reply from memory. Throws `protocol`, `limit`, and what its server refuses with. */
export function decodeListing(reply: Uint8Array, listing: EntryOptions): ProsperoEntry[] {
  const gatherer = new EntryCollector(listing, false);
  const cutter = new LogicalLineSplitter(listing.limits);
  const lines = cutter.push(reply);
  const entries = [...gatherer.addLines(lines), ...gatherer.addLines([cutter.end()]), ...gatherer.endReply()];
  const fault = gatherer.takeFault();
  if (fault) throw fault;
  return entries;
}

/** Makes entries of the lines of replies: a link, and the attributes that follow it. */
class EntryCollector {
  readonly #listing: EntryOptions;
  readonly #unites: boolean;
  readonly #unions: (readonly [link: Link, attributes: readonly string[]])[] = [];
  #link: Link | undefined;
  /** Lines; whoever asks an entry for them has them read. */
  #attributes: string[] = [];
  #count = 0;
  /** Whether a line of the reply has answered the request. */
  #answered = false;
  #heldBack = false;
  #fault: Error | undefined;

  constructor(listing: EntryOptions, unites: boolean) {
    this.#listing = listing;
    this.#unites = unites;
  }

  /** Whether a server has reported that it held information back. */
  get isIncomplete(): boolean {
    return this.#heldBack;
  }

  /** The fault in the lines, once; what comes after it is not read. */
  takeFault(): Error | undefined {
    const fault = this.#fault;
    this.#fault = undefined;
    return fault;
  }

  /** The entries that these lines complete. */
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

  /** The entry that the end of a reply completes. A reply without an answer, and without a failure of its own, is a fault. */
  endReply(failure?: Error): ProsperoEntry[] {
    const entries: ProsperoEntry[] = [];
    this.#finish(entries);
    if (!this.#answered && !failure) this.#fault ??= noResultError();
    this.#answered = false;
    return entries;
  }

  /** A directory that is to be asked for its links as well, and the lines of its attributes. */
  nextUnion(): readonly [link: Link, attributes: readonly string[]] | undefined {
    return this.#unions.shift();
  }

  createEntry(link: Link, attributes: readonly string[]): ProsperoEntry {
    return new ProsperoEntry(link, attributes, this.#listing.parse);
  }

  #read(line: ReplyLine, text: string, entries: ProsperoEntry[]): void {
    if (line.kind === "attribute") this.#attributes.push(text);
    this.#answered ||= isResult(line);
    if (line.kind === "warning") this.#heldBack ||= line.code === INCOMPLETE_WARNING;
    if (line.kind === "attribute" || !isResult(line)) return;
    this.#finish(entries);
    if (line.kind === "failure") throw failureError(line);
    if (line.kind === "forwarded" || line.kind === "unresolved")
      throw new AccessError("protocol", "the reply ends with a part of the directory that is elsewhere");
    if (line.kind !== "link") return;
    const { limits } = this.#listing;
    if (++this.#count > limits.maxProsperoLinks)
      throw limitError("maxProsperoLinks", limits, "the directory has too many links");
    this.#link = line;
  }

  #finish(entries: ProsperoEntry[]): void {
    const link = this.#link;
    if (link?.union && this.#unites) this.#unions.push([link, this.#attributes]);
    else if (link) entries.push(this.createEntry(link, this.#attributes));
    this.#link = undefined;
    this.#attributes = [];
  }
}

/** The original warns with this code: "Some information you wanted can't be sent." */
const INCOMPLETE_WARNING = "OUT-OF-DATE";
