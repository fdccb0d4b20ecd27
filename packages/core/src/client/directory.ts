import { AccessError } from "../access-error.ts";
import type { DirectoryInit, DirectoryResource, Entry, Hop, Plan } from "../scheme.ts";
import type { Url } from "../syntax/index.ts";
import { classify } from "./classify.ts";
import type { Origin } from "./content.ts";

/** A directory or menu whose entries are read as they arrive. */
export class Directory<E extends Entry> implements DirectoryResource<E> {
  readonly kind = "directory";
  readonly url: Url;
  readonly via: readonly Hop[];
  readonly plan: Plan;
  readonly #init: DirectoryInit<E>;
  readonly #origin: Origin;
  #used = false;

  constructor(init: DirectoryInit<E>, origin: Origin) {
    this.url = origin.url;
    this.via = origin.via;
    this.plan = origin.plan;
    this.#init = init;
    this.#origin = origin;
    const giveUp = (): void => this.#init.cancel?.();
    const { ending } = origin.scope;
    if (ending.aborted) giveUp();
    ending.addEventListener("abort", giveUp);
  }

  /** Entries that arrived before a failure are all given before it is thrown. */
  async *[Symbol.asyncIterator](): AsyncGenerator<E> {
    if (this.#used) throw new TypeError("the directory has been read already");
    this.#used = true;
    const { scope } = this.#origin;
    try {
      if (scope.ending.aborted) throw scope.ending.reason;
      yield* this.#init.entries;
    } catch (error) {
      const reason: unknown = scope.ending.aborted ? scope.ending.reason : error;
      throw classify(reason).at(this.#origin.operation("read"));
    } finally {
      this.#init.cancel?.();
      scope.end();
    }
  }

  close(): Promise<void> {
    this.#origin.scope.abort(new AccessError("aborted", "the directory was closed before its end"));
    this.#init.cancel?.();
    this.#origin.scope.end();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
