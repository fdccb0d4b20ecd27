import { HttpError } from "./errors.ts";
import type { IncomingMessage } from "./http-server.ts";
import type { GatewayRequest } from "./messages.ts";

/** A request received by Node's HTTP server. */
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

  get clientAddress(): string {
    return this.#message.socket.remoteAddress ?? "";
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return typeof value === "object" ? value[0] : value;
  }

  // Reads `rawHeaders`, since `headers` has only the first value of some fields, such as Host.
  headerValues(name: string): readonly string[] {
    const { rawHeaders } = this.#message;
    return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
  }

  async readBody(): Promise<string> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.#message as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > this.#maxBodyBytes)
        throw new HttpError(413, `The form is longer than ${this.#maxBodyBytes} bytes.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  }
}
