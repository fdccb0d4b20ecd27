import { entryUrl, type FtpUrl } from "../url/syntax.ts";
import type { FtpEntry } from "./listing.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

interface EntryInit {
  readonly kind: FtpEntry["kind"];
  readonly size?: number | undefined;
  readonly modified?: Date | undefined;
  /** The directories between the listed directory and the entry. */
  readonly directories?: readonly Uint8Array[] | undefined;
}

/** Creates an entry. Returns undefined for an empty name, `.` and `..`. */
export function createEntry(listing: FtpUrl, rawName: Uint8Array, init: EntryInit): FtpEntry | undefined {
  const name = utf8.decode(rawName);
  if (name === "" || name === "." || name === "..") return undefined;
  const { kind, size, modified, directories = [] } = init;
  return {
    name,
    rawName: new Uint8Array(rawName),
    kind,
    url:
      kind === "directory"
        ? entryUrl(listing, [...directories, rawName], new Uint8Array(0))
        : entryUrl(listing, directories, rawName),
    ...(size === undefined || kind !== "file" ? {} : { size }),
    ...(modified && { modified }),
  };
}

/** Creates an entry for a line that cannot be parsed. Its name is the line, and it has no URL. */
export function createInvalidEntry(line: Uint8Array, fault: string): FtpEntry {
  return { name: utf8.decode(line), rawName: new Uint8Array(line), kind: "unknown", url: undefined, fault };
}
