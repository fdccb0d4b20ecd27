import type { ServerResponse } from "./http-server.ts";
import type { GatewayResponse } from "./messages.ts";

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A response sent by Node's HTTP server. */
export class HttpResponse implements GatewayResponse {
  readonly isHeadRequest: boolean;
  readonly #response: ServerResponse;
  readonly #clientSignal: AbortSignal;
  readonly #writeTimeoutMs: number;
  /** The head that has been set and not yet sent. */
  #head: Head | undefined;

  constructor(response: ServerResponse, clientSignal: AbortSignal, writeTimeoutMs: number) {
    this.isHeadRequest = response.req.method === "HEAD";
    this.#response = response;
    this.#clientSignal = clientSignal;
    this.#writeTimeoutMs = writeTimeoutMs;
  }

  get headersSent(): boolean {
    return this.#response.headersSent;
  }

  setHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.#head = { status, headers };
  }

  write(chunk: string | Uint8Array): Promise<void> {
    if (this.#clientSignal.aborted) return Promise.reject(connectionClosed());
    if (this.isHeadRequest) return Promise.resolve();
    this.#sendHead();
    return this.#response.write(chunk) ? Promise.resolve() : this.#drained();
  }

  end(lastChunk: string = ""): void {
    const { status, headers } = this.#head ?? {};
    const isLengthOmitted = this.isHeadRequest || status === 304 || headers?.["content-length"] !== undefined;
    this.#sendHead(isLengthOmitted ? undefined : Buffer.byteLength(lastChunk));
    this.#response.end(this.isHeadRequest ? "" : lastChunk);
  }

  destroy(): void {
    // Node sends the chunks that were written in this tick before the next one.
    setImmediate(() => this.#response.destroy());
  }

  #sendHead(contentLength?: number): void {
    if (!this.#head) return;
    const { status, headers } = this.#head;
    this.#head = undefined;
    this.#response.writeHead(
      status,
      contentLength === undefined ? headers : { ...headers, "content-length": contentLength },
    );
  }

  #drained(): Promise<void> {
    const response = this.#response;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => response.destroy(), this.#writeTimeoutMs);
    const onDrain = (): void => settle(resolve);
    const onClose = (): void => settle(() => reject(connectionClosed()));
    const settle = (done: () => void): void => {
      clearTimeout(timer);
      response.off("drain", onDrain).off("close", onClose);
      done();
    };
    response.once("drain", onDrain).once("close", onClose);
    return promise;
  }
}

function connectionClosed(): Error {
  return new Error("the client closed the connection");
}
