import { AccessError, type ContentResource, type DirectoryEntry, type Resource } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import { colorizeByEntryKind } from "../terminal/color.ts";
import { formatDirectoryEntry, GopherMenuFormatter } from "./directory-entry-format.ts";
import { formatJsonLine } from "./json-line.ts";
import { getFileNameFromUrl } from "./safe-file-name.ts";

/** The attributes of a file, which is listed as one entry. */
export type FileAttributes = Pick<ContentResource, "kind" | "url" | "size" | "modified">;

type ListableResource = Extract<Resource, { kind: "directory" }> | FileAttributes;

/**
 * Formats the entries of a directory as lines. A file is formatted as one entry. A resource without data, such as a
 * mailbox, is described in lines.
 */
export async function* formatListing(
  resource: Resource | FileAttributes,
  hasColors = false,
): AsyncGenerator<string> {
  if (!isListable(resource)) {
    yield* describeNonDataResource(resource);
    return;
  }
  const menu = new GopherMenuFormatter();
  for await (const entry of listEntries(resource)) {
    const line = menu.formatEntry(entry) ?? formatDirectoryEntry(entry);
    yield hasColors ? colorizeByEntryKind(line, entry.kind) : line;
  }
}

/** Formats each entry of a directory, or a resource without entries, as one line of JSON. */
export async function* formatListingAsJsonLines(resource: Resource | FileAttributes): AsyncGenerator<string> {
  if (!isListable(resource)) yield formatJsonLine(resource);
  else for await (const entry of listEntries(resource)) yield formatJsonLine(entry, omitByteArrays);
}

/**
 * Returns an error if the server has truncated the listing, or `undefined` for a complete listing. The completeness of
 * the listing is known only after its last entry has been read.
 */
export async function findListingTruncationError(resource: Resource): Promise<AccessError | undefined> {
  if (resource.kind !== "directory" || (await resource.completeness) !== "truncated") return undefined;
  const operation = { operationName: "list", url: String(resource.url), mask: (text: string) => text };
  return new AccessError(
    "incomplete",
    "the listing is incomplete: the server omitted entries",
    {},
    operation,
  );
}

/**
 * Returns advice on how to search or to submit a form. Returns `undefined` for a resource that is no search or form.
 */
export function formatFormSubmissionAdvice(resource: Resource): string | undefined {
  if (resource.kind !== "form") return undefined;
  const { scheme } = resource.url;
  const isGopherSearch = /^gophers?$/.test(scheme) && resource.url.components()["type"] === "7";
  const separator = isGopherSearch ? "%09" : scheme === "wais" ? "?" : undefined;
  const command = "use: anyscheme form URL";
  return separator === undefined
    ? `to submit the form, ${command}`
    : `to search, append ${separator}WORDS to the URL, or ${command}`;
}

function isListable(resource: Resource | FileAttributes): resource is ListableResource {
  return resource.kind === "content" || resource.kind === "directory";
}

// Omits the raw bytes of a file name from the JSON. The URL of the directory entry contains the raw bytes of the file
// name, percent-encoded.
function omitByteArrays(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? undefined : value;
}

async function* listEntries(resource: ListableResource): AsyncGenerator<DirectoryEntry> {
  if (resource.kind === "directory") {
    yield* resource;
    return;
  }
  const { url, size, modified } = resource;
  yield { name: getFileNameFromUrl(url) ?? "", url, kind: "file", size, modified };
}

type NonDataResource = Exclude<Resource, { kind: "content" | "directory" }>;

/** The functions that describe each kind of resource without data. */
const RESOURCE_DESCRIPTIONS: {
  readonly [K in NonDataResource["kind"]]: (resource: Extract<NonDataResource, { kind: K }>) => string[];
} = {
  form({ title, fields }) {
    const lines = fields.map(
      ({ label, kind, choices }) => `${label} [${kind}${choices ? `: ${choices.join(", ")}` : ""}]`,
    );
    return [...(title === undefined ? [] : [title]), ...lines];
  },
  // RFC 1738 §3.8: "clients accessing a telnet URL merely advise the user of the suggested username and password."
  service({ url, host, port, user, password }) {
    const login = user === undefined ? [] : [`suggested user: ${user}`];
    const secret = password === undefined ? [] : ["suggested password: see the URL"];
    return [`${url.scheme} service at ${host} port ${port}`, ...login, ...secret];
  },
  mailbox({ recipients, headers }) {
    const names = recipients.map(({ address }) => address).join(", ");
    return [
      names === "" ? "message without recipients" : `mailbox of ${names}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ];
  },
  "not-modified": () => ["not modified"],
};

/** Describes a resource without data, such as a Telnet service, in lines of text. Omits a password. */
export function describeNonDataResource(resource: NonDataResource): readonly string[] {
  const describe = RESOURCE_DESCRIPTIONS[resource.kind] as (resource: NonDataResource) => string[];
  return describe(resource).map(escapeControls);
}
