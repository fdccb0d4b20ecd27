import { addAbortListener, setMaxListeners } from "node:events";
import type { Link } from "../../chain.ts";
import type { Bound, Refable } from "../../network/connector.ts";
import type { Socket } from "../../network/socket.ts";
import { accessBegins, accessEnds, atTurnEnd } from "../../network/turn.ts";
import type { Scopes } from "./active-requests.ts";

/** The connection that carries a TLS connection: both live and end together. */
const carriers = new WeakMap<Socket, Socket>();

/** Sockets of one scope from which on those that have closed are forgotten; most have one. */
const MANY = 8;

/** An error of a socket that nobody reads any more is no error of the process. */
const ignore = (): void => undefined;

/**
 * The lifetime of one hop of an access: its signal, its timer, its sockets. Whatever ends it, `end` leaves none of them
 * behind.
 */
export class Scope {
  readonly #controller = new AbortController();
  readonly #scopes: Scopes;
  readonly #link: Link<Scope>;
  #sockets: Socket[] = [];
  #bound: Set<Bound> | undefined;
  #callerListener: Disposable | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Operations under way that the caller may wait for; the call itself is the first. */
  #awaited = 1;
  #ended = false;

  /** Aborts with the caller's signal, and when the client closes. */
  constructor(scopes: Scopes, caller?: { readonly signal: AbortSignal; reason(): Error }) {
    this.#scopes = scopes;
    this.#link = scopes.add(this);
    accessBegins();
    if (!caller) return;
    const { signal } = caller;
    if (signal.aborted) {
      this.abort(caller.reason());
      return;
    }
    // Many accesses may share a signal, and each takes its listener away: no leak to warn of.
    if (signal instanceof EventTarget) setMaxListeners(0, signal);
    this.#callerListener = addAbortListener(signal, () => this.abort(caller.reason()));
  }

  /** Aborts with the caller's signal, at the time limit, and when the client closes. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ended(): boolean {
    return this.#ended;
  }

  abort(reason: Error): void {
    if (this.#ended) return;
    this.#controller.abort(reason);
  }

  /** Aborts with this error after so many milliseconds, unless `lift` comes first. */
  expireAfter(ms: number, error: () => Error): void {
    clearTimeout(this.#timer);
    if (ms === Infinity || this.#ended) return;
    this.#timer = setTimeout(() => this.abort(error()), Math.max(0, ms));
  }

  /** An operation begins that the caller may wait for: the sockets and the timer keep the process alive. */
  ref(): void {
    if (++this.#awaited === 1) this.#each((handle) => handle.ref());
  }

  /** The operation is over. While there is none, nothing of this scope keeps the process alive. */
  unref(): void {
    if (--this.#awaited === 0) this.#each((handle) => handle.unref());
  }

  #each(change: (handle: Refable) => void): void {
    if (this.#ended) return;
    for (const socket of this.#sockets) change(socket);
    for (const bound of this.#bound ?? []) change(bound);
    if (this.#timer) change(this.#timer);
  }

  /** Takes the time limit away. */
  lift(): void {
    clearTimeout(this.#timer);
  }

  /** Makes the socket end with the scope, and with the connection that carries it. */
  track(socket: Socket, carrier?: Socket): void {
    if (carrier) carriers.set(socket, carrier);
    socket.on("error", ignore);
    this.adopt(socket);
  }

  /** The same for a socket that another scope has tracked and released. */
  adopt(socket: Socket): void {
    if (this.#ended) {
      socket.destroy();
      return;
    }
    if (this.#sockets.length >= MANY) this.#sockets = this.#sockets.filter(({ destroyed }) => !destroyed);
    this.#sockets.push(socket);
  }

  /** Lets the socket outlive the scope. */
  release(socket: Socket): void {
    const index = this.#sockets.indexOf(socket);
    if (index >= 0) this.#sockets.splice(index, 1);
    const carrier = carriers.get(socket);
    if (carrier) this.release(carrier);
  }

  /** Ends the connections that have not been released. */
  closeSockets(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }

  /** Has a datagram socket closed at the end of the scope, unless what is returned is called before. */
  bind(bound: Bound): () => void {
    if (this.#ended) bound.close();
    else (this.#bound ??= new Set()).add(bound);
    return () => void this.#bound?.delete(bound);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#scopes.remove(this.#link);
    this.#callerListener?.[Symbol.dispose]();
    for (const socket of this.#sockets) {
      if (this.signal.aborted) socket.destroy();
      else atTurnEnd(() => socket.destroy());
    }
    accessEnds();
    this.#sockets.length = 0;
    for (const bound of this.#bound ?? []) bound.close();
    this.#bound = undefined;
  }
}
