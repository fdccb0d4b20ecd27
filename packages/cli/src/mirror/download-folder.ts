import { createHash } from "node:crypto";
import { promises as fs } from "node:fs";
import { join } from "node:path";
import { WriteError } from "../errors/cli-errors.ts";
import { toSafeFileName, truncateToUtf8Bytes } from "../output/safe-file-name.ts";

const PARTIAL_FILE_SUFFIX = ".anyscheme-part";

/** The maximum length of a file name on common file systems, in bytes. */
const MAX_FILE_NAME_BYTES = 255;

/** The number of hexadecimal digits of the digest in a local name that differs from the name on the server. */
const NAME_DIGEST_LENGTH = 8;

/** Matches the suffix of a file name that stays at the end of a name with a digest, as in `.txt`. */
const FILE_NAME_SUFFIX = /(?<=.)\.[A-Za-z0-9]{1,15}$/;

/**
 * Returns the temporary name of an incomplete file. Each run of the command uses the same temporary name. A long name
 * is truncated and gets a digest of the whole name.
 */
export function getPartialFileName(name: string): string {
  const whole = `.${name}${PARTIAL_FILE_SUFFIX}`;
  if (Buffer.byteLength(whole) <= MAX_FILE_NAME_BYTES) return whole;
  const digest = computeDigest(name, 16);
  return `.${truncateToUtf8Bytes(name, MAX_FILE_NAME_BYTES - 2 - digest.length - PARTIAL_FILE_SUFFIX.length)}~${digest}${PARTIAL_FILE_SUFFIX}`;
}

function computeDigest(text: string, length: number): string {
  // UTF-8 cannot encode the lone surrogates of a name.
  return createHash("sha256").update(text, "utf16le").digest("hex").slice(0, length);
}

/** Adds a digest of a text to a file name, before its suffix. Truncates a long name. */
function addDigestToFileName(name: string, text: string): string {
  const [suffix = ""] = FILE_NAME_SUFFIX.exec(name) ?? [];
  const end = `~${computeDigest(text, NAME_DIGEST_LENGTH)}${suffix}`;
  const stem = name.slice(0, name.length - suffix.length);
  return `${truncateToUtf8Bytes(stem, MAX_FILE_NAME_BYTES - Buffer.byteLength(end))}${end}`;
}

/** The local file name for a name on the server. */
export interface LocalFileName {
  readonly name: string;
  /**
   * True when the local name differs from the name on the server. Only the first call of `getLocalName` for a name sets
   * `isRenamed` to true.
   */
  readonly isRenamed: boolean;
}

/**
 * A local folder that receives files. Maps each name on the server to a unique local name. A local name that differs
 * from the name on the server has a digest of that name. Because of the digest, each run of the command chooses the
 * same local name.
 */
export class DownloadFolder {
  readonly path: string;
  readonly #usedNames = new Set<string>();
  readonly #localNames = new Map<string, string | undefined>();
  readonly #subfolders = new Map<string, DownloadFolder>();
  readonly #platform: NodeJS.Platform;

  constructor(path: string, platform: NodeJS.Platform = process.platform) {
    this.path = path;
    this.#platform = platform;
  }

  /**
   * Returns the local name for a name on the server. Returns `undefined` when no local name can be made from the
   * name, as for `..`.
   */
  getLocalName(remoteName: string, kind: "file" | "folder"): LocalFileName | undefined {
    const key = `${kind} ${remoteName}`;
    if (this.#localNames.has(key)) {
      const name = this.#localNames.get(key);
      return name === undefined ? undefined : { name, isRenamed: false };
    }
    const name = this.#chooseName(remoteName, key);
    this.#localNames.set(key, name);
    return name === undefined ? undefined : { name, isRenamed: name !== remoteName };
  }

  /**
   * Creates a subfolder with a name from `getLocalName`, or returns the existing subfolder. Throws `WriteError` if
   * the folder cannot be created, or if the path is a symbolic link.
   */
  async makeSubfolder(name: string): Promise<DownloadFolder> {
    const known = this.#subfolders.get(name);
    if (known) return known;
    const path = join(this.path, name);
    await makeFolder(path);
    const folder = new DownloadFolder(path, this.#platform);
    this.#subfolders.set(name, folder);
    return folder;
  }

  #chooseName(remoteName: string, key: string): string | undefined {
    // A name is one segment of a path, so its slashes and backslashes do not separate folders.
    const safe = toSafeFileName(remoteName.replace(/[/\\]/g, "_"), this.#platform);
    if (safe === undefined) return undefined;
    const base = safe.endsWith(PARTIAL_FILE_SUFFIX) ? `${safe}_` : safe;
    const isUnchanged = base === remoteName && Buffer.byteLength(base) <= MAX_FILE_NAME_BYTES;
    let name = isUnchanged ? base : addDigestToFileName(base, key);
    for (let attempt = 2; this.#usedNames.has(this.#foldCase(name)); attempt++)
      name = addDigestToFileName(base, `${attempt} ${key}`);
    this.#usedNames.add(this.#foldCase(name));
    return name;
  }

  /** Returns the same text for names that the file system considers equal. */
  #foldCase(name: string): string {
    const isCaseInsensitive = this.#platform === "win32" || this.#platform === "darwin";
    return isCaseInsensitive ? name.normalize("NFC").toLowerCase() : name;
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await fs.mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw new WriteError(path, error);
    const stats = await fs.lstat(path);
    if (stats.isSymbolicLink()) throw new WriteError(path, new Error("the path is a symbolic link"));
    if (!stats.isDirectory())
      throw new WriteError(path, new Error("a file with the name of the folder exists"));
  }
}
