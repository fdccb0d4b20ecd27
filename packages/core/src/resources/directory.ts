import { AccessError } from "../errors/access-error.ts";
import type { DirectoryCompleteness, DirectoryResource, Entry, RedirectEntry } from "../scheme/resource.ts";
import type { DirectoryInit } from "../scheme/content.ts";
import type { Plan } from "../scheme/plan.ts";
import type { Url } from "../syntax/index.ts";
import { toAccessError } from "../errors/to-access-error.ts";
import { Completion } from "./completion.ts";
import type { ResourceOrigin } from "./content.ts";

/** A directory or menu whose entries are read as they arrive. */
export class Directory<E extends Entry> implements DirectoryResource<E> {
  readonly kind = "directory";
  readonly url: Url;
  readonly redirectChain: readonly RedirectEntry[];
  readonly plan: Plan;
  readonly #init: DirectoryInit<E>;
  readonly #origin: ResourceOrigin;
  readonly #completion = new Completion<DirectoryCompleteness>();
  #used = false;

  constructor(init: DirectoryInit<E>, origin: ResourceOrigin) {
    this.url = origin.url;
    this.redirectChain = origin.redirectChain;
    this.plan = origin.plan;
    this.#init = init;
    this.#origin = origin;
    const { signal } = origin.lifetime;
    const onAbort = (): void => {
      if (!this.#completion.isSettled) this.#completion.reject(this.#failure(signal.reason));
      this.#init.cancel?.();
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
  }

  get completeness(): Promise<DirectoryCompleteness> {
    return this.#completion.promise;
  }

  /** Yields all entries that arrived before a failure, and then throws the error. */
  async *[Symbol.asyncIterator](): AsyncGenerator<E> {
    if (this.#used) throw new TypeError("the directory has been read already");
    this.#used = true;
    const { lifetime: scope } = this.#origin;
    try {
      if (scope.signal.aborted) throw scope.signal.reason;
      scope.ref();
      for await (const entry of this.#init.entries) {
        // The process may exit while the caller handles an entry.
        scope.unref();
        yield entry;
        scope.ref();
      }
      const { completeness = "verified" } = this.#init;
      this.#completion.resolve(typeof completeness === "function" ? completeness() : completeness);
    } catch (error) {
      const failure = this.#failure(scope.signal.aborted ? scope.signal.reason : error);
      this.#completion.reject(failure);
      throw failure;
    } finally {
      // A `break` in the caller's loop also ends here.
      if (!this.#completion.isSettled) this.#completion.reject(this.#failure(closedEarly()));
      this.#init.cancel?.();
      scope.end();
    }
  }

  close(): Promise<void> {
    this.#origin.lifetime.abort(closedEarly());
    this.#init.cancel?.();
    this.#origin.lifetime.end();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #failure(error: unknown): AccessError {
    return toAccessError(error).withContext(this.#origin.errorContext("read"));
  }
}

function closedEarly(): AccessError {
  return new AccessError("aborted", "the directory was closed before its end");
}
