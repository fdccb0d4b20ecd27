import { AccessError } from "@anyscheme/core";

/** The decoded path of a file URL. */
export interface FilePath {
  /**
   * A Windows drive such as `C:`, or `undefined` for a path without a drive. The segments of a path with a drive are
   * relative to the drive, not to the root.
   */
  readonly drive: string | undefined;
  /**
   * The path segments after the drive: the names of the directories, followed by the name of the file. The last segment
   * is empty when the file URL ends in a slash.
   */
  readonly segments: readonly Uint8Array[];
}

interface FileNameRule {
  readonly isViolatedBy: (text: string) => boolean;
  readonly reason: string;
}

/** The rules for names of directory entries on all operating systems. */
const COMMON_FILE_NAME_RULES: readonly FileNameRule[] = [
  { isViolatedBy: (text) => text.includes("\0"), reason: "a path segment contains NUL" },
  { isViolatedBy: (text) => text.includes("/"), reason: 'a path segment contains an encoded "/"' },
  { isViolatedBy: (text) => text === "." || text === "..", reason: 'a path segment is "." or ".."' },
];

/**
 * Rules for names that Windows maps to other files or devices:
 * <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>.
 */
const WINDOWS_FILE_NAME_RULES: readonly FileNameRule[] = [
  { isViolatedBy: (text) => text.includes("\ufffd"), reason: "a path segment is not UTF-8" },
  // Matches path separators, drives, alternate streams, and the "?" of paths such as \\?\C:\.
  {
    isViolatedBy: (text) => /[\\:<>"|?*]/.test(text),
    reason: "a path segment contains a character that Windows does not allow",
  },
  { isViolatedBy: (text) => /\p{Cc}/u.test(text), reason: "a path segment contains a control character" },
  // Windows removes a final dot or blank, so a name with such an end would refer to another file.
  { isViolatedBy: (text) => /[. ]$/.test(text), reason: "a path segment ends in a dot or blank" },
  {
    isViolatedBy: (text) => /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i.test(text),
    reason: "a path segment is the name of a device",
  },
];

/** On macOS, the name "..namedfork" below a file designates the resource fork of the file. */
const MACOS_FILE_NAME_RULES: readonly FileNameRule[] = [
  {
    isViolatedBy: (text) => text.toLowerCase() === "..namedfork",
    reason: "a path segment designates a resource fork",
  },
];

const PLATFORM_FILE_NAME_RULES: Readonly<Partial<Record<NodeJS.Platform, readonly FileNameRule[]>>> = {
  win32: WINDOWS_FILE_NAME_RULES,
  darwin: MACOS_FILE_NAME_RULES,
};

/**
 * Converts the decoded segments of a file URL to a path. The first segment may be a drive on Windows, as in
 * `file:///C:/x` or the older `file:///C|/x`. UNC names are not supported, because `file://server/share` names another
 * host. Throws `refused-characters` for a segment that is not the name of one directory entry.
 */
export function segmentsToFilePath(urlSegments: readonly Uint8Array[], platform: NodeJS.Platform): FilePath {
  const [first, ...others] = urlSegments;
  const letter =
    platform === "win32" && first ? /^([A-Za-z])[:|]$/.exec(decodeFileName(first))?.[1] : undefined;
  const segments = letter === undefined ? urlSegments : others;
  segments.forEach((name, index) => checkFileName(name, index === segments.length - 1, platform));
  return { drive: letter === undefined ? undefined : `${letter.toUpperCase()}:`, segments };
}

function checkFileName(name: Uint8Array, isLast: boolean, platform: NodeJS.Platform): void {
  if (name.length === 0) {
    if (!isLast) throw new AccessError("refused-characters", "a path segment is empty");
    return;
  }
  const text = decodeFileName(name);
  const rules = [...COMMON_FILE_NAME_RULES, ...(PLATFORM_FILE_NAME_RULES[platform] ?? [])];
  const violatedRule = rules.find((rule) => rule.isViolatedBy(text));
  if (violatedRule) throw new AccessError("refused-characters", violatedRule.reason);
}

function decodeFileName(name: Uint8Array): string {
  return new TextDecoder().decode(name);
}
