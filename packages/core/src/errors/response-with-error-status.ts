import type { ResponseHead } from "../scheme/context.ts";
import { decodeTextBody } from "../text/media-type.ts";

/** The values from which a {@link ResponseWithErrorStatus} is created. */
export interface ResponseWithErrorStatusInit {
  readonly head: ResponseHead;
  /** The decoded body of the HTTP error response, or its beginning. */
  readonly body: Uint8Array;
  /** True when `body` is only the beginning of the response's body. */
  readonly isBodyTruncated: boolean;
}

/**
 * The response of the server that an {@link AccessError} reports. The body and the headers are texts of the server, and
 * may repeat a secret that the server has received. Printing the error shows neither the body nor the headers.
 */
export class ResponseWithErrorStatus {
  readonly status: number;
  readonly statusText: string;
  /** The decoded body. The client reads at most 64 KiB of the body of an error response, for at most one second. */
  readonly body: Uint8Array;
  /** True when `body` is only the beginning of the response's body. */
  readonly isBodyTruncated: boolean;
  readonly #fields: ResponseHead["headers"];
  #headers: Headers | undefined;

  constructor({ head, body, isBodyTruncated }: ResponseWithErrorStatusInit) {
    this.status = head.status;
    this.statusText = head.statusText;
    this.body = body;
    this.isBodyTruncated = isBodyTruncated;
    this.#fields = head.headers;
  }

  /**
   * The headers of the response without hop-by-hop headers, and without Content-Encoding and Content-Length if the body
   * was decoded.
   */
  get headers(): Headers {
    return (this.#headers ??= new Headers([...this.#fields].map(([name, value]) => [name, value])));
  }

  /**
   * Returns the body of the error response as text. Decodes by byte order mark, else by charset of the media type, else
   * as UTF-8.
   */
  text(): string {
    return decodeTextBody(this.body, this.headers.get("content-type") ?? "");
  }

  /**
   * Returns the JSON value of the error response's body. Throws `SyntaxError` for a body that is not JSON, and for a
   * truncated body. The beginning of a JSON text may be a JSON text of another value, as in `12` of `123`.
   */
  json(): unknown {
    if (this.isBodyTruncated)
      throw new SyntaxError(
        `the body is truncated after ${this.body.length} bytes, and cannot be read as JSON`,
      );
    return JSON.parse(new TextDecoder().decode(this.body));
  }
}
