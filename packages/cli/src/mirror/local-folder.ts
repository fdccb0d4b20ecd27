import { createHash } from "node:crypto";
import { promises as fs } from "node:fs";
import { join } from "node:path";
import { safeFileName, truncateName } from "../output/safe-file-name.ts";
import { WriteError } from "../terminal/cli-io.ts";

/** The end of the name of a file that is not complete. */
const PARTIAL = ".anyscheme-part";

/** Bytes that common file systems take for one name. */
const MAX_NAME_BYTES = 255;

/** The name of a file while it is not complete; the same in each run. Of a long name, the beginning and a digest. */
export function partialName(name: string): string {
  const whole = `.${name}${PARTIAL}`;
  if (Buffer.byteLength(whole) <= MAX_NAME_BYTES) return whole;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return `.${truncateName(name, MAX_NAME_BYTES - 2 - digest.length - PARTIAL.length)}~${digest}${PARTIAL}`;
}

/** A name of this machine for one of a server. */
export interface LocalName {
  readonly name: string;
  /** Whether it is given for the first time and is not the server's name. */
  readonly isRenamed: boolean;
}

/** A folder that a directory is copied into. Each name of the server has one of its own here. */
export class LocalFolder {
  readonly path: string;
  readonly #usedNames = new Set<string>();
  readonly #names = new Map<string, string | undefined>();
  readonly #folders = new Map<string, LocalFolder>();
  readonly #platform: NodeJS.Platform;

  constructor(path: string, platform: NodeJS.Platform = process.platform) {
    this.path = path;
    this.#platform = platform;
  }

  /** The name for one of the server; `undefined` when nothing of it can be a name. Two of them never get the same. */
  nameFor(remote: string, kind: "file" | "folder"): LocalName | undefined {
    const key = `${kind} ${remote}`;
    if (this.#names.has(key)) return toKnownName(this.#names.get(key));
    const name = this.#freeName(remote);
    this.#names.set(key, name);
    return name === undefined ? undefined : { name, isRenamed: name !== remote };
  }

  /** The folder in this one for a name of `nameFor`; it is made when it is not there. Throws `WriteError`, for a link too. */
  async makeSubfolder(name: string): Promise<LocalFolder> {
    const known = this.#folders.get(name);
    if (known) return known;
    const path = join(this.path, name);
    await makeFolder(path);
    const folder = new LocalFolder(path, this.#platform);
    this.#folders.set(name, folder);
    return folder;
  }

  #freeName(remote: string): string | undefined {
    const safe = safeFileName(remote, this.#platform);
    if (safe === undefined) return undefined;
    const fitting = truncateName(safe, MAX_NAME_BYTES);
    const wanted = fitting.endsWith(PARTIAL) ? `${truncateName(fitting, MAX_NAME_BYTES - 1)}_` : fitting;
    let name = wanted;
    for (let number = 2; this.#usedNames.has(this.#folded(name)); number++) {
      const suffix = `~${number}`;
      name = `${truncateName(wanted, MAX_NAME_BYTES - suffix.length)}${suffix}`;
    }
    this.#usedNames.add(this.#folded(name));
    return name;
  }

  /** What the file system takes for the same name. */
  #folded(name: string): string {
    const insensitive = this.#platform === "win32" || this.#platform === "darwin";
    return insensitive ? name.normalize("NFC").toLowerCase() : name;
  }
}

function toKnownName(name: string | undefined): LocalName | undefined {
  return name === undefined ? undefined : { name, isRenamed: false };
}

async function makeFolder(path: string): Promise<void> {
  try {
    await fs.mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw new WriteError(path, error);
    const stats = await fs.lstat(path);
    if (stats.isSymbolicLink())
      throw new WriteError(path, new Error("it is a link, and nothing is written through it"));
    if (!stats.isDirectory()) throw new WriteError(path, new Error("a file of this name is there"));
  }
}
