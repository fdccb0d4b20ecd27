import { join } from "node:path";
import { type AccessCode, AccessError, type Entry, type Resource, type Url } from "@anyscheme/core";
import { governor } from "../client/limiter.ts";
import { jsonLine } from "../output/json-line.ts";
import { isUnreadable, truncationError } from "../output/listing.ts";
import type { OptionValues } from "../args/options.ts";
import { createProgressBoard } from "../terminal/progress-board.ts";
import type { CommandClient, DereferencedResource } from "../client/command-client.ts";
import { type CliIo, writeToStderr, writeLines } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";
import { childPath, serverKey } from "./child-path.ts";
import { openMirrorFile, type ListedFile } from "./local-file.ts";
import type { LocalFolder, LocalName } from "./local-folder.ts";

export interface TreeCopyOptions {
  readonly client: CommandClient;
  readonly values: OptionValues;
  readonly io: CliIo;
  /** Directories below the first one, and entries in all. */
  readonly limits: { readonly depth: number; readonly files: number };
  readonly onFailure: (error: unknown, text: string) => Promise<void>;
}

interface Directory {
  readonly url: Url;
  readonly depth: number;
}

/** Kinds of entries that lead to another list. */
const DIRECTORIES: ReadonlySet<string> = new Set(["directory", "menu", "group"]);
/** Kinds of entries that have nothing to be copied. */
const NOT_FILES: ReadonlySet<string> = new Set([
  "link",
  "special",
  "info",
  "error",
  "search",
  "phone-book",
  "form",
]);
/** Schemes that give the rest of a file. */
const RESUMABLE_SCHEMES: ReadonlySet<string> = new Set(["ftp", "file"]);
/** What a server says of a directory that is asked for as a file. */
const NOT_A_FILE_CODES: ReadonlySet<unknown> = new Set(["no-content", "not-found", "permission-denied"]);
/** Files under way and waiting, so that a large directory does not take a place in memory for each. */
const MAX_PENDING = 32;
/** A server that refuses so many one after the other has had enough, or has gone. */
const MAX_CONSECUTIVE_FAILURES = 20;

/** A tree of a server on its way to this machine: all that is at the same server and below the first directory. */
export class TreeCopy {
  readonly #start: Url;
  readonly #options: TreeCopyOptions;
  readonly #limiter = governor();
  readonly #board;
  readonly #seen = new Set<string>();
  readonly #pending = new Set<Promise<void>>();
  readonly #directories: Directory[] = [];
  readonly #counts = { saved: 0, same: 0, skipped: 0, external: 0, failed: 0 };
  #root: LocalFolder | undefined;
  #entries = 0;
  #consecutiveFailures = 0;
  #stopped = false;

  constructor(start: Url, context: TreeCopyOptions) {
    this.#start = start;
    this.#options = context;
    this.#board = createProgressBoard(context.io.stderr);
  }

  /** `4 saved, 2 up to date, 1 skipped, 3 external, 1 failed`. */
  get summary(): string {
    const { saved, same, skipped, external, failed } = this.#counts;
    return `${saved} saved, ${same} up to date, ${skipped} skipped, ${external} external, ${failed} failed`;
  }

  /** Copies everything. `root` makes the folder when there is something for it. Throws what the first directory throws. */
  async copy(root: () => Promise<LocalFolder>): Promise<void> {
    const entries = await this.#list(this.#start);
    this.#root = await root();
    this.#seen.add(this.#start.href);
    await this.#copyEntries(entries, this.#start, 0);
    while (this.#directories.length > 0 || this.#pending.size > 0) {
      const next = this.#directories.shift();
      if (next) await this.#attempt(next.url, () => this.#descend(next));
      // What turns out to be a directory comes back into the queue.
      else await Promise.race(this.#pending);
    }
    this.#board.clear();
  }

  async #descend({ url, depth }: Directory): Promise<void> {
    const entries = await this.#list(url);
    await this.#folderFor(childPath(this.#start, url) ?? []);
    await this.#copyEntries(entries, url, depth);
  }

  /** The entries of a directory, all of them before the first is fetched: a listing does not wait for files. */
  async #list(url: Url): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    const read = async ({ resource }: DereferencedResource): Promise<void> => {
      if (resource.kind !== "directory") throw wrongKindError(resource, "unsupported", "directory");
      for await (const entry of resource) entries.push(entry);
      // What is listed is copied; the exit code tells that something is missing.
      const cut = await truncationError(resource);
      if (cut) await this.#reportError(cut, url);
    };
    await this.#limiter.run(serverKey(url), () => this.#options.client.dereference(url, read));
    return entries;
  }

  async #copyEntries(entries: readonly Entry[], listing: Url, depth: number): Promise<void> {
    for (const entry of entries) {
      const { url, kind, name } = entry;
      if (this.#stopped) return;
      if (isUnreadable(entry)) await this.#failUnread(entry, listing);
      else if (kind === "info") continue;
      else if (url === undefined) this.#skip(name, "it has no URL");
      else if (childPath(this.#start, url) === undefined) this.#counts.external++;
      else if (NOT_FILES.has(kind)) this.#skip(name, `it is a ${kind}`);
      else if (!this.#seen.has(url.href)) await this.#copyEntry(entry, url, depth);
    }
  }

  async #copyEntry(entry: Entry, url: Url, depth: number): Promise<void> {
    this.#seen.add(url.href);
    if (await this.#exceedsLimit(url)) return;
    if (DIRECTORIES.has(entry.kind)) return this.#enqueue(url, depth);
    while (this.#pending.size >= MAX_PENDING) await Promise.race(this.#pending);
    const work: Promise<void> = this.#attempt(url, () => this.#fetch(entry, url, depth)).finally(() =>
      this.#pending.delete(work),
    );
    this.#pending.add(work);
  }

  /** Reports a line of a listing that could not be read: it may have been a file. */
  async #failUnread({ name, fault }: Entry, listing: Url): Promise<void> {
    if (await this.#exceedsLimit(listing)) return;
    const what = `a line of the listing cannot be read: "${name}": ${fault}`;
    await this.#fail(getError(listing, "incomplete", what), listing);
  }

  /** Counts an entry. True when the tree has more than it may; the copy then stops. */
  async #exceedsLimit(url: Url): Promise<boolean> {
    const { files } = this.#options.limits;
    if (++this.#entries <= files) return false;
    await this.#stop(treeLimitError(url, `more than ${files} entries`, "limit-files"), url);
    return true;
  }

  async #enqueue(url: Url, depth: number): Promise<void> {
    const { depth: most } = this.#options.limits;
    if (depth >= most)
      await this.#fail(treeLimitError(url, `directories deeper than ${most}`, "limit-depth"), url);
    else this.#directories.push({ url, depth: depth + 1 });
  }

  async #fetch(entry: Entry, url: Url, depth: number): Promise<void> {
    try {
      await this.#save(entry, url);
    } catch (error) {
      // A list of names alone does not tell directories from files.
      const mayBeDirectory = entry.kind === "unknown" && NOT_A_FILE_CODES.has((error as AccessError).code);
      if (!mayBeDirectory || url.scheme !== "ftp") throw error;
      await this.#enqueue(this.#options.client.parse(`${url.href}/`), depth);
    }
  }

  async #save(told: ListedFile, url: Url): Promise<void> {
    const { client: session, values } = this.#options;
    const names = childPath(this.#start, url) ?? [];
    const folder = await this.#folderFor(names.slice(0, -1));
    const remote = names.at(-1) ?? "";
    const local = folder && this.#nameIn(folder, remote, "file");
    if (!folder || !local) return;
    const path = join(folder.path, local.name);
    const isText = values.type === "a";
    const place = await openMirrorFile(path, told, RESUMABLE_SCHEMES.has(url.scheme) && !isText);
    if (place.isUpToDate && !isText) {
      this.#counts.same++;
      return this.#report({ url, saved: path, received: 0 });
    }
    const line = this.#showsProgress() ? this.#board.line(path) : undefined;
    const write = async ({ resource }: DereferencedResource): Promise<void> => {
      if (resource.kind === "directory") throw wrongKindError(resource, "no-content", "file");
      if (resource.kind !== "content") return this.#skip(path, `it is a ${resource.kind}`);
      const received = (await place.save(resource, place.start)) - place.start;
      this.#counts.saved++;
      if (local.isRenamed) this.#log(`saved as ${path}: its name is ${remote}`);
      await this.#report({ url, saved: path, received });
    };
    const range = place.start > 0 ? { range: { start: place.start } } : {};
    try {
      await this.#limiter.run(serverKey(url), () =>
        session.dereference(url, write, {
          onProgress: (counts) => line?.show(counts),
          // The bytes as they are: their number is compared with that of the listing.
          planOptions: () => ({ ...(url.scheme === "ftp" && !isText && { type: "i" }), ...range }),
        }),
      );
    } finally {
      line?.clear();
    }
    this.#consecutiveFailures = 0;
  }

  /** The folder that these names lead to; it is made. */
  async #folderFor(names: readonly string[]): Promise<LocalFolder | undefined> {
    let folder = this.#root;
    for (const remote of names) {
      const above = folder;
      const local = above && this.#nameIn(above, remote, "folder");
      folder = local && (await above?.makeSubfolder(local.name));
      if (folder && local?.isRenamed) this.#log(`folder ${folder.path}: its name is ${remote}`);
    }
    return folder;
  }

  #nameIn(folder: LocalFolder, remote: string, kind: "file" | "folder"): LocalName | undefined {
    const local = folder.nameFor(remote, kind);
    if (local === undefined) this.#skip(remote, "nothing of it can be a name here");
    return local;
  }

  #skip(name: string, why: string): void {
    this.#counts.skipped++;
    this.#log(`skipped ${name === "" ? "a nameless entry" : name}: ${why}`);
  }

  #log(text: string): void {
    if (this.#options.values.silent) return;
    this.#board.clear();
    writeToStderr(this.#options.io.stderr, [escapeControls(text)]);
  }

  #showsProgress(): boolean {
    const { progress, silent, verbose } = this.#options.values;
    return progress ?? (this.#options.io.stderr.isTerminal && !silent && !verbose);
  }

  async #report(line: object): Promise<void> {
    if (this.#options.values.json) await writeLines(this.#options.io.stdout, [jsonLine(line)]);
  }

  /** Does work whose failure is not that of the whole tree. */
  async #attempt(url: Url, work: () => Promise<void>): Promise<void> {
    if (this.#stopped) return;
    try {
      await work();
    } catch (error) {
      if (this.#stopped) return;
      if (this.#options.client.isInterrupted || ++this.#consecutiveFailures >= MAX_CONSECUTIVE_FAILURES)
        this.#stopped = true;
      await this.#fail(error, url);
    }
  }

  async #stop(error: AccessError, url: Url): Promise<void> {
    this.#stopped = true;
    await this.#fail(error, url);
  }

  async #fail(error: unknown, url: Url): Promise<void> {
    this.#counts.failed++;
    await this.#reportError(error, url);
  }

  async #reportError(error: unknown, url: Url): Promise<void> {
    this.#board.clear();
    await this.#options.onFailure(error, String(url));
  }
}

function treeLimitError(url: Url, what: string, option: string): AccessError {
  return getError(url, "limit", `the tree has ${what}`, `--${option} changes that`);
}

function wrongKindError({ url }: Resource, code: AccessCode, what: string): AccessError {
  return getError(url, code, `this is no ${what}`, "get without -r writes it");
}

function getError(url: Url, code: AccessCode, what: string, advice?: string): AccessError {
  return new AccessError(code, what, { advice }, { name: "get", url: String(url) });
}
