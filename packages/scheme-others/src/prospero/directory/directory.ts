import { AccessError, type DirectoryCompleteness, type Limits } from "@anyscheme/core";
import { limitError } from "@anyscheme/core/plugin";
import type { Url } from "@anyscheme/core/syntax";
import { ProsperoEntry } from "./entry.ts";
import { LogicalLines } from "../protocol/logical-lines.ts";
import { isAttribute, type Line, type Link, readLine } from "../protocol/reply-line.ts";
import { refusal } from "../protocol/failure.ts";
import { isAnswer, noAnswer, type ReplyLines } from "../protocol/reply-reader.ts";

/** What the entries of a directory are made with. */
export interface Listing {
  readonly limits: Limits;
  readonly parse: (text: string) => Url;
}

/** How the links of directories are read that a directory is united with. */
export interface Uniting {
  /** Asks for the links of a directory; `undefined` where it has been asked already. */
  ask(link: Link): Promise<ReplyLines | undefined>;
  /** Aborted when the access is over, and no further directory is asked. */
  readonly signal: AbortSignal;
}

/** The links of a directory as they arrive, and then those of the directories that it is united with. */
export class Directory implements AsyncIterable<ProsperoEntry> {
  readonly #reply: ReplyLines;
  readonly #gatherer: Gatherer;
  readonly #uniting: Uniting | undefined;
  #failedUnion = false;

  /** Union links are listed as links where `uniting` is absent. */
  constructor(reply: ReplyLines, listing: Listing, uniting?: Uniting) {
    this.#reply = reply;
    this.#gatherer = new Gatherer(listing, uniting !== undefined);
    this.#uniting = uniting;
  }

  /** What the end of the links means: "truncated" when a server held links back, or a united directory could not be read. */
  get completeness(): DirectoryCompleteness {
    return this.#failedUnion || this.#gatherer.heldBack ? "truncated" : "verified";
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ProsperoEntry> {
    yield* this.#entriesOf(this.#reply);
    for (let union = this.#gatherer.nextUnion(); union; union = this.#gatherer.nextUnion()) {
      const [link, attributes] = union;
      try {
        const reply = await this.#uniting?.ask(link);
        if (reply) yield* this.#entriesOf(reply);
      } catch (error) {
        if (this.#uniting?.signal.aborted || !(error instanceof AccessError) || error.code === "limit")
          throw error;
        this.#failedUnion = true;
        yield this.#gatherer.entryOf({ ...link, fault: error.reason }, attributes);
      }
    }
  }

  async *#entriesOf(reply: ReplyLines): AsyncGenerator<ProsperoEntry> {
    for (;;) {
      let lines: readonly string[] | undefined;
      let failure: Error | undefined;
      try {
        lines = await reply.next();
      } catch (error) {
        failure = error as Error;
      }
      // What came before a fault is given first.
      yield* lines ? this.#gatherer.take(lines) : this.#gatherer.end(failure);
      failure ??= this.#gatherer.takeFault();
      if (failure) throw failure;
      if (!lines) return;
    }
  }
}

/** The entries of a whole reply from memory. Throws `protocol`, `limit`, and what its server refuses with. */
export function decodeListing(reply: Uint8Array, listing: Listing): ProsperoEntry[] {
  const gatherer = new Gatherer(listing, false);
  const cutter = new LogicalLines(listing.limits);
  const lines = cutter.push(reply);
  const entries = [...gatherer.take(lines), ...gatherer.take([cutter.rest()]), ...gatherer.end()];
  const fault = gatherer.takeFault();
  if (fault) throw fault;
  return entries;
}

/** Makes entries of the lines of replies: a link, and the attributes that follow it. */
class Gatherer {
  readonly #listing: Listing;
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

  constructor(listing: Listing, unites: boolean) {
    this.#listing = listing;
    this.#unites = unites;
  }

  /** Whether a server has reported that it held information back. */
  get heldBack(): boolean {
    return this.#heldBack;
  }

  /** The fault in the lines, once; what comes after it is not read. */
  takeFault(): Error | undefined {
    const fault = this.#fault;
    this.#fault = undefined;
    return fault;
  }

  /** The entries that these lines complete. */
  take(lines: readonly string[]): ProsperoEntry[] {
    const entries: ProsperoEntry[] = [];
    if (this.#fault) return entries;
    try {
      for (const line of lines) {
        if (isAttribute(line)) this.#attributes.push(line);
        else this.#read(readLine(line), line, entries);
      }
    } catch (error) {
      this.#fault = error as Error;
      this.#finish(entries);
    }
    return entries;
  }

  /** The entry that the end of a reply completes. A reply without an answer, and without a failure of its own, is a fault. */
  end(failure?: Error): ProsperoEntry[] {
    const entries: ProsperoEntry[] = [];
    this.#finish(entries);
    if (!this.#answered && !failure) this.#fault ??= noAnswer();
    this.#answered = false;
    return entries;
  }

  /** A directory that is to be asked for its links as well, and the lines of its attributes. */
  nextUnion(): readonly [link: Link, attributes: readonly string[]] | undefined {
    return this.#unions.shift();
  }

  entryOf(link: Link, attributes: readonly string[]): ProsperoEntry {
    return new ProsperoEntry(link, attributes, this.#listing.parse);
  }

  #read(line: Line, text: string, entries: ProsperoEntry[]): void {
    if (line.kind === "attribute") this.#attributes.push(text);
    this.#answered ||= isAnswer(line);
    if (line.kind === "warning") this.#heldBack ||= line.code === HELD_BACK;
    if (line.kind === "attribute" || !isAnswer(line)) return;
    this.#finish(entries);
    if (line.kind === "failure") throw refusal(line);
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
    else if (link) entries.push(this.entryOf(link, this.#attributes));
    this.#link = undefined;
    this.#attributes = [];
  }
}

/** The original warns with this code: "Some information you wanted can't be sent." */
const HELD_BACK = "OUT-OF-DATE";
