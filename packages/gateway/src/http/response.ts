import { once } from "node:events";
import type { ServerResponse } from "./http-server.ts";

/**
 * The HTTP header fields of every response of the gateway. These header fields forbid scripts, type sniffing, referrers
 * for other sites, and caching.
 */
export const SECURITY_HEADERS_OF_EVERY_RESPONSE: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  // With the referrer policy "no-referrer", browsers would send the gateway's own forms with `Origin: null`.
  "referrer-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

export const HTML_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS_OF_EVERY_RESPONSE,
  "content-type": "text/html; charset=utf-8",
};

export const PLAIN_TEXT_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS_OF_EVERY_RESPONSE,
  "content-type": "text/plain; charset=utf-8",
};

/**
 * The header fields of a gateway response with the unchanged content of a remote server. The directive `sandbox` of the
 * Content-Security-Policy gives the document an origin of its own.
 */
export const SANDBOXED_RESPONSE_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS_OF_EVERY_RESPONSE,
  "content-security-policy": "default-src 'none'; sandbox",
};

/**
 * The maximum length of a file name in a header field. A server can redirect to a URL of 64 KiB with a long file name.
 */
const MAX_FILE_NAME_LENGTH = 200;

/**
 * Returns the value of `Content-Disposition`, which contains only the end of a long file name. The format is defined in
 * RFC 6266, and the encoding of the file name in RFC 8187.
 */
export function formatContentDisposition(kind: "inline" | "attachment", name: string | undefined): string {
  if (kind === "inline" || name === undefined || name === "") return kind;
  const end = name.slice(-MAX_FILE_NAME_LENGTH);
  const plain = end.replace(/[^\w.-]/g, "_");
  const encoded = encodeURIComponent(end.replace(/\p{Cs}/gu, "_")).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** An HTTP response that the gateway sends. */
export class GatewayResponse {
  /** True for a HEAD request, whose response has no body. RFC 9110 §9.3.2. */
  readonly isHeadRequest: boolean;
  readonly #response: ServerResponse;
  readonly #clientSignal: AbortSignal;
  readonly #writeTimeoutMs: number;
  /** The status and the headers of the gateway's response that are set but not yet sent. */
  #head: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;

  constructor(response: ServerResponse, clientSignal: AbortSignal, writeTimeoutMs: number) {
    this.isHeadRequest = response.req.method === "HEAD";
    this.#response = response;
    this.#clientSignal = clientSignal;
    this.#writeTimeoutMs = writeTimeoutMs;
  }

  get headersSent(): boolean {
    return this.#response.headersSent;
  }

  /**
   * Sets the status and the headers of the response. The first call of `write` or `end` sends the status and the
   * headers.
   */
  setHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.#head = { status, headers };
  }

  /**
   * Writes a chunk of the response body. Resolves when the connection accepts more bytes. `write` rejects when the
   * client of the gateway has closed the connection.
   */
  async write(chunk: string | Uint8Array): Promise<void> {
    this.#clientSignal.throwIfAborted();
    if (this.isHeadRequest) return;
    this.#sendHead();
    if (!this.#response.write(chunk)) await this.#waitForDrain();
  }

  /**
   * Ends the response. Without a previous `write`, adds a `Content-Length` field, except for HEAD and the status 304.
   */
  end(lastChunk: string = ""): void {
    const { status, headers } = this.#head ?? {};
    const isLengthOmitted = this.isHeadRequest || status === 304 || headers?.["content-length"] !== undefined;
    this.#sendHead(isLengthOmitted ? undefined : Buffer.byteLength(lastChunk));
    this.#response.end(this.isHeadRequest ? "" : lastChunk);
  }

  /**
   * Closes the connection, so that the client sees an incomplete response. An HTTP/1.0 client, such as nginx by
   * default, would regard a normal end of the connection as the end of the body. For such a client, the gateway resets
   * the connection. RFC 9112 §8.
   */
  destroy(): void {
    const { req, socket } = this.#response;
    // Node.js sends chunks at the end of the current event-loop turn, so the connection is closed in the next turn.
    setImmediate(() => {
      if (req.httpVersion === "1.0") socket?.resetAndDestroy();
      this.#response.destroy();
    });
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

  async #waitForDrain(): Promise<void> {
    const timer = setTimeout(() => this.destroy(), this.#writeTimeoutMs);
    try {
      await once(this.#response, "drain", { signal: this.#clientSignal });
    } finally {
      clearTimeout(timer);
    }
  }
}
