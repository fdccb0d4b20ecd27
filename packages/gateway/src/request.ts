import type { IncomingMessage } from "./listen.ts";
import type { GatewayRequest } from "./message.ts";
import { Refusal } from "./status.ts";

/** A request as Node's server gives it. */
export class HttpRequest implements GatewayRequest {
  readonly signal: AbortSignal;
  readonly #message: IncomingMessage;
  readonly #maxBodyBytes: number;

  constructor(message: IncomingMessage, signal: AbortSignal, maxBodyBytes: number) {
    this.signal = signal;
    this.#message = message;
    this.#maxBodyBytes = maxBodyBytes;
  }

  get method(): string {
    return this.#message.method ?? "";
  }

  get target(): string {
    return this.#message.url ?? "";
  }

  get client(): string {
    return this.#message.socket.remoteAddress ?? "";
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return typeof value === "object" ? value[0] : value;
  }

  // Node drops the further values of some fields, `Host` above all.
  values(name: string): readonly string[] {
    const { rawHeaders } = this.#message;
    return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
  }

  async body(): Promise<string> {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of this.#message as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > this.#maxBodyBytes) throw new Refusal(413, "the form is too long");
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString("utf8");
  }
}
