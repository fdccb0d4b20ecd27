import { AccessError, limitReached, type Limits } from "@anyscheme/core";
import type { Url } from "@anyscheme/core/syntax";
import { ProsperoEntry } from "./entry.ts";
import { LogicalLines } from "./lines.ts";
import { isAttribute, type Line, type Link, readLine } from "./records.ts";
import { refusal } from "./refusal.ts";
import type { ReplyLines } from "./replies.ts";

/** What the entries of a directory are made with. */
export interface Listing {
  readonly limits: Limits;
  readonly parse: (text: string) => Url;
  /** Asks for the links of a directory that this one is united with; absent where unions stay links. */
  readonly unite?: ((link: Link) => Promise<ReplyLines | undefined>) | undefined;
}

/** The links of a directory as they arrive, and then those of the directories that it is united with. */
export async function* entriesOf(reply: ReplyLines, listing: Listing): AsyncGenerator<ProsperoEntry> {
  const gatherer = new Gatherer(listing);
  let source: ReplyLines | undefined = reply;
  for (;;) {
    let lines: readonly string[] | undefined;
    let failure: Error | undefined;
    try {
      lines = await source?.next();
    } catch (error) {
      failure = error as Error;
    }
    // What came before a fault is given first.
    for (const entry of lines ? gatherer.take(lines) : gatherer.end()) yield entry;
    failure ??= gatherer.fault;
    if (failure) throw failure;
    if (lines) continue;
    const union = gatherer.nextUnion();
    if (!union) return;
    source = await listing.unite?.(union);
  }
}

/** The entries of a whole reply from memory. Throws `protocol`, `limit`, and what its server refuses with. */
export function decodeListing(reply: Uint8Array, listing: Omit<Listing, "unite">): ProsperoEntry[] {
  const gatherer = new Gatherer(listing);
  const cutter = new LogicalLines(listing.limits);
  const entries = gatherer.take(cutter.push(reply));
  for (const entry of gatherer.take([cutter.rest()])) entries.push(entry);
  for (const entry of gatherer.end()) entries.push(entry);
  if (gatherer.fault) throw gatherer.fault;
  return entries;
}

/** Makes entries of the lines of replies: a link, and the attributes that follow it. */
class Gatherer {
  readonly #listing: Listing;
  readonly #unions: Link[] = [];
  #link: Link | undefined;
  /** Lines; whoever asks an entry for them has them read. */
  #attributes: string[] = [];
  #count = 0;
  #fault: Error | undefined;

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  /** What was wrong with the lines; what comes after it is not read. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** The entries that these lines complete. */
  take(lines: readonly string[]): ProsperoEntry[] {
    const entries: ProsperoEntry[] = [];
    try {
      for (const line of lines) {
        if (isAttribute(line)) this.#attributes.push(line);
        else this.#read(readLine(line), entries);
      }
    } catch (error) {
      this.#fault = error as Error;
      this.#finish(entries);
    }
    return entries;
  }

  /** The entry that the end of a reply completes. */
  end(): ProsperoEntry[] {
    const entries: ProsperoEntry[] = [];
    this.#finish(entries);
    return entries;
  }

  /** A directory that is to be asked for its links as well. */
  nextUnion(): Link | undefined {
    return this.#unions.shift();
  }

  #read(line: Line, entries: ProsperoEntry[]): void {
    if (line.kind === "remark") return;
    this.#finish(entries);
    if (line.kind === "failure") throw refusal(line);
    if (line.kind === "forwarded" || line.kind === "unresolved")
      throw new AccessError("protocol", "the reply ends with a part of the directory that is elsewhere");
    if (line.kind !== "link") return;
    const { limits } = this.#listing;
    if (++this.#count > limits.maxProsperoLinks)
      throw limitReached("maxProsperoLinks", limits, "the directory has too many links");
    this.#link = line;
  }

  #finish(entries: ProsperoEntry[]): void {
    const link = this.#link;
    const { parse, unite } = this.#listing;
    if (link?.union && unite) this.#unions.push(link);
    else if (link) entries.push(new ProsperoEntry(link, this.#attributes, parse));
    this.#link = undefined;
    this.#attributes = [];
  }
}
