import type { Entry } from "@anyscheme/core";
import type { NntpEntry, NntpGroup } from "@anyscheme/scheme-others/nntp";
import { escapeControls } from "../terminal/character-width.ts";

/** Columns that the sender of an article has. */
const FROM_WIDTH = 24;
/** Columns that the name of a group has at least. */
const GROUP_WIDTH = 32;

/** An article as its number, date, sender and subject, or a group as its name and what it is about; `undefined` for anything else. */
export function formatNewsEntry(entry: Entry, date: string): string | undefined {
  if (isArticle(entry)) {
    const from = escapeControls(entry.from);
    const shown = from.length > FROM_WIDTH ? `${from.slice(0, FROM_WIDTH - 1)}…` : from;
    return `${String(entry.number).padStart(8)}  ${date}  ${shown.padEnd(FROM_WIDTH)}  ${escapeControls(entry.subject)}`.trimEnd();
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
