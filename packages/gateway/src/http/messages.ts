/** One HTTP request. */
export interface GatewayRequest {
  readonly method: string;
  /**
   * The request target as sent: a path, or an absolute URL from a proxy client. RFC 9112 §3.2.
   */
  readonly target: string;
  /** The first value of a header field. Names are in lower case. */
  header(name: string): string | undefined;
  /** Every value of a header field, in order. Names are in lower case. */
  headerValues(name: string): readonly string[];
  readonly clientAddress: string;
  /** Reads the whole body. Throws `HttpError` for a body that is too long. */
  readBody(): Promise<string>;
  /** Aborts when the client closes the connection before the response is complete. */
  readonly signal: AbortSignal;
}

/** The response to one request. */
export interface GatewayResponse {
  /** True when only the head is sent. RFC 9110 §9.3.2. */
  readonly isHeadRequest: boolean;
  readonly headersSent: boolean;
  /** Sets status and headers, which are sent with the first `write` or with `end`. */
  setHead(status: number, headers: Readonly<Record<string, string>>): void;
  /**
   * Writes a chunk of the body. Resolves when more may be written. Rejects when the client has closed the connection.
   */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Ends the response. A response without a previous `write` has a `Content-Length`. */
  end(lastChunk?: string): void;
  /** Closes the connection, so that the client sees an incomplete response. */
  destroy(): void;
}

export type RequestHandler = (request: GatewayRequest, response: GatewayResponse) => Promise<void>;
