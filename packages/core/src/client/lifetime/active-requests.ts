import { Chain, type Link } from "../../chain.ts";
import type { Scope } from "./lifetime.ts";

/** The scopes of a client that have not ended; all abort when it closes. */
export class Scopes {
  readonly #open = new Chain<Scope>();
  #closed: (() => Error) | undefined;

  /** Gives what takes the scope out again. */
  add(scope: Scope): Link<Scope> {
    if (this.#closed) scope.abort(this.#closed());
    return this.#open.add(scope);
  }

  remove(link: Link<Scope>): void {
    this.#open.remove(link);
  }

  /** Aborts all that are open, and all that come later. */
  close(reason: () => Error): void {
    this.#closed = reason;
    for (const scope of this.#open.values()) scope.abort(reason());
  }
}
