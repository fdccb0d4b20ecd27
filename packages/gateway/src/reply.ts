import type { ServerResponse } from "./listen.ts";
import type { GatewayReply } from "./message.ts";

/** How long the beginning of an answer waits for more, in milliseconds: a server of gopher ends an item by closing, just after its bytes. */
const HOLD_MS = 2;

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A reply on its way out through Node's server. */
export class HttpReply implements GatewayReply {
  readonly headOnly: boolean;
  readonly #response: ServerResponse;
  readonly #gone: AbortSignal;
  readonly #writeTimeoutMs: number;
  #head: Head | undefined;
  /** What waits for more to go out with, until this timer ends. */
  #first: string | Uint8Array | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, gone: AbortSignal, writeTimeoutMs: number) {
    this.headOnly = response.req.method === "HEAD";
    this.#response = response;
    this.#gone = gone;
    this.#writeTimeoutMs = writeTimeoutMs;
  }

  get begun(): boolean {
    return this.#response.headersSent;
  }

  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.#head = { status, headers };
  }

  write(chunk: string | Uint8Array): Promise<void> {
    if (this.#gone.aborted) return Promise.reject(new Error("the client has gone"));
    if (this.headOnly) return Promise.resolve();
    if (this.#head && !this.#timer) {
      // What is so short that its end follows at once goes out with its length, in one piece.
      this.#first = chunk;
      this.#timer = setTimeout(() => this.#sendFirst(), HOLD_MS);
      return Promise.resolve();
    }
    this.#sendFirst();
    return this.#response.write(chunk) ? Promise.resolve() : this.#drained();
  }

  end(last: string = ""): void {
    clearTimeout(this.#timer);
    const { status, headers } = this.#head ?? {};
    const whole = this.#first === undefined ? last : joined(this.#first, last);
    const bare = this.headOnly || status === 304 || headers?.["content-length"] !== undefined;
    this.#sendHead(bare ? undefined : Buffer.byteLength(whole));
    this.#response.end(this.headOnly ? "" : whole);
  }

  cut(): void {
    this.#sendFirst();
    // What was written in this turn goes out at its end.
    setImmediate(() => this.#response.destroy());
  }

  #sendFirst(): void {
    if (this.#first === undefined) return;
    clearTimeout(this.#timer);
    this.#sendHead();
    this.#response.write(this.#first);
    this.#first = undefined;
  }

  #sendHead(length?: number): void {
    if (!this.#head) return;
    const { status, headers } = this.#head;
    this.#head = undefined;
    this.#response.writeHead(
      status,
      length === undefined ? headers : { ...headers, "content-length": length },
    );
  }

  #drained(): Promise<void> {
    const response = this.#response;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => response.destroy(), this.#writeTimeoutMs);
      const finish = (settle: () => void) => (): void => {
        clearTimeout(timer);
        response.off("drain", drained).off("close", closed);
        settle();
      };
      const drained = finish(resolve);
      const closed = finish(() => reject(new Error("the client has gone")));
      response.once("drain", drained).once("close", closed);
    });
  }
}

function joined(first: string | Uint8Array, last: string): string | Uint8Array {
  if (typeof first === "string") return first + last;
  return last === "" ? first : Buffer.concat([first, Buffer.from(last)]);
}
