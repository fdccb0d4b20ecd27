import type { FtpEntry } from "./listing.ts";
import { type FtpUrl, entryUrl } from "../url/syntax.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** What a line of a list tells besides the name. */
export interface EntryInit {
  readonly kind: FtpEntry["kind"];
  readonly size?: number | undefined;
  readonly modified?: Date | undefined;
  /** The directories between that of the list and the name. */
  readonly below?: readonly Uint8Array[] | undefined;
}

/** An entry, unless its name is empty or stands for the directory itself or the one above. */
export function createEntry(list: FtpUrl, bytes: Uint8Array, told: EntryInit): FtpEntry | undefined {
  const name = utf8.decode(bytes);
  if (name === "" || name === "." || name === "..") return undefined;
  const { kind, size, modified, below = [] } = told;
  const isDirectory = kind === "directory";
  return {
    name,
    rawName: new Uint8Array(bytes),
    kind,
    url: isDirectory ? entryUrl(list, [...below, bytes], new Uint8Array(0)) : entryUrl(list, below, bytes),
    ...(size === undefined || kind !== "file" ? {} : { size }),
    ...(modified && { modified }),
  };
}

/** The entry of a line that cannot be read: its text is the name, and it leads nowhere. */
export function createInvalidEntry(line: Uint8Array, fault: string): FtpEntry {
  return { name: utf8.decode(line), rawName: new Uint8Array(line), kind: "unknown", url: undefined, fault };
}
