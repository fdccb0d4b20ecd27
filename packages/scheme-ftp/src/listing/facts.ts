import { utcDate } from "@anyscheme/core/plugin";
import type { Reply } from "../control/reply.ts";

/** What a server tells of a file or directory. */
export interface EntryFacts {
  readonly kind: "file" | "directory" | "link" | "special" | "unknown";
  readonly size: number | undefined;
  readonly modified: Date | undefined;
}

/** Kinds by the fact `type`. RFC 3659 §7.5.1; the others are those of one system. */
const KINDS: ReadonlyMap<string, EntryFacts["kind"]> = new Map([
  ["file", "file"],
  ["dir", "directory"],
  ["cdir", "directory"],
  ["pdir", "directory"],
]);

/**
 * One line of MLSD or MLST, one character a byte: facts, a blank, and the name. `undefined` for a line that is none.
 * RFC 3659 §7.2.
 */
export function parseFacts(
  line: string,
): (EntryFacts & { readonly name: string; readonly type: string }) | undefined {
  const blank = line.indexOf(" ");
  if (blank < 0) return undefined;
  const facts = new Map<string, string>();
  for (const fact of line.slice(0, blank).split(";")) {
    const equals = fact.indexOf("=");
    if (equals > 0) facts.set(fact.slice(0, equals).toLowerCase(), fact.slice(equals + 1));
  }
  const type = facts.get("type")?.toLowerCase() ?? "";
  return {
    name: line.slice(blank + 1),
    type,
    kind: KINDS.get(type) ?? unixKind(type),
    size: countIn(facts.get("size")),
    modified: timeIn(facts.get("modify")),
  };
}

/** Kinds that no RFC has a name for, as servers spell them: `OS.unix=slink:/etc`, `OS.unix=chr-4/64`. */
function unixKind(type: string): EntryFacts["kind"] {
  if (/^os\.unix=s(?:ym)?link/.test(type)) return "link";
  return /^os\.unix=(?:blk|chr|block|char|dev|fifo|pipe|sock)/.test(type) ? "special" : "unknown";
}

/** The facts in a reply to MLST, whose second line begins with a blank. RFC 3659 §7.2. */
export function parseMlstReply({ text }: Reply): EntryFacts | undefined {
  const line = text.split("\n").find((each) => each.startsWith(" ") && each.includes("="));
  return line === undefined ? undefined : parseFacts(line.slice(1));
}

/** `213 5`. RFC 3659 §4.1. */
export function parseSizeReply(reply: Reply | undefined): number | undefined {
  return reply?.code === "213" ? countIn(reply.text.slice(4).trim()) : undefined;
}

/** `213 19991005213102`. RFC 3659 §3.1. */
export function parseMdtmReply(reply: Reply | undefined): Date | undefined {
  return reply?.code === "213" ? timeIn(reply.text.slice(4).trim()) : undefined;
}

function countIn(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const count = Number(text);
  return Number.isSafeInteger(count) ? count : undefined;
}

// time-val = 14DIGIT [ "." 1*DIGIT ], in UTC.            RFC 3659 §2.3
const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d+)?(?!\d)/;

function timeIn(text: string | undefined): Date | undefined {
  const found = TIME.exec(text ?? "");
  if (!found) return undefined;
  const [year = 0, month = 0, day = 0, hour, minute, second] = found.slice(1, 7).map(Number);
  const fraction = Math.floor(Number(found[7] ?? 0) * 1000);
  return utcDate(year, month, day, hour, minute, second, fraction);
}
