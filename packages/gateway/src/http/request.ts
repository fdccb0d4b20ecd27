import { getClientSubnet } from "./gateway-client-subnet.ts";
import { GatewayHttpError } from "./errors.ts";
import type { IncomingMessage } from "./http-server.ts";

/** An HTTP request that the gateway receives. */
export class GatewayRequest {
  /** The signal aborts when the client closes the connection before the response is complete. */
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

  /** The request target as the client sent it: a path, or an absolute URL from a proxy client. RFC 9112 §3.2. */
  get target(): string {
    return this.#message.url ?? "";
  }

  /** The IPv4 address of the client, or its /64 network of IPv6 addresses. */
  get clientNetwork(): string {
    return getClientSubnet(this.#message.socket.remoteAddress ?? "");
  }

  /**
   * Returns the value of a header field of the request. Node.js joins the values of most repeated fields. The name of
   * the header field must be in lower case.
   */
  getHeader(name: string): string | undefined {
    const value = this.#message.headers[name];
    return typeof value === "object" ? value[0] : value;
  }

  /**
   * Returns every value of a header field of the request, in order. The name of the header field must be in lower case.
   */
  getHeaderValues(name: string): readonly string[] {
    return this.#message.headersDistinct[name] ?? [];
  }

  /** Reads the whole body of an HTTP request to the gateway. Throws `GatewayHttpError` for a body that is too long. */
  async readBody(): Promise<string> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.#message as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > this.#maxBodyBytes)
        throw new GatewayHttpError(413, `The form is longer than ${this.#maxBodyBytes} bytes.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  }
}
