import { Duplex } from "node:stream";

/**
 * What undici takes for its socket. Octets are handed through at once and are not kept, so that back-pressure is the business
 * of whoever delivers them, and undici's parser is never paused: in undici 7 a connection that ends while it is paused ends
 * the process (nodejs/undici#5360). Handing them through also saves a copy.
 */
export class Conduit extends Duplex {
  readonly #send: (octets: Uint8Array) => void;
  #octets: Uint8Array | null = null;

  /** `send` is given what undici writes, and may throw. */
  constructor(send: (octets: Uint8Array) => void) {
    super({ autoDestroy: false });
    this.#send = send;
    this.on("error", () => undefined);
  }

  /** The parser has seen these octets when this returns. */
  deliver(octets: Uint8Array): void {
    this.#octets = octets;
    this.emit("readable");
    this.#octets = null;
  }

  /** The peer has ended its side. */
  finish(): void {
    this.emit("end");
  }

  override read(): Uint8Array | null {
    const octets = this.#octets;
    this.#octets = null;
    return octets;
  }

  override _write(octets: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    try {
      this.#send(octets);
      done();
    } catch (error) {
      done(error as Error);
    }
  }
}
