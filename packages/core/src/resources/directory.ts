import { AccessError, toAccessError } from "../errors/access-error.ts";
import type {
  DirectoryCompleteness,
  DirectoryResource,
  DirectoryEntry,
  RedirectChainEntry,
} from "../scheme/resource.ts";
import type { DirectoryInit } from "../scheme/context.ts";
import type { Plan } from "../scheme/plan.ts";
import type { Url } from "../syntax/index.ts";
import { AbortableRead } from "../io/abort.ts";
import { setBodyDeadline, type ResourceContext } from "./resource-context.ts";

/** A directory or menu whose entries are read as they arrive. */
export class Directory<E extends DirectoryEntry> implements DirectoryResource<E> {
  readonly kind = "directory";
  readonly url: Url;
  readonly redirectChain: readonly RedirectChainEntry[];
  readonly plan: Plan;
  readonly #init: DirectoryInit<E>;
  readonly #context: ResourceContext;
  readonly #completion = Promise.withResolvers<DirectoryCompleteness>();
  readonly #pendingRead = new AbortableRead();
  #used = false;
  /** True while `callTimeoutMs` limits the wait for the first entry. */
  #limitsFirstEntry = false;

  constructor(init: DirectoryInit<E>, context: ResourceContext) {
    this.url = context.url;
    this.redirectChain = context.redirectChain;
    this.plan = context.plan;
    this.#init = init;
    this.#context = context;
    // The iteration reports the same failure as `completeness`. Without this handler, an unhandled rejection of
    // `completeness` would end the process.
    this.#completion.promise.catch(() => undefined);
    const { signal } = context.lifetime;
    const onAbort = (): void => {
      const failure = this.#failure(signal.reason);
      this.#completion.reject(failure);
      this.#pendingRead.abort(failure);
      this.#init.cancel?.();
      context.lifetime.end();
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
  }

  get completeness(): Promise<DirectoryCompleteness> {
    return this.#completion.promise;
  }

  /**
   * Applies `callTimeoutMs` to the wait for the first entry, for a method that reads the whole directory in one call.
   */
  applyCallTimeout(): void {
    this.#context.lifetime.setRequestDeadline(this.#context);
    this.#limitsFirstEntry = true;
  }

  /** Yields all entries that arrived before a failure, and then throws the error of the failure. */
  async *[Symbol.asyncIterator](): AsyncGenerator<E> {
    if (this.#used) throw new TypeError("the directory has been read already");
    this.#used = true;
    const { lifetime } = this.#context;
    let isComplete = false;
    try {
      if (lifetime.signal.aborted) throw lifetime.signal.reason;
      lifetime.ref();
      for await (const entry of this.#createAbortableEntries()) {
        if (this.#limitsFirstEntry) setBodyDeadline(this.#context, "listing");
        this.#limitsFirstEntry = false;
        // An open listing does not keep the process alive while the caller handles an entry.
        lifetime.unref();
        yield entry;
        lifetime.ref();
      }
      const { completeness = "verified" } = this.#init;
      this.#completion.resolve(typeof completeness === "function" ? completeness() : completeness);
      isComplete = true;
    } catch (error) {
      const failure = this.#failure(lifetime.signal.aborted ? lifetime.signal.reason : error);
      this.#completion.reject(failure);
      throw failure;
    } finally {
      // A `break` in the caller's loop also runs this `finally` block.
      if (!isComplete) this.#completion.reject(this.#failure(createClosedEarlyError()));
      this.#init.cancel?.();
      lifetime.end();
    }
  }

  /** Returns the directory's entries as an iterable. An abort of the request ends the pending read of an entry. */
  #createAbortableEntries(): AsyncIterable<E> | Iterable<E> {
    const { signal } = this.#context.lifetime;
    // Entries that are not asynchronous, such as those of an array, are never waited for.
    if (!(Symbol.asyncIterator in this.#init.entries)) return this.#init.entries;
    const entries = this.#init.entries[Symbol.asyncIterator]();
    const next = (): Promise<IteratorResult<E>> => entries.next();
    const end = async (): Promise<IteratorResult<E>> =>
      (await entries.return?.()) ?? { done: true, value: undefined };
    // A source with a pending read frees its resources when the read settles.
    signal.addEventListener("abort", () => void end().catch(() => undefined));
    const iterator: AsyncIterator<E> = {
      next: () => (signal.aborted ? Promise.reject(signal.reason as Error) : this.#pendingRead.run(next)),
      return: () => this.#pendingRead.run(end),
    };
    return { [Symbol.asyncIterator]: () => iterator };
  }

  close(): Promise<void> {
    this.#context.lifetime.abortSignal(createClosedEarlyError());
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #failure(error: unknown): AccessError {
    return toAccessError(error).withContext(this.#context.createErrorContext("read"));
  }
}

function createClosedEarlyError(): AccessError {
  return new AccessError("aborted", "the directory was closed before its end");
}
