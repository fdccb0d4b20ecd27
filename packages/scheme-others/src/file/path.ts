import { AccessError } from "@anyscheme/core";

/** Where a file is, in the words of its URL. */
export interface FilePath {
  /** Of Windows: `C:`. The names are then counted from there, and not from the root. */
  readonly drive: string | undefined;
  /** One below the other; the last one is empty when the URL ends in a slash. */
  readonly names: readonly Uint8Array[];
}

interface NameRule {
  readonly isBroken: (text: string) => boolean;
  readonly reason: string;
}

/** What a name of one directory entry never is, on any system. */
const COMMON_RULES: readonly NameRule[] = [
  { isBroken: (text) => text.includes("\0"), reason: "holds NUL" },
  { isBroken: (text) => text.includes("/"), reason: 'holds an encoded "/"' },
  { isBroken: (text) => text === "." || text === "..", reason: "has a meaning of its own" },
];

/** <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>: the names that lead elsewhere than they say. */
const WINDOWS_RULES: readonly NameRule[] = [
  { isBroken: (text) => text.includes("\ufffd"), reason: "is not UTF-8" },
  // A separator, a drive or an alternate stream, and the "?" of paths like \\?\.
  { isBroken: (text) => /[\\:<>"|?*]/.test(text), reason: "holds a character that no name of Windows has" },
  { isBroken: (text) => /\p{Cc}/u.test(text), reason: "holds a control character" },
  // Both are dropped, so that the name is another file's.
  { isBroken: (text) => /[. ]$/.test(text), reason: "ends in a dot or blank" },
  {
    isBroken: (text) => /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i.test(text),
    reason: "is the name of a device",
  },
];

/** The resource fork of a file, by a name below it. */
const MACOS_RULES: readonly NameRule[] = [
  { isBroken: (text) => text.toLowerCase() === "..namedfork", reason: "has a meaning of its own" },
];

const PLATFORM_RULES: Readonly<Partial<Record<NodeJS.Platform, readonly NameRule[]>>> = {
  win32: WINDOWS_RULES,
  darwin: MACOS_RULES,
};

const utf8 = new TextDecoder();

/**
 * Takes decoded segments for names. On Windows the first may be a drive, as in `file:///C:/x` or, of old, `file:///C|/x`. There are
 * no UNC names: `file://server/share` is a file of another host, to which the scheme knows no way. Throws `refused-characters` for
 * what is no name of one directory entry.
 */
export function toFilePath(segments: readonly Uint8Array[], platform: NodeJS.Platform): FilePath {
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
  const broken = [...COMMON_RULES, ...(PLATFORM_RULES[platform] ?? [])].find(({ isBroken: breaks }) =>
    breaks(text),
  );
  if (broken) throw new AccessError("refused-characters", `a segment of the path ${broken.reason}`);
}
