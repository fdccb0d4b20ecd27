import type { Reply } from "@anyscheme/core/io";
import { parseDecimalByteCount, parseFtpTimestamp } from "../session/reply.ts";
import type { FtpUrl } from "../syntax.ts";
import { createFtpEntry, createInvalidFtpEntry, type FtpEntry } from "./entry.ts";

/** The kind, size and modification time of a file in an MLSD or MLST reply (RFC 3659 §7.5). */
export interface MlsdEntryFacts {
  readonly kind: "file" | "directory" | "link" | "special" | "unknown";
  readonly size: number | undefined;
  readonly modified: Date | undefined;
}

/** The kind of an entry for each value of the fact `type` (RFC 3659 §7.5.1). */
const ENTRY_KIND_BY_MLSD_TYPE: ReadonlyMap<string, MlsdEntryFacts["kind"]> = new Map([
  ["file", "file"],
  ["dir", "directory"],
  ["cdir", "directory"],
  ["pdir", "directory"],
]);

/** Returns a parser for the lines of an MLSD listing. A name in an MLSD listing is never a path. RFC 3659 §7.2. */
export function createMlsdLineParser(url: FtpUrl): (line: Uint8Array) => FtpEntry | undefined {
  return (line) => {
    if (line.length === 0) return undefined;
    const facts = parseMlsdLine(Buffer.from(line).toString("latin1"));
    if (!facts) return createInvalidFtpEntry(line, "the line contains no space between facts and name");
    // The types `cdir` and `pdir` mark the listed directory and its parent.            RFC 3659 §7.5.1
    if (facts.type === "cdir" || facts.type === "pdir") return undefined;
    if (facts.name === "") return createInvalidFtpEntry(line, "the line contains no file name");
    return createFtpEntry(url, Buffer.from(facts.name, "latin1"), facts);
  };
}

/**
 * Parses the reply to MLST. In the reply to MLST, the line with the facts about the file begins with a space. RFC 3659
 * §7.2.
 */
export function parseMlstReply({ text }: Reply): MlsdEntryFacts | undefined {
  const line = text.split("\n").find((each) => each.startsWith(" ") && each.includes("="));
  return line === undefined ? undefined : parseMlsdLine(line.slice(1));
}

/**
 * Parses a line that consists of facts, a space and a file name, with one character per byte. Returns undefined for an
 * MLSD or MLST line without a space. RFC 3659 §7.2.
 */
export function parseMlsdLine(
  line: string,
): (MlsdEntryFacts & { readonly name: string; readonly type: string }) | undefined {
  const space = line.indexOf(" ");
  if (space < 0) return undefined;
  const facts = new Map<string, string>();
  for (const fact of line.slice(0, space).split(";")) {
    const equals = fact.indexOf("=");
    if (equals > 0) facts.set(fact.slice(0, equals).toLowerCase(), fact.slice(equals + 1));
  }
  const type = facts.get("type")?.toLowerCase() ?? "";
  return {
    name: line.slice(space + 1),
    type,
    kind: ENTRY_KIND_BY_MLSD_TYPE.get(type) ?? parseUnixKind(type),
    size: parseDecimalByteCount(facts.get("size")),
    modified: parseFtpTimestamp(facts.get("modify")),
  };
}

/**
 * Recognizes nonstandard types of MLSD entries, for links and special files: `OS.unix=slink:/etc`, `OS.unix=chr-4/64`.
 */
function parseUnixKind(type: string): MlsdEntryFacts["kind"] {
  if (/^os\.unix=s(?:ym)?link/.test(type)) return "link";
  return /^os\.unix=(?:blk|chr|block|char|dev|fifo|pipe|sock)/.test(type) ? "special" : "unknown";
}
