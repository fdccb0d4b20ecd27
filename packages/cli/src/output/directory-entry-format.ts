import type { DirectoryEntry } from "@anyscheme/core";
import { decodeEncodedWords, escapeControls } from "@anyscheme/core/text";
import type { NntpArticleEntry, NntpGroup } from "@anyscheme/scheme-others/nntp";
import { fitToColumns, padToColumns } from "../terminal/text-width.ts";

/** The labels of the entry kinds whose names are longer than their column. */
const ENTRY_KIND_LABELS: Readonly<Record<string, string>> = {
  "phone-book": "phones",
  archive: "packed",
  uuencoded: "uuenc",
  document: "doc",
  unknown: "?",
};

const ENTRY_LABEL_WIDTH = 6;

/**
 * Formats the entries of one Gopher menu. The output line of a menu item with a URL shows a number and a kind. The
 * output line of an information item shows neither a number nor a kind.
 */
export class GopherMenuFormatter {
  #linkCount = 0;

  /** Formats an entry. Returns `undefined` for an entry that is not from a Gopher menu. */
  formatEntry(entry: DirectoryEntry): string | undefined {
    if (!("itemType" in entry)) return undefined;
    const { kind, name, url, fault } = entry;
    if (fault !== undefined && url === undefined) return formatMenuLine("", "fault", `${name}: ${fault}`);
    const number = url === undefined ? "" : String(++this.#linkCount);
    const isForm = "plus" in entry && entry.plus === "?";
    const label =
      url === undefined && kind === "info" ? "" : isForm ? "form" : (ENTRY_KIND_LABELS[kind] ?? kind);
    return formatMenuLine(number, label, name);
  }
}

function formatMenuLine(number: string, label: string, text: string): string {
  return `${number.padStart(3)} ${label.padEnd(ENTRY_LABEL_WIDTH)} ${escapeControls(text)}`.trimEnd();
}

const SENDER_COLUMN_WIDTH = 24;
/** The minimum width of the column with the name of a newsgroup. */
const GROUP_COLUMN_WIDTH = 32;

/**
 * Formats a news article with number, date, sender and subject, or a newsgroup with name and description. Returns
 * `undefined` for an entry that does not come from a news server.
 */
function formatNewsEntry(entry: DirectoryEntry, date: string): string | undefined {
  if (isNntpArticle(entry)) {
    const sender = fitToColumns(escapeControls(decodeEncodedWords(entry.from)), SENDER_COLUMN_WIDTH);
    const columns = [String(entry.number).padStart(8), date, sender];
    return [...columns, escapeControls(decodeEncodedWords(entry.subject))].join("  ").trimEnd();
  }
  if (!isNewsgroup(entry)) return undefined;
  return `${padToColumns(escapeControls(entry.name), GROUP_COLUMN_WIDTH)}  ${escapeControls(entry.description ?? "")}`.trimEnd();
}

function isNntpArticle(entry: DirectoryEntry): entry is NntpArticleEntry {
  return entry.kind === "article" && "messageId" in entry;
}

function isNewsgroup(entry: DirectoryEntry): entry is NntpGroup {
  return entry.kind === "group" && "status" in entry;
}

/** True for an entry that represents a listing line that could not be parsed. */
export function isUnparsableEntry(
  entry: DirectoryEntry,
): entry is DirectoryEntry & { readonly fault: string } {
  return entry.fault !== undefined && entry.url === undefined;
}

/**
 * Formats a directory entry with kind, size, date, score (of a search hit) and name. A newsgroup or an article of a
 * news server is formatted with other columns, such as the number and the sender. Escapes control characters.
 */
export function formatDirectoryEntry(entry: DirectoryEntry): string {
  const { name, size, modified } = entry;
  const kind = isUnparsableEntry(entry) ? "fault" : entry.kind;
  const newsLine = formatNewsEntry(entry, formatDate(modified));
  if (newsLine !== undefined) return newsLine;
  const columns = [
    (kind === "unknown" ? "-" : kind).padEnd(9),
    String(size ?? "-").padStart(12),
    formatDate(modified),
    ...("score" in entry ? [formatSearchScore(entry.score)] : []),
    escapeControls(isUnparsableEntry(entry) ? `${name}: ${entry.fault}` : name),
  ];
  return columns.join("  ").trimEnd();
}

function formatSearchScore(score: unknown): string {
  return (typeof score === "number" ? String(score) : "-").padStart(4);
}

/** Formats a date as in `2026-01-31 23:59`, in UTC. */
function formatDate(date: Date | undefined): string {
  const text =
    date && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 16).replace("T", " ") : "-";
  return text.padEnd(16);
}
