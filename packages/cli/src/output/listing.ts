import { AccessError, type Entry, type Resource } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import { colorize } from "../terminal/color.ts";
import { describeResource } from "./describe-resource.ts";
import { MenuFormatter } from "./format-menu.ts";
import { formatNewsEntry } from "./format-news.ts";
import { jsonLine } from "./json-line.ts";
import { fileNameFromUrl } from "./safe-file-name.ts";

type Listable = Extract<Resource, { kind: "content" | "directory" }>;

/**
 * Formats the entries of a directory as lines. A file is formatted as its own entry, and other resources are
 * described.
 */
export async function* formatListing(resource: Resource, hasColors = false): AsyncGenerator<string> {
  if (!isListable(resource)) {
    yield* describeResource(resource);
    return;
  }
  const menu = new MenuFormatter();
  for await (const entry of listEntries(resource)) {
    const line = menu.format(entry) ?? formatEntry(entry);
    yield hasColors ? colorize(line, entry.kind) : line;
  }
}

/** Formats the entries of a directory as JSON, one line for each. */
export async function* formatListingAsJson(resource: Resource): AsyncGenerator<string> {
  if (!isListable(resource)) yield jsonLine(resource);
  else for await (const entry of listEntries(resource)) yield jsonLine(entry, omitBytes);
}

/** True for a line of a listing that could not be parsed. */
export function isUnreadable(entry: Entry): entry is Entry & { readonly fault: string } {
  return entry.fault !== undefined && entry.url === undefined;
}

/** Returns the error of a truncated listing, else `undefined`. Call it after the last entry. */
export async function truncationError(resource: Resource): Promise<AccessError | undefined> {
  if (resource.kind !== "directory" || (await resource.completeness) !== "truncated") return undefined;
  const operation = { name: "list", url: String(resource.url), redact: (text: string) => text };
  return new AccessError(
    "incomplete",
    "the listing is incomplete: the server omitted entries",
    {},
    operation,
  );
}

function isListable(resource: Resource): resource is Listable {
  return resource.kind === "content" || resource.kind === "directory";
}

// Omits the bytes of a name from the JSON. The URL of the entry has them escaped.
function omitBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? undefined : value;
}

async function* listEntries(resource: Listable): AsyncGenerator<Entry> {
  if (resource.kind === "directory") {
    yield* resource;
    return;
  }
  const { url, size, modified } = resource;
  yield { name: fileNameFromUrl(url) ?? "", url, kind: "file", size, modified };
}

/** Formats kind, size, date, the score of a search hit, and name. Escapes control characters. */
export function formatEntry(entry: Entry): string {
  const { name, size, modified } = entry;
  const kind = isUnreadable(entry) ? "fault" : entry.kind;
  const newsLine = formatNewsEntry(entry, formatDate(modified));
  if (newsLine !== undefined) return newsLine;
  const columns = [
    (kind === "unknown" ? "-" : kind).padEnd(9),
    String(size ?? "-").padStart(12),
    formatDate(modified),
    ...("score" in entry ? [formatScore(entry.score)] : []),
    escapeControls(isUnreadable(entry) ? `${name}: ${entry.fault}` : name),
  ];
  return columns.join("  ").trimEnd();
}

function formatScore(score: unknown): string {
  return (typeof score === "number" ? String(score) : "-").padStart(4);
}

/** Formats as `2026-01-31 23:59`, in UTC. */
function formatDate(date: Date | undefined): string {
  const text =
    date && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 16).replace("T", " ") : "-";
  return text.padEnd(16);
}
