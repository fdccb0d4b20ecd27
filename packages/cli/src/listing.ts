import type { Entry, Resource } from "@anyscheme/core";
import { visible } from "./visible.ts";

/** A directory's entries as lines for people; a data object is the one entry of its own listing. */
export async function* listingLines(resource: Resource): AsyncGenerator<string> {
  for await (const entry of entriesOf(resource)) yield entryLine(entry);
}

/** The same, one JSON object a line. */
export async function* listingJson(resource: Resource): AsyncGenerator<string> {
  for await (const entry of entriesOf(resource)) yield JSON.stringify(entry, withoutOctets);
}

// The octets of a name are in its URL, escaped.
function withoutOctets(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? undefined : value;
}

async function* entriesOf(resource: Resource): AsyncGenerator<Entry> {
  if (resource.kind === "directory") {
    yield* resource;
    return;
  }
  const { url, size, modified } = resource;
  const { fileNameOf } = await import("./safe-file-name.ts");
  yield { name: fileNameOf(url) ?? "", url, kind: "file", size, modified };
}

/** Kind, size, date and name, or the item type and text of a menu; a name never moves the cursor. */
export function entryLine(entry: Entry): string {
  const { name, kind, size, modified } = entry;
  if ("itemType" in entry)
    return `${kind === "info" ? " " : visible(String(entry.itemType))}  ${visible(name)}`.trimEnd();
  const columns = [
    (kind === "unknown" ? "-" : kind).padEnd(9),
    String(size ?? "-").padStart(12),
    dateText(modified),
    visible(name),
  ];
  return columns.join("  ").trimEnd();
}

/** `2026-01-31 23:59`, in UTC. */
function dateText(date: Date | undefined): string {
  const text =
    date && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 16).replace("T", " ") : "-";
  return text.padEnd(16);
}
