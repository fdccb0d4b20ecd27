import { join } from "node:path";
import {
  type AccessErrorCode,
  AccessError,
  type DirectoryEntry,
  type Resource,
  type Url,
} from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import { parseParallelMaxOption } from "../args/parse-option-values.ts";
import type { OptionValues } from "../args/options.ts";
import type { CommandLineClient, DereferencedResourceAndSignal } from "../client/command-line-client.ts";
import { createTaskLimiter, type TaskLimiter } from "../client/task-limiter.ts";
import { getExitCodeNameForError } from "../errors/exit-codes.ts";
import { formatJsonLine } from "../output/json-line.ts";
import { isUnparsableEntry } from "../output/directory-entry-format.ts";
import { findListingTruncationError } from "../output/listing.ts";
import {
  type CliIo,
  type FailedUrlOrFileListener,
  writeLines,
  writeLinesToStderr,
} from "../terminal/cli-io.ts";
import { createProgressBoard, type ProgressBoard, shouldShowProgress } from "../terminal/progress.ts";
import {
  decodeUnsanitizedSegmentsBelow,
  formatServerAndUserKey,
  hasMirrorablePath,
} from "./decode-unsanitized-path-segments.ts";
import { type ListedFile, inspectLocalCopy } from "./local-file.ts";
import type { DownloadFolder, LocalFileName } from "./download-folder.ts";

export interface DirectoryTreeCopyOptions {
  readonly client: CommandLineClient;
  readonly optionValues: OptionValues;
  readonly io: CliIo;
  /** The maximum depth of the directory tree, and the maximum number of its entries. */
  readonly limits: { readonly maxDepth: number; readonly maxFiles: number };
  readonly onFailure: FailedUrlOrFileListener;
}

interface PendingDirectory {
  readonly url: Url;
  readonly depth: number;
}

/** The kinds of directory entries that are directories themselves. */
const DIRECTORY_ENTRY_KINDS: ReadonlySet<string> = new Set(["directory", "menu", "group"]);
const SKIPPED_ENTRY_KINDS: ReadonlySet<string> = new Set([
  "link",
  "special",
  "info",
  "error",
  "search",
  "phone-book",
  "form",
]);
const RESUMABLE_SCHEMES: ReadonlySet<string> = new Set(["ftp", "file"]);
/**
 * The error codes with which a server refuses one entry, such as an unreadable file, or a directory that is requested
 * as a file.
 */
const REFUSED_ENTRY_ERROR_CODES: ReadonlySet<unknown> = new Set([
  "no-content",
  "not-found",
  "permission-denied",
]);
/** The maximum number of files that are being downloaded or wait, which limits the memory for a large directory. */
const MAX_PENDING_DOWNLOADS = 32;
/**
 * The number of consecutive failures after which the copy stops, because the server is unreachable or refuses the
 * login. An entry that the server refuses, such as an unreadable file, resets the count of consecutive failures.
 */
const MAX_CONSECUTIVE_FAILURES = 20;

/**
 * The maximum number of servers that the message about external entries names. The copy omits these entries, which are
 * on other servers or outside the directory.
 */
const MAX_NAMED_SERVERS = 3;

const GET_WITHOUT_R_ADVICE = "use get without -r";

/** Copies a directory tree of one server into a local folder. */
export class DirectoryTreeCopy {
  readonly #start: Url;
  readonly #options: DirectoryTreeCopyOptions;
  readonly #limiter: TaskLimiter;
  readonly #board: ProgressBoard;
  readonly #seenUrls = new Set<string>();
  readonly #pending = new Set<Promise<void>>();
  readonly #directories: PendingDirectory[] = [];
  /** The first servers to which external entries refer. */
  readonly #externalServers = new Set<string>();
  readonly #counts = { saved: 0, upToDate: 0, skipped: 0, external: 0, failed: 0 };
  #root: DownloadFolder | undefined;
  #entryCount = 0;
  #consecutiveFailures = 0;
  #isStopped = false;

  constructor(start: Url, options: DirectoryTreeCopyOptions) {
    this.#start = start;
    this.#options = options;
    const parallelMax = parseParallelMaxOption(options.optionValues);
    this.#limiter = createTaskLimiter(parallelMax, parallelMax);
    this.#board = createProgressBoard(options.io);
  }

  /** The numbers of entries by result, as in `4 saved, 2 up to date, 1 skipped, 3 external, 1 failed`. */
  get summary(): string {
    const { saved, upToDate, skipped, external, failed } = this.#counts;
    return `${saved} saved, ${upToDate} up to date, ${skipped} skipped, ${external} external, ${failed} failed`;
  }

  /**
   * Copies the directory tree. Calls `makeRoot` after the first listing to create the local folder. Rejects when the
   * start directory cannot be listed, and for a scheme whose URLs have no known path syntax.
   */
  async copyTree(makeRoot: () => Promise<DownloadFolder>): Promise<void> {
    if (!hasMirrorablePath(this.#start)) throw createUnsupportedSchemeError(this.#start);
    const entries = await this.#list(this.#start);
    this.#root = await makeRoot();
    this.#seenUrls.add(this.#start.href);
    await this.#copyEntries(entries, this.#start, 0);
    while (this.#directories.length > 0 || this.#pending.size > 0) {
      const next = this.#directories.shift();
      if (next) await this.#attempt(next.url, () => this.#copyDirectory(next));
      // A pending download may turn out to be a directory, whose entries are then copied too.
      else await Promise.race(this.#pending);
    }
    if (this.#externalServers.size > 0)
      this.#log(`external entries are not copied; they refer to ${[...this.#externalServers].join(", ")}`);
  }

  async #copyDirectory({ url, depth }: PendingDirectory): Promise<void> {
    const entries = await this.#list(url);
    await this.#makeFolder(decodeUnsanitizedSegmentsBelow(this.#start, url) ?? []);
    await this.#copyEntries(entries, url, depth);
  }

  /**
   * Reads the whole listing of a directory before the download of its first file. An open listing would occupy a
   * connection during the downloads.
   */
  async #list(url: Url): Promise<readonly DirectoryEntry[]> {
    const entries: DirectoryEntry[] = [];
    const read = async ({ resource }: DereferencedResourceAndSignal): Promise<void> => {
      if (resource.kind !== "directory")
        throw createUnexpectedResourceError(resource, "unsupported", "directory");
      for await (const entry of resource) entries.push(entry);
      // The copy continues with the entries of a truncated listing.
      const error = await findListingTruncationError(resource);
      if (error) await this.#reportError(error, url);
    };
    await this.#limiter.run(formatServerAndUserKey(url), () => this.#options.client.dereference(url, read));
    return entries;
  }

  async #copyEntries(entries: readonly DirectoryEntry[], listing: Url, depth: number): Promise<void> {
    for (const entry of entries) {
      const { url, kind, name } = entry;
      if (this.#isStopped) return;
      if (isUnparsableEntry(entry)) await this.#failUnreadable(entry, listing);
      else if (kind === "info") continue;
      else if (url === undefined) this.#skip(name, "the entry has no URL");
      else if (decodeUnsanitizedSegmentsBelow(this.#start, url) === undefined) this.#countExternal(url);
      else if (SKIPPED_ENTRY_KINDS.has(kind)) this.#skip(name, `it is a ${kind}`);
      else if (!this.#seenUrls.has(url.href)) await this.#copyEntry(entry, url, depth);
    }
  }

  async #copyEntry(entry: DirectoryEntry, url: Url, depth: number): Promise<void> {
    this.#seenUrls.add(url.href);
    if (await this.#exceedsLimit(url)) return;
    if (DIRECTORY_ENTRY_KINDS.has(entry.kind)) return this.#enqueueDirectory(url, depth);
    while (this.#pending.size >= MAX_PENDING_DOWNLOADS) await Promise.race(this.#pending);
    const task: Promise<void> = this.#attempt(url, () => this.#copyFile(entry, url, depth)).finally(() =>
      this.#pending.delete(task),
    );
    this.#pending.add(task);
  }

  /** Counts a listing line that cannot be parsed as a failure, because the line may describe a file. */
  async #failUnreadable({ name, fault }: DirectoryEntry, listing: Url): Promise<void> {
    if (await this.#exceedsLimit(listing)) return;
    const reason = `a line of the listing cannot be parsed: "${name}": ${fault}`;
    await this.#fail(createTreeCopyError(listing, "incomplete", reason), listing);
  }

  /**
   * Counts an entry of the copied directory tree. Stops the copy and returns true when the tree has more entries than
   * `--max-files`.
   */
  async #exceedsLimit(url: Url): Promise<boolean> {
    const { maxFiles } = this.#options.limits;
    if (++this.#entryCount <= maxFiles) return false;
    this.#isStopped = true;
    await this.#fail(createTreeLimitError(url, `more than ${maxFiles} entries`, "max-files"), url);
    return true;
  }

  async #enqueueDirectory(url: Url, depth: number): Promise<void> {
    const { maxDepth } = this.#options.limits;
    if (depth >= maxDepth)
      await this.#fail(createTreeLimitError(url, `directories deeper than ${maxDepth}`, "max-depth"), url);
    else this.#directories.push({ url, depth: depth + 1 });
  }

  async #copyFile(entry: DirectoryEntry, url: Url, depth: number): Promise<void> {
    try {
      await this.#save(entry, url);
    } catch (error) {
      // An FTP listing by NLST contains only names, so an entry with the kind `unknown` may be a directory.
      const { code, reason } = error as AccessError;
      if (!REFUSED_ENTRY_ERROR_CODES.has(code) || url.scheme !== "ftp") throw error;
      // The advice of the client says that the name may be a directory, but the listing says that it is a file.
      if (entry.kind === "file") throw createTreeCopyError(url, code, reason);
      if (entry.kind !== "unknown") throw error;
      await this.#enqueueDirectory(this.#options.client.parse(`${url.href}/`), depth);
    }
  }

  async #save(listed: ListedFile, url: Url): Promise<void> {
    const { client, optionValues } = this.#options;
    const names = decodeUnsanitizedSegmentsBelow(this.#start, url) ?? [];
    const folder = await this.#makeFolder(names.slice(0, -1));
    const remoteName = names.at(-1) ?? "";
    const local = folder && this.#localName(folder, remoteName, "file");
    if (!folder || !local) return;
    const path = join(folder.path, local.name);
    const isText = optionValues.type === "a";
    const file = await inspectLocalCopy(path, listed, RESUMABLE_SCHEMES.has(url.scheme) && !isText);
    if (file.isUpToDate && !isText) {
      this.#counts.upToDate++;
      return this.#writeJson({ url, state: "up-to-date", saved: path, received: 0 });
    }
    const line = shouldShowProgress(optionValues, this.#options.io, true)
      ? this.#board.addLine(path)
      : undefined;
    const use = async ({ resource }: DereferencedResourceAndSignal): Promise<void> => {
      if (resource.kind === "directory") throw createUnexpectedResourceError(resource, "no-content", "file");
      if (resource.kind !== "content") return this.#skip(path, `it is a ${resource.kind}`);
      const received = (await file.save(resource, file.resumeOffset)) - file.resumeOffset;
      this.#counts.saved++;
      if (local.isRenamed) this.#log(`saved as ${path}: the server's name is ${remoteName}`);
      if (optionValues.verbose) this.#log(`* saved ${path}`);
      await this.#writeJson({ url, state: "saved", saved: path, received });
    };
    const range = file.resumeOffset > 0 ? { range: { start: file.resumeOffset } } : {};
    try {
      await this.#limiter.run(formatServerAndUserKey(url), () =>
        client.dereference(url, use, {
          onProgress: (progress) => line?.show(progress),
          // Only a binary FTP transfer has the same size as the file in the listing.
          planOptions: { ...(url.scheme === "ftp" && !isText && { type: "i" }), ...range },
        }),
      );
    } finally {
      line?.clear();
    }
    this.#consecutiveFailures = 0;
  }

  /** Creates the local folder for a path of directory names on the server. */
  async #makeFolder(remoteNames: readonly string[]): Promise<DownloadFolder | undefined> {
    let folder = this.#root;
    for (const remoteName of remoteNames) {
      const parent = folder;
      const local = parent && this.#localName(parent, remoteName, "folder");
      folder = local && (await parent?.makeSubfolder(local.name));
      if (folder && local?.isRenamed) this.#log(`folder ${folder.path}: the server's name is ${remoteName}`);
    }
    return folder;
  }

  #localName(folder: DownloadFolder, remoteName: string, kind: "file" | "folder"): LocalFileName | undefined {
    const local = folder.getLocalName(remoteName, kind);
    if (local === undefined) this.#skip(remoteName, "no local file name can be made from the name");
    return local;
  }

  #countExternal(url: Url): void {
    this.#counts.external++;
    const isSameServer = formatServerAndUserKey(url) === formatServerAndUserKey(this.#start);
    const { host, port } = url.components() as { host?: string; port?: string };
    const server = `${url.scheme}://${host}${port === undefined ? "" : `:${port}`}`;
    if (host && this.#externalServers.size < MAX_NAMED_SERVERS)
      this.#externalServers.add(isSameServer ? `${server} outside the directory` : server);
  }

  #skip(name: string, reason: string): void {
    this.#counts.skipped++;
    this.#log(`skipped ${name === "" ? "an entry without a name" : name}: ${reason}`);
  }

  #log(text: string): void {
    if (!this.#options.optionValues.silent) writeLinesToStderr(this.#options.io, [escapeControls(text)]);
  }

  /**
   * Writes a line of JSON about a copied entry to standard output. Stops the copy when standard output is closed or
   * full.
   */
  async #writeJson(line: object): Promise<void> {
    if (!this.#options.optionValues.json) return;
    try {
      await writeLines(this.#options.io.stdout, [formatJsonLine(line)]);
    } catch (error) {
      if (this.#isStopped) return;
      this.#isStopped = true;
      await this.#reportError(error, this.#start);
    }
  }

  /**
   * Runs a task of the directory copy, such as a download. A failure of the task is reported, and ends the copy only
   * after an interrupt or too many consecutive failures.
   */
  async #attempt(url: Url, task: () => Promise<void>): Promise<void> {
    if (this.#isStopped) return;
    try {
      await task();
    } catch (error) {
      if (this.#isStopped) return;
      this.#consecutiveFailures = isRefusedEntryError(error) ? 0 : this.#consecutiveFailures + 1;
      const hasTooManyFailures = this.#consecutiveFailures >= MAX_CONSECUTIVE_FAILURES;
      this.#isStopped = this.#options.client.isInterrupted || hasTooManyFailures;
      await this.#fail(error, url);
      if (hasTooManyFailures)
        this.#log(`the copy stopped after ${MAX_CONSECUTIVE_FAILURES} consecutive failures`);
    }
  }

  async #fail(error: unknown, url: Url): Promise<void> {
    this.#counts.failed++;
    await this.#reportError(error, url);
  }

  async #reportError(error: unknown, url: Url): Promise<void> {
    await this.#options.onFailure(error, String(url));
  }
}

/** True when the server refuses one entry, and not the login. */
function isRefusedEntryError(error: unknown): boolean {
  return (
    error instanceof AccessError &&
    REFUSED_ENTRY_ERROR_CODES.has(error.code) &&
    getExitCodeNameForError(error) !== "login"
  );
}

function createTreeLimitError(url: Url, reason: string, option: string): AccessError {
  return createTreeCopyError(url, "limit", `the tree has ${reason}`, `--${option} changes the limit`);
}

/** Creates the error for a resource that is not of the expected kind: a file or a directory. */
export function createUnexpectedResourceError(
  { url }: Pick<Resource, "url">,
  code: AccessErrorCode,
  expected: string,
): AccessError {
  return createTreeCopyError(url, code, `the URL is not a ${expected}`, GET_WITHOUT_R_ADVICE);
}

function createUnsupportedSchemeError(url: Url): AccessError {
  const reason = `get -r does not support the scheme ${url.scheme}`;
  return createTreeCopyError(url, "unsupported", reason, GET_WITHOUT_R_ADVICE);
}

function createTreeCopyError(url: Url, code: AccessErrorCode, reason: string, advice?: string): AccessError {
  return new AccessError(code, reason, { advice }, { operationName: "get", url: String(url) });
}
