import type { DirectoryEntry } from "@anyscheme/core";
import { createFtpEntryUrl, type FtpUrl } from "../syntax.ts";

/** An entry of a directory on an FTP server. */
export interface FtpEntry extends DirectoryEntry {
  /**
   * The name of the file or directory, decoded as UTF-8, with U+FFFD for invalid bytes. If the line of the listing
   * cannot be parsed, the name is the whole line.
   */
  readonly name: string;
  /** The bytes of the file name as the FTP server sent them. */
  readonly rawName: Uint8Array;
  /** The URL of the entry; `undefined` if the line cannot be parsed. */
  readonly url: FtpUrl | undefined;
  /**
   * `"special"` is a device, a pipe or a socket. `"unknown"` is the kind of an entry for which the listing states no
   * known kind.
   */
  readonly kind: "file" | "directory" | "link" | "special" | "unknown";
  /** The size of a file in bytes. */
  readonly size?: number | undefined;
  /**
   * The modification time that the server states. LIST states no time zone, so the client interprets its times as
   * UTC.
   */
  readonly modified?: Date | undefined;
  /** The reason why the line of the FTP listing cannot be parsed. An entry with a fault has the kind `unknown`. */
  readonly fault?: string | undefined;
}

const utf8Decoder = new TextDecoder("utf-8", { ignoreBOM: true });

interface FtpEntryInit {
  readonly kind: FtpEntry["kind"];
  readonly size?: number | undefined;
  readonly modified?: Date | undefined;
  /** The directories on the path from the listed directory to the entry. */
  readonly parentDirectories?: readonly Uint8Array[] | undefined;
}

/** Creates an entry of an FTP listing. Returns undefined for an empty name, `.` and `..`. */
export function createFtpEntry(
  listing: FtpUrl,
  rawName: Uint8Array,
  init: FtpEntryInit,
): FtpEntry | undefined {
  const name = utf8Decoder.decode(rawName);
  if (name === "" || name === "." || name === "..") return undefined;
  const { kind, size, modified, parentDirectories = [] } = init;
  return {
    name,
    rawName: new Uint8Array(rawName),
    kind,
    url:
      kind === "directory"
        ? createFtpEntryUrl(listing, [...parentDirectories, rawName], new Uint8Array(0))
        : createFtpEntryUrl(listing, parentDirectories, rawName),
    ...(size === undefined || kind !== "file" ? {} : { size }),
    ...(modified && { modified }),
  };
}

/**
 * Creates an entry without a URL for a line that cannot be parsed. The whole invalid line becomes the name of the FTP
 * entry.
 */
export function createInvalidFtpEntry(line: Uint8Array, fault: string): FtpEntry {
  return {
    name: utf8Decoder.decode(line),
    rawName: new Uint8Array(line),
    kind: "unknown",
    url: undefined,
    fault,
  };
}
