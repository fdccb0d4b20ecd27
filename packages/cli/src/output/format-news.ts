import type { Entry } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import type { NntpEntry, NntpGroup } from "@anyscheme/scheme-others/nntp";

/** The width of the sender's column. */
const FROM_WIDTH = 24;
/** The minimum width of a group's name. */
const GROUP_WIDTH = 32;

/**
 * Formats an article (number, date, sender, subject) or a group (name, description). Returns `undefined` for other
 * entries.
 */
export function formatNewsEntry(entry: Entry, date: string): string | undefined {
  if (isArticle(entry)) {
    const from = escapeControls(entry.from);
    const sender = from.length > FROM_WIDTH ? `${from.slice(0, FROM_WIDTH - 1)}…` : from;
    const columns = [String(entry.number).padStart(8), date, sender.padEnd(FROM_WIDTH)];
    return [...columns, escapeControls(entry.subject)].join("  ").trimEnd();
  }
  if (!isGroup(entry)) return undefined;
  return `${escapeControls(entry.name).padEnd(GROUP_WIDTH)}  ${escapeControls(entry.description ?? "")}`.trimEnd();
}

function isArticle(entry: Entry): entry is NntpEntry {
  return entry.kind === "article" && "messageId" in entry;
}

function isGroup(entry: Entry): entry is NntpGroup {
  return entry.kind === "group" && "status" in entry;
}
