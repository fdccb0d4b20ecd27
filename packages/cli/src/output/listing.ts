import { AccessError, type Entry, type Resource } from "@anyscheme/core";
import { describeResource } from "./describe-resource.ts";
import { colorize } from "../terminal/color.ts";
import { jsonLine } from "./json-line.ts";
import { MenuFormatter } from "./format-menu.ts";
import { formatNewsEntry } from "./format-news.ts";
import { escapeControls } from "../terminal/character-width.ts";

type Listable = Extract<Resource, { kind: "content" | "directory" }>;

/** A directory's entries as lines for people; a data object is the one entry of its own listing; advice for all else. */
export async function* formatListing(resource: Resource, colors = false): AsyncGenerator<string> {
  if (!isListable(resource)) {
    yield* describeResource(resource);
    return;
  }
  const menu = new MenuFormatter();
  for await (const entry of listEntries(resource)) {
    const line = menu.format(entry) ?? formatEntry(entry);
    yield colors ? colorize(line, entry.kind) : line;
  }
}

/** The same, one JSON object a line. */
export async function* formatListingAsJson(resource: Resource): AsyncGenerator<string> {
  if (!isListable(resource)) yield jsonLine(resource);
  else for await (const entry of listEntries(resource)) yield jsonLine(entry, omitBytes);
}

/** True for a line that could not be read and leads nowhere. */
export function isUnreadable(entry: Entry): entry is Entry & { readonly fault: string } {
  return entry.fault !== undefined && entry.url === undefined;
}

/** The error of a listing that the server has cut; `undefined` for every other one. To be asked when it has been read. */
export async function truncationError(resource: Resource): Promise<AccessError | undefined> {
  if (resource.kind !== "directory" || (await resource.completeness) !== "truncated") return undefined;
  const what = "the listing is incomplete: the server left entries out";
  const at = { name: "list", url: String(resource.url), redact: (text: string) => text };
  return new AccessError("incomplete", what, {}, at);
}

function isListable(resource: Resource): resource is Listable {
  return resource.kind === "content" || resource.kind === "directory";
}

// The bytes of a name are in its URL, escaped.
function omitBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? undefined : value;
}

async function* listEntries(resource: Listable): AsyncGenerator<Entry> {
  if (resource.kind === "directory") {
    yield* resource;
    return;
  }
  const { url, size, modified } = resource;
  const { fileNameFromUrl: fileNameOf } = await import("./safe-file-name.ts");
  yield { name: fileNameOf(url) ?? "", url, kind: "file", size, modified };
}

/** Kind, size, date, score where a search has counted one, and name; a name never moves the cursor. */
export function formatEntry(entry: Entry): string {
  const { name, size, modified } = entry;
  const kind = isUnreadable(entry) ? "fault" : entry.kind;
  const news = formatNewsEntry(entry, formatDate(modified));
  if (news !== undefined) return news;
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

/** `2026-01-31 23:59`, in UTC. */
function formatDate(date: Date | undefined): string {
  const text =
    date && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 16).replace("T", " ") : "-";
  return text.padEnd(16);
}
