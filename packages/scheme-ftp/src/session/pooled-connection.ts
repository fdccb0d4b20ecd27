import type { TlsOptions, Socket } from "@anyscheme/core/plugin";
import type { PooledConnection } from "@anyscheme/core/io";
import type { Control } from "../control/control-connection.ts";
import type { ServerRecord } from "./pool.ts";

/** A control connection, with what its server keeps in mind of it between two accesses. RFC 959 §2.3. */
export class Connection implements PooledConnection {
  readonly control: Control;
  readonly server: ServerRecord;
  /** Who is logged in; `""` before. A login that asked for more than a password is nobody else's, and has a name of its own. */
  identity = "";
  /** Whom its TLS trusts; `undefined` in clear text. */
  trust: TlsOptions | undefined;
  /** The directory after the login, one character a byte; `undefined` while it is not known. */
  home: string | undefined;
  /** Where the walks have led to, as in an itinerary; `undefined` when that is not known. */
  place: string | undefined = "";
  /** The type that is set; `undefined` before the first TYPE. RFC 959 §3.1.1: what servers begin with, not all of them keep to. */
  type: "A" | "I" | undefined;
  /** Whether everything that was said has been answered. */
  inStep = true;
  /** Takes leave in the name of the access that used it last. */
  farewell: (() => void) | undefined;
  #during: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(control: Control, server: ServerRecord) {
    this.control = control;
    this.server = server;
    control.socket.once("close", () => clearInterval(this.#timer));
  }

  get socket(): Socket {
    return this.control.socket;
  }

  get isReusable(): boolean {
    return this.control.isOpen && this.inStep && this.control.isQuiet;
  }

  /** Has something said now and then until the transfer is over. One timer serves all transfers: most are over long before. */
  during(ms: number, say: () => void): void {
    this.#during = say;
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setInterval(() => this.#during?.(), ms).unref();
  }

  /** The transfer is over. */
  after(): void {
    this.#during = undefined;
  }

  close(): void {
    if (this.isReusable) this.farewell?.();
    this.control.close();
  }
}
