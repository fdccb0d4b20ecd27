import { AccessError } from "@anyscheme/core";
import { type AccessContext, createLimitError, type PlanOptions } from "@anyscheme/core/plugin";
import type { Url } from "@anyscheme/core/syntax";
import { ArdpClient } from "../ardp/ardp-client.ts";
import type { ProsperoLimits, ProsperoOptions } from "../scheme-options.ts";
import { ProsperoLineSplitter } from "../protocol/logical-lines.ts";
import {
  createProsperoFailureError,
  isProsperoAttributeLine,
  type ProsperoLink,
  parseProsperoReplyLine,
  type ProsperoReplyLine,
} from "../protocol/reply-line.ts";
import {
  isProsperoResultOrFailureLine,
  createReplyWithoutResultError,
  ProsperoReplyLineReader,
} from "../protocol/reply-line-reader.ts";
import { encodeListRequest } from "../protocol/request.ts";
import type { ProsperoUrl } from "../syntax.ts";
import { ProsperoEntry, toProsperoUrl } from "./entry.ts";

/** The options for decoding the entries of a Prospero directory. */
export interface DecodeProsperoListingOptions {
  readonly limits: ProsperoLimits;
  /** Parses the URLs of other schemes that access methods of Prospero objects name. */
  readonly parseUrl: (text: string) => Url;
}

/** A link of a Prospero reply with its attribute lines, which the directory entry parses at the first access. */
interface ProsperoLinkLines {
  readonly link: ProsperoLink;
  readonly attributes: readonly string[];
}

/** The code of the warning "Some information you wanted can't be sent." of the original Prospero server. */
const INCOMPLETE_REPLY_WARNING = "OUT-OF-DATE";

/**
 * Creates directory entries from the lines of Prospero replies. A directory entry consists of a link line of the
 * Prospero reply and the attribute lines after it.
 */
export class ProsperoEntryParser {
  readonly #options: DecodeProsperoListingOptions;
  readonly #followsUnions: boolean;
  #link: ProsperoLink | undefined;
  /** The attribute lines of the Prospero link that is being parsed. */
  #attributes: string[] = [];
  #linkCount = 0;
  #hasResult = false;
  /**
   * The union links whose directories have not been requested. Union links are listed as entries unless the option
   * `unions` is "follow".
   */
  readonly pendingUnionLinks: ProsperoLinkLines[] = [];
  /** True when a server withheld links, or the directory of a union link could not be read. */
  hasMissingLinks = false;

  constructor(options: DecodeProsperoListingOptions, followsUnions: boolean) {
    this.#options = options;
    this.#followsUnions = followsUnions;
  }

  /**
   * Parses lines of a Prospero reply, and yields the completed directory entries. Throws `protocol`, `limit`, and
   * the failure that the Prospero server reports.
   */
  *parseLines(lines: readonly string[]): Generator<ProsperoEntry> {
    for (const text of lines) {
      const line = isProsperoAttributeLine(text) ? undefined : parseProsperoReplyLine(text);
      if (line?.kind === "warning") this.hasMissingLinks ||= line.code === INCOMPLETE_REPLY_WARNING;
      if (!line || line.kind === "attribute") this.#attributes.push(text);
      else if (isProsperoResultOrFailureLine(line)) yield* this.#parseResult(line);
    }
  }

  /** Yields the directory entry of the last parsed link, except for a union link to follow. */
  *finishEntry(): Generator<ProsperoEntry> {
    const link = this.#link;
    const attributes = this.#attributes;
    this.#link = undefined;
    this.#attributes = [];
    if (link?.isUnion && this.#followsUnions) this.pendingUnionLinks.push({ link, attributes });
    else if (link) yield this.createEntry({ link, attributes });
  }

  /** Ends a reply. Throws `protocol` for a Prospero reply without a result. */
  *endReply(): Generator<ProsperoEntry> {
    yield* this.finishEntry();
    if (!this.#hasResult) throw createReplyWithoutResultError();
    this.#hasResult = false;
  }

  createEntry({ link, attributes }: ProsperoLinkLines): ProsperoEntry {
    return new ProsperoEntry(link, attributes, this.#options.parseUrl);
  }

  *#parseResult(line: ProsperoReplyLine): Generator<ProsperoEntry> {
    this.#hasResult = true;
    yield* this.finishEntry();
    if (line.kind === "failure") throw createProsperoFailureError(line);
    if (line.kind === "forwarded" || line.kind === "unresolved")
      throw new AccessError("protocol", "the server forwards a part of the directory to another server");
    if (line.kind !== "link") return;
    const { limits } = this.#options;
    if (++this.#linkCount > limits.maxProsperoLinks)
      throw createLimitError("maxProsperoLinks", limits, "the directory has too many links");
    this.#link = line;
  }
}

/**
 * Decodes a whole Prospero reply with the links of a directory. Throws `protocol`, `limit`, and the failure that the
 * Prospero server reports.
 */
export function decodeProsperoListing(
  reply: Uint8Array,
  options: DecodeProsperoListingOptions,
): ProsperoEntry[] {
  const parser = new ProsperoEntryParser(options, false);
  const splitter = new ProsperoLineSplitter(options.limits);
  const lines = [...splitter.push(reply), splitter.end()];
  return [...parser.parseLines(lines), ...parser.endReply()];
}

/**
 * Requests the directory that a Prospero union link refers to. Resolves to `undefined` if the directory of the union
 * link was requested before.
 */
export type UnionLinkFetcher = (link: ProsperoLink) => Promise<ProsperoReplyLineReader | undefined>;

/**
 * Yields the entries of a directory as they arrive, and then the entries of the directories of its union links. A union
 * link whose directory cannot be read is an entry with a fault.
 */
export async function* readProsperoDirectoryEntries(
  reply: ProsperoReplyLineReader,
  parser: ProsperoEntryParser,
  requestUnion: UnionLinkFetcher,
  signal: AbortSignal,
): AsyncGenerator<ProsperoEntry> {
  yield* readProsperoReplyEntries(reply, parser);
  for (let union = parser.pendingUnionLinks.shift(); union; union = parser.pendingUnionLinks.shift()) {
    try {
      const unionReply = await requestUnion(union.link);
      if (unionReply) yield* readProsperoReplyEntries(unionReply, parser);
    } catch (error) {
      if (signal.aborted || !(error instanceof AccessError) || error.code === "limit") throw error;
      parser.hasMissingLinks = true;
      yield parser.createEntry({ ...union, link: { ...union.link, fault: error.reason } });
    }
  }
}

/**
 * Yields the directory entries of a Prospero reply. Yields the Prospero directory entries that precede an error, and
 * then throws the error.
 */
async function* readProsperoReplyEntries(
  reply: ProsperoReplyLineReader,
  parser: ProsperoEntryParser,
): AsyncGenerator<ProsperoEntry> {
  try {
    for await (const lines of reply) yield* parser.parseLines(lines);
  } catch (error) {
    yield* parser.finishEntry();
    throw error;
  }
  yield* parser.endReply();
}

/**
 * Creates a function that requests the directory of a union link, at most once per directory. Servers do not expand
 * union links, even to their own directories. The created function throws `limit` for too many directories, and
 * `unsupported` for a location without a URL.
 */
export function createUnionDirectoryRequester(
  url: ProsperoUrl,
  context: AccessContext,
  options: PlanOptions & ProsperoOptions,
): UnionLinkFetcher {
  const { limits } = context;
  const visited = new Set([url.href]);
  return async ({ location, version }) => {
    const target = toProsperoUrl(location, version);
    if (!target) throw new AccessError("unsupported", "no URL can name the directory of the union link");
    if (visited.has(target.href)) return undefined;
    visited.add(target.href);
    if (visited.size - 1 > limits.maxProsperoForwards)
      throw createLimitError("maxProsperoForwards", limits, "the directory has too many union links");
    const { bytes, text } = encodeListRequest(target, options);
    const endpoint = { host: target.effectiveHost, port: target.effectivePort };
    const client = await ArdpClient.open(context, endpoint, { targetSentByServer: true });
    context.trace({ action: "send", text });
    return new ProsperoReplyLineReader(client.request(bytes), limits);
  };
}
