import { join } from "node:path";
import { type AccessCode, AccessError, type Entry, type Resource, type Url } from "@anyscheme/core";
import { governor } from "../client/limiter.ts";
import { jsonLine } from "../output/json-line.ts";
import { isUnread, truncation } from "../output/listing.ts";
import type { Values } from "../args/options.ts";
import { progressBoard } from "../terminal/progress-board.ts";
import type { Session, Visit } from "../client/command-client.ts";
import { type Io, tell, writeLines } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";
import { namesBelow, serverOf } from "./child-path.ts";
import { localFile, type Told } from "./local-file.ts";
import type { LocalFolder, LocalName } from "./local-folder.ts";

export interface TreeContext {
  readonly session: Session;
  readonly values: Values;
  readonly io: Io;
  /** Directories below the first one, and entries in all. */
  readonly limits: { readonly depth: number; readonly files: number };
  readonly failed: (error: unknown, text: string) => Promise<void>;
}

interface Directory {
  readonly url: Url;
  readonly depth: number;
}

/** Kinds of entries that lead to another list. */
const DIRECTORIES: ReadonlySet<string> = new Set(["directory", "menu", "group"]);
/** Kinds of entries that have nothing to be copied. */
const NO_FILES: ReadonlySet<string> = new Set([
  "link",
  "special",
  "info",
  "error",
  "search",
  "phone-book",
  "form",
]);
/** Schemes that give the rest of a file. */
const GOES_ON: ReadonlySet<string> = new Set(["ftp", "file"]);
/** What a server says of a directory that is asked for as a file. */
const NO_FILE: ReadonlySet<unknown> = new Set(["no-content", "not-found", "permission-denied"]);
/** Files under way and waiting, so that a large directory does not take a place in memory for each. */
const MOST_UNDER_WAY = 32;
/** A server that refuses so many one after the other has had enough, or has gone. */
const MOST_FAILURES = 20;

/** A tree of a server on its way to this machine: all that is at the same server and below the first directory. */
export class Tree {
  readonly #start: Url;
  readonly #context: TreeContext;
  readonly #governor = governor();
  readonly #board;
  readonly #seen = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #directories: Directory[] = [];
  readonly #counts = { saved: 0, same: 0, skipped: 0, external: 0, failed: 0 };
  #root: LocalFolder | undefined;
  #entries = 0;
  #failures = 0;
  #stopped = false;

  constructor(start: Url, context: TreeContext) {
    this.#start = start;
    this.#context = context;
    this.#board = progressBoard(context.io.stderr);
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
    await this.#take(entries, this.#start, 0);
    while (this.#directories.length > 0 || this.#underWay.size > 0) {
      const next = this.#directories.shift();
      if (next) await this.#attempt(next.url, () => this.#descend(next));
      // What turns out to be a directory comes back into the queue.
      else await Promise.race(this.#underWay);
    }
    this.#board.clear();
  }

  async #descend({ url, depth }: Directory): Promise<void> {
    const entries = await this.#list(url);
    await this.#folderFor(namesBelow(this.#start, url) ?? []);
    await this.#take(entries, url, depth);
  }

  /** The entries of a directory, all of them before the first is fetched: a listing does not wait for files. */
  async #list(url: Url): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    const read = async ({ resource }: Visit): Promise<void> => {
      if (resource.kind !== "directory") throw notThat(resource, "unsupported", "directory");
      for await (const entry of resource) entries.push(entry);
      // What is listed is copied; the exit code tells that something is missing.
      const cut = await truncation(resource);
      if (cut) await this.#tell(cut, url);
    };
    await this.#governor.run(serverOf(url), () => this.#context.session.visit(url, read));
    return entries;
  }

  async #take(entries: readonly Entry[], listing: Url, depth: number): Promise<void> {
    for (const entry of entries) {
      const { url, kind, name } = entry;
      if (this.#stopped) return;
      if (isUnread(entry)) await this.#failUnread(entry, listing);
      else if (kind === "info") continue;
      else if (url === undefined) this.#skip(name, "it has no URL");
      else if (namesBelow(this.#start, url) === undefined) this.#counts.external++;
      else if (NO_FILES.has(kind)) this.#skip(name, `it is a ${kind}`);
      else if (!this.#seen.has(url.href)) await this.#takeOne(entry, url, depth);
    }
  }

  async #takeOne(entry: Entry, url: Url, depth: number): Promise<void> {
    this.#seen.add(url.href);
    if (await this.#isOneTooMany(url)) return;
    if (DIRECTORIES.has(entry.kind)) return this.#enqueue(url, depth);
    while (this.#underWay.size >= MOST_UNDER_WAY) await Promise.race(this.#underWay);
    const work: Promise<void> = this.#attempt(url, () => this.#fetch(entry, url, depth)).finally(() =>
      this.#underWay.delete(work),
    );
    this.#underWay.add(work);
  }

  /** Reports a line of a listing that could not be read: it may have been a file. */
  async #failUnread({ name, fault }: Entry, listing: Url): Promise<void> {
    if (await this.#isOneTooMany(listing)) return;
    const what = `a line of the listing cannot be read: "${name}": ${fault}`;
    await this.#fail(failure(listing, "incomplete", what), listing);
  }

  /** Counts an entry. True when the tree has more than it may; the copy then stops. */
  async #isOneTooMany(url: Url): Promise<boolean> {
    const { files } = this.#context.limits;
    if (++this.#entries <= files) return false;
    await this.#stop(tooMuch(url, `more than ${files} entries`, "limit-files"), url);
    return true;
  }

  async #enqueue(url: Url, depth: number): Promise<void> {
    const { depth: most } = this.#context.limits;
    if (depth >= most) await this.#fail(tooMuch(url, `directories deeper than ${most}`, "limit-depth"), url);
    else this.#directories.push({ url, depth: depth + 1 });
  }

  async #fetch(entry: Entry, url: Url, depth: number): Promise<void> {
    try {
      await this.#save(entry, url);
    } catch (error) {
      // A list of names alone does not tell directories from files.
      const mayBeDirectory = entry.kind === "unknown" && NO_FILE.has((error as AccessError).code);
      if (!mayBeDirectory || url.scheme !== "ftp") throw error;
      await this.#enqueue(this.#context.session.parse(`${url.href}/`), depth);
    }
  }

  async #save(told: Told, url: Url): Promise<void> {
    const { session, values } = this.#context;
    const names = namesBelow(this.#start, url) ?? [];
    const folder = await this.#folderFor(names.slice(0, -1));
    const remote = names.at(-1) ?? "";
    const local = folder && this.#nameIn(folder, remote, "file");
    if (!folder || !local) return;
    const path = join(folder.path, local.name);
    const isText = values.type === "a";
    const place = await localFile(path, told, GOES_ON.has(url.scheme) && !isText);
    if (place.isSame && !isText) {
      this.#counts.same++;
      return this.#report({ url, saved: path, received: 0 });
    }
    const line = this.#shows() ? this.#board.line(path) : undefined;
    const write = async ({ resource }: Visit): Promise<void> => {
      if (resource.kind === "directory") throw notThat(resource, "no-content", "file");
      if (resource.kind !== "content") return this.#skip(path, `it is a ${resource.kind}`);
      const received = (await place.save(resource, place.start)) - place.start;
      this.#counts.saved++;
      if (local.isNews) this.#say(`saved as ${path}: its name is ${remote}`);
      await this.#report({ url, saved: path, received });
    };
    const range = place.start > 0 ? { range: { start: place.start } } : {};
    try {
      await this.#governor.run(serverOf(url), () =>
        session.visit(url, write, {
          onProgress: (counts) => line?.show(counts),
          // The bytes as they are: their number is compared with that of the listing.
          planOptions: () => ({ ...(url.scheme === "ftp" && !isText && { type: "i" }), ...range }),
        }),
      );
    } finally {
      line?.clear();
    }
    this.#failures = 0;
  }

  /** The folder that these names lead to; it is made. */
  async #folderFor(names: readonly string[]): Promise<LocalFolder | undefined> {
    let folder = this.#root;
    for (const remote of names) {
      const above = folder;
      const local = above && this.#nameIn(above, remote, "folder");
      folder = local && (await above?.enter(local.name));
      if (folder && local?.isNews) this.#say(`folder ${folder.path}: its name is ${remote}`);
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
    this.#say(`skipped ${name === "" ? "a nameless entry" : name}: ${why}`);
  }

  #say(text: string): void {
    if (this.#context.values.silent) return;
    this.#board.clear();
    tell(this.#context.io.stderr, [escapeControls(text)]);
  }

  #shows(): boolean {
    const { progress, silent, verbose } = this.#context.values;
    return progress ?? (this.#context.io.stderr.isTerminal && !silent && !verbose);
  }

  async #report(line: object): Promise<void> {
    if (this.#context.values.json) await writeLines(this.#context.io.stdout, [jsonLine(line)]);
  }

  /** Does work whose failure is not that of the whole tree. */
  async #attempt(url: Url, work: () => Promise<void>): Promise<void> {
    if (this.#stopped) return;
    try {
      await work();
    } catch (error) {
      if (this.#stopped) return;
      if (this.#context.session.interrupted || ++this.#failures >= MOST_FAILURES) this.#stopped = true;
      await this.#fail(error, url);
    }
  }

  async #stop(error: AccessError, url: Url): Promise<void> {
    this.#stopped = true;
    await this.#fail(error, url);
  }

  async #fail(error: unknown, url: Url): Promise<void> {
    this.#counts.failed++;
    await this.#tell(error, url);
  }

  async #tell(error: unknown, url: Url): Promise<void> {
    this.#board.clear();
    await this.#context.failed(error, String(url));
  }
}

function tooMuch(url: Url, what: string, option: string): AccessError {
  return failure(url, "limit", `the tree has ${what}`, `--${option} changes that`);
}

function notThat({ url }: Resource, code: AccessCode, what: string): AccessError {
  return failure(url, code, `this is no ${what}`, "get without -r writes it");
}

function failure(url: Url, code: AccessCode, what: string, advice?: string): AccessError {
  return new AccessError(code, what, { advice }, { name: "get", url: String(url) });
}
