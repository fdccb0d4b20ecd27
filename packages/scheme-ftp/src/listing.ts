import { AccessError, type Entry, limitReached, type Limits, type OctetSource } from "@anyscheme/core";
import { decodeOctets } from "@anyscheme/core/syntax";
import { linesOf } from "@anyscheme/core/wire";
import { type FileInfo, parseList } from "basic-ftp";
import { type FtpUrl, urlOfEntry } from "./syntax.ts";

/** Something in a directory of an FTP server. */
export interface FtpEntry extends Entry {
  /** The name as UTF-8; what is not UTF-8 in it becomes U+FFFD. */
  readonly name: string;
  /** The name as the server sent it. */
  readonly octets: Uint8Array;
  readonly url: FtpUrl;
  /** `"unknown"` when the server lists names only. */
  readonly kind: "file" | "directory" | "link" | "unknown";
}

/** Makes an entry of a line; `undefined` for lines that stand for nothing in the directory. */
type ReadLine = (line: Uint8Array) => FtpEntry | undefined;

/** How to read the answer to each command. */
const READERS: Readonly<Record<string, (url: FtpUrl) => ReadLine>> = {
  NLST: nameReader,
  LIST: longLineReader,
};

/** The entries of a list as its lines arrive. Throws `limit`, and `unsupported` for a form that is not known. */
export async function* entriesOf(
  source: OctetSource,
  command: string,
  url: FtpUrl,
  limits: Limits,
): AsyncGenerator<FtpEntry> {
  const readLine = READERS[command]?.(url);
  if (!readLine) throw new Error(`${command} gives no list`);
  let count = 0;
  for await (const line of linesOf(within(source, limits), limits, "maxListingLineBytes")) {
    const entry = readLine(line);
    if (!entry) continue;
    if (++count > limits.maxListingEntries) {
      throw limitReached("maxListingEntries", limits, "the list has too many entries");
    }
    yield entry;
  }
}

/** The same octets, as far as a list may be long. */
function within(source: OctetSource, limits: Limits): OctetSource {
  let received = 0;
  return {
    read: (take) =>
      source.read((octets) => {
        received += octets.length;
        if (received > limits.maxListingBytes)
          throw limitReached("maxListingBytes", limits, "the list is too long");
        return take(octets);
      }),
    cancel: () => source.cancel(),
  };
}

/**
 * Lines of NLST, each "a pathname" (RFC 959 §4.1.3). Asked for a directory, most servers begin each name with that directory,
 * some do not; asked for a pattern, they give names of the directory walked to.
 */
function nameReader(url: FtpUrl): ReadLine {
  const asked = decodeOctets(url.name ?? "");
  const prefix = asked.length === 0 || asked.at(-1) === SLASH ? asked : Uint8Array.from([...asked, SLASH]);
  const isPattern = asked.some((octet) => PATTERN.includes(octet));
  return (line) => {
    const hasPrefix = startsWith(line, prefix);
    const octets = hasPrefix ? line.subarray(prefix.length) : line;
    const isAskedItself = octets.length === asked.length && startsWith(octets, asked);
    const isInside = asked.length > 0 && (hasPrefix || !(isAskedItself || isPattern));
    return entry(octets, "unknown", (name) => urlOfEntry(url, isInside ? [asked] : [], name));
  };
}

const SLASH = 0x2f;
const PATTERN: Uint8Array = new TextEncoder().encode("*?[{");

function startsWith(octets: Uint8Array, start: Uint8Array): boolean {
  return start.every((octet, index) => octets[index] === octet);
}

/** Lines of LIST, in the forms that basic-ftp knows: those of Unix and DOS. */
function longLineReader(url: FtpUrl): ReadLine {
  return (line) => {
    const [info] = parse(line);
    if (!info) return undefined;
    const kind = kindOf(info);
    const made = entry(octetsOf(info.name), kind, (name) =>
      kind === "directory" ? urlOfEntry(url, [name], new Uint8Array(0)) : urlOfEntry(url, [], name),
    );
    return made && kind === "file" && Number.isSafeInteger(info.size) ? { ...made, size: info.size } : made;
  };
}

function parse(line: Uint8Array): FileInfo[] {
  try {
    return parseList(lettersOf(line));
  } catch (cause) {
    const advice = "with ;type=d the server lists the names alone";
    throw new AccessError("unsupported", "the list has a form that is not known", { cause, advice });
  }
}

// JavaScript takes 0xA0 and some control characters for blanks or line ends. The parser sees such octets as letters of the
// private use area, whose low eight bits are the octet.
const PRIVATE_USE = 0xe000;

function lettersOf(line: Uint8Array): string {
  const text = Buffer.from(line).toString("latin1");
  return text.replace(/[\v\f\r\u00a0]/g, (blank) => String.fromCharCode(PRIVATE_USE + blank.charCodeAt(0)));
}

function octetsOf(letters: string): Uint8Array {
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0) & 0xff);
}

function kindOf(info: FileInfo): FtpEntry["kind"] {
  if (info.isDirectory) return "directory";
  if (info.isSymbolicLink) return "link";
  return info.isFile ? "file" : "unknown";
}

/** An entry, unless its name is empty or stands for the directory itself or the one above. */
function entry(
  octets: Uint8Array,
  kind: FtpEntry["kind"],
  urlOf: (name: Uint8Array) => FtpUrl,
): FtpEntry | undefined {
  const name = new TextDecoder("utf-8", { ignoreBOM: true }).decode(octets);
  if (name === "" || name === "." || name === "..") return undefined;
  return { name, octets: new Uint8Array(octets), kind, url: urlOf(octets) };
}
