import type { DirectoryEntry } from "@anyscheme/core";
import { type ByteSource, decodeBinaryStringToText } from "@anyscheme/core/plugin";
import { parseArticleNumber } from "../session/reply.ts";
import { type NntpUrl, buildNntpUrlOnSameServer } from "../syntax.ts";
import type { NntpLimits } from "../scheme-options.ts";
import { mapDataBlockLines } from "./data-block-lines.ts";

/** A newsgroup of a server (RFC 3977 §7.6.3). */
export class NntpGroup implements DirectoryEntry {
  readonly name: string;
  /** The kind is `"unknown"` for a line that does not describe a group. */
  readonly kind: "group" | "unknown";
  /** The description of the group, as the server sends it (RFC 3977 §7.6.6). */
  readonly description: string | undefined;
  /** The lowest article number, which may be above `high` in an empty group. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  /**
   * The posting status. `y` means that posting is permitted, `n` that posting is not permitted, and `m` that the group
   * is moderated. Servers may also send status values that RFC 3977 does not define.
   */
  readonly status: string | undefined;
  readonly #server: NntpUrl;

  /** Parses a line `group high low status` with one character per byte. */
  constructor(line: string, server: NntpUrl, descriptions: ReadonlyMap<string, string>) {
    const group = parseGroupLine(line);
    this.name = decodeBinaryStringToText(group?.name ?? line);
    this.kind = group ? "group" : "unknown";
    this.description = group && descriptions.get(group.name);
    this.low = group?.low;
    this.high = group?.high;
    this.status = group?.status;
    this.#server = server;
  }

  /** The URL of the group, or `undefined` for a name that no URL can contain. */
  get url(): NntpUrl | undefined {
    return this.kind === "group" ? buildNntpUrlOnSameServer(this.#server, this.name) : undefined;
  }

  toJSON(): Record<string, unknown> {
    const { name, kind, url, description, low, high, status } = this;
    return { name, kind, url, description, low, high, status };
  }
}

interface GroupLine {
  /** The name of the group, with one character per byte. */
  readonly name: string;
  readonly high: number;
  readonly low: number;
  readonly status: string | undefined;
}

function parseGroupLine(line: string): GroupLine | undefined {
  const [, name = "", highDigits, lowDigits, status] =
    /^(\S+)[ \t]+(\d+)[ \t]+(\d+)(?=[ \t]|$)(?:[ \t]+(\S+))?/.exec(line) ?? [];
  const high = parseArticleNumber(highDigits);
  const low = parseArticleNumber(lowDigits);
  return high === undefined || low === undefined ? undefined : { name, high, low, status };
}

/**
 * Reads the descriptions of groups (RFC 3977 §7.6.6). The keys of the map are group names with one character per byte.
 * Throws `limit` for a list of newsgroups that is too long.
 */
export async function parseGroupDescriptions(
  source: ByteSource,
  limits: NntpLimits,
): Promise<ReadonlyMap<string, string>> {
  return new Map(await Array.fromAsync(mapDataBlockLines(source, limits, parseGroupDescription)));
}

function parseGroupDescription(line: string): readonly [name: string, description: string] {
  const [, name = "", description = ""] = /^(\S+)[ \t]+(.*)$/s.exec(line) ?? [];
  return [name, decodeBinaryStringToText(description.trim())];
}
