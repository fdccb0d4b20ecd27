import { AccessError } from "@anyscheme/core";

/** Where a file is, in the words of its URL. */
export interface FilePlace {
  /** Of Windows: `C:`. The names are then counted from there, and not from the root. */
  readonly drive: string | undefined;
  /** One below the other; the last one is empty when the URL ends in a slash. */
  readonly names: readonly Uint8Array[];
}

interface Rule {
  readonly breaks: (text: string) => boolean;
  readonly says: string;
}

/** What a name of one directory entry never is, on any system. */
const EVERYWHERE: readonly Rule[] = [
  { breaks: (text) => text.includes("\0"), says: "holds NUL" },
  { breaks: (text) => text.includes("/"), says: 'holds an encoded "/"' },
  { breaks: (text) => text === "." || text === "..", says: "has a meaning of its own" },
];

/** <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>: the names that lead elsewhere than they say. */
const WINDOWS: readonly Rule[] = [
  { breaks: (text) => text.includes("\ufffd"), says: "is not UTF-8" },
  // A separator, a drive or an alternate stream, and the "?" of paths like \\?\.
  { breaks: (text) => /[\\:<>"|?*]/.test(text), says: "holds a character that no name of Windows has" },
  { breaks: (text) => /\p{Cc}/u.test(text), says: "holds a control character" },
  // Both are dropped, so that the name is another file's.
  { breaks: (text) => /[. ]$/.test(text), says: "ends in a dot or blank" },
  {
    breaks: (text) => /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i.test(text),
    says: "is the name of a device",
  },
];

/** The resource fork of a file, by a name below it. */
const MAC: readonly Rule[] = [
  { breaks: (text) => text.toLowerCase() === "..namedfork", says: "has a meaning of its own" },
];

const PLATFORM: Readonly<Partial<Record<NodeJS.Platform, readonly Rule[]>>> = { win32: WINDOWS, darwin: MAC };

const utf8 = new TextDecoder();

/**
 * Takes decoded segments for names. On Windows the first may be a drive, as in `file:///C:/x` or, of old, `file:///C|/x`. There are
 * no UNC names: `file://server/share` is a file of another host, to which the scheme knows no way. Throws `refused-characters` for
 * what is no name of one directory entry.
 */
export function placeOf(segments: readonly Uint8Array[], platform: NodeJS.Platform): FilePlace {
  const [first, ...others] = segments;
  const letter = platform === "win32" && first ? /^([A-Za-z])[:|]$/.exec(utf8.decode(first))?.[1] : undefined;
  const names = letter === undefined ? segments : others;
  names.forEach((name, index) => checkName(name, index === names.length - 1, platform));
  return { drive: letter === undefined ? undefined : `${letter.toUpperCase()}:`, names };
}

function checkName(name: Uint8Array, last: boolean, platform: NodeJS.Platform): void {
  if (name.length === 0) {
    if (!last) throw new AccessError("refused-characters", "a segment of the path is empty");
    return;
  }
  const text = utf8.decode(name);
  const broken = [...EVERYWHERE, ...(PLATFORM[platform] ?? [])].find(({ breaks }) => breaks(text));
  if (broken) throw new AccessError("refused-characters", `a segment of the path ${broken.says}`);
}
