import { AccessError, limitReached, type Limits, type OctetSource, type Socket } from "@anyscheme/core";
import type { Client, Dispatcher } from "undici";
import { Conduit } from "./conduit.ts";
import { HeadWatch } from "./head-watch.ts";
import type { HttpRequest } from "./request.ts";
import { type Framing, framingOf, type HttpResponse, responseOf } from "./response.ts";

/** A connection that a request can go out on: where the answer comes from, and how octets are sent. */
export interface Connection {
  readonly source: OctetSource;
  send(octets: Uint8Array): void;
}

/** undici opens no connection, so that what it takes for the origin is never looked at. */
const NO_ORIGIN = "http://origin.invalid";

/**
 * One request and its response, through undici over a connection that is open already. Everything is pulled: octets are
 * received only while somebody waits for the response or reads its content. As an `OctetSource` it gives the content.
 */
export class Exchange implements OctetSource {
  readonly #source: OctetSource;
  readonly #limits: Limits;
  readonly #watch: HeadWatch;
  readonly #conduit: Conduit;
  #response: HttpResponse | undefined;
  #framing: Framing | undefined;
  /** Set while a reader wants more content. */
  #take: ((octets: Uint8Array) => void) | undefined;
  /** Content that arrived together with what was wanted; no more than one piece of the source. */
  #held: Uint8Array[] = [];
  #ended = false;
  #failure: Error | undefined;

  private constructor(connection: Connection, planned: Uint8Array, limits: Limits) {
    this.#source = connection.source;
    this.#limits = limits;
    this.#watch = new HeadWatch(limits);
    this.#conduit = new Conduit((octets) => {
      if (Buffer.compare(octets, planned) !== 0)
        throw new Error("undici wrote a request that is not the plan's");
      connection.send(octets);
    });
  }

  /** Sends the request; `planned` is what goes out. */
  static async begin(
    request: HttpRequest,
    planned: Uint8Array,
    connection: Connection,
    limits: Limits,
  ): Promise<Exchange> {
    // Loaded by the first access only: it takes longer than all the rest of a program's start.
    const undici = await import("undici");
    const exchange = new Exchange(connection, planned, limits);
    const client = new undici.Client(NO_ORIGIN, clientOptions(exchange.#conduit, limits));
    const headers = ["host", request.host, ...request.fields.flat()];
    client.dispatch({ method: request.method, path: request.target, headers }, exchange.#handler());
    return exchange;
  }

  /** The final response, once its head has arrived. */
  async response(): Promise<{ readonly response: HttpResponse; readonly framing: Framing }> {
    while (!this.#response || !this.#framing) {
      this.#checkFailure();
      await this.#receive();
    }
    return { response: this.#response, framing: this.#framing };
  }

  async read(take: (octets: Uint8Array) => boolean): Promise<"more" | "end"> {
    for (let octets = this.#held.shift(); octets; octets = this.#held.shift()) {
      if (!take(octets)) return this.#state();
    }
    this.#checkFailure();
    this.#take = (octets) => {
      if (!take(octets)) this.#take = undefined;
    };
    while (this.#take !== undefined && !this.#ended) {
      await this.#receive();
      this.#checkFailure();
    }
    this.#take = undefined;
    return this.#state();
  }

  cancel(): void {
    this.#held = [];
    this.#fail(new AccessError("aborted", "the transfer was given up"));
  }

  #state(): "more" | "end" {
    return this.#ended && this.#held.length === 0 ? "end" : "more";
  }

  /** Lets octets in until they are enough, or no more come; whatever is wrong with them becomes the failure. */
  async #receive(): Promise<void> {
    try {
      const state = await this.#source.read((octets) => this.#parse(octets));
      if (state === "end") this.#finish();
    } catch (error) {
      if (!this.#ended) this.#fail(error);
    }
    if (this.#ended) this.#release();
  }

  /** Gives octets to the parser; returns whether more are wanted. */
  #parse(octets: Uint8Array): boolean {
    this.#watch.push(octets);
    // The octets are lent. The parser keeps views of header fields and trailers until they are complete, and content that
    // nobody wants yet is held: both only where there is more than content in a piece.
    const contentOnly = this.#framing === "length" || this.#framing === "close";
    this.#conduit.deliver(contentOnly ? octets : new Uint8Array(octets));
    this.#checkFailure();
    if (this.#ended) return false;
    if (this.#conduit.errored) throw this.#parserFailure(this.#conduit.errored);
    return this.#response === undefined || this.#take !== undefined;
  }

  #finish(): void {
    this.#conduit.finish();
    if (this.#ended) return;
    const what = this.#response
      ? "the response ended before it was complete"
      : "the server closed the connection without a response";
    throw new AccessError("incomplete", what, { cause: this.#conduit.errored });
  }

  #parserFailure(cause: NodeJS.ErrnoException): AccessError {
    if (cause.code === "UND_ERR_HEADERS_OVERFLOW") {
      return limitReached("maxHeaderBytes", this.#limits, "the trailers of the response are too long");
    }
    return new AccessError("protocol", "the server does not answer in HTTP/1.1", { cause });
  }

  #handler(): Dispatcher.DispatchHandler {
    return {
      // undici takes a handler without this for one of its old kind.
      onRequestStart: () => undefined,
      onResponseStart: ({ rawHeaders }, status) => {
        const { statusLine } = this.#watch;
        if (status < 200 || !statusLine) return;
        const response = responseOf(statusLine, rawHeaders as readonly (Uint8Array | string)[]);
        this.#framing = framingOf(response);
        this.#response = response;
      },
      onResponseData: (_controller, chunk) => this.#content(chunk),
      onResponseEnd: () => {
        this.#ended = this.#failure === undefined;
      },
      onResponseError: (_controller, error) => {
        if (!this.#ended) this.#fail(error);
      },
    };
  }

  #content(chunk: Uint8Array): void {
    // A plain view: of a Buffer, `slice` would not make a copy.
    const octets = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    try {
      if (this.#take) this.#take(octets);
      else this.#held.push(octets);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
    this.#release();
  }

  #checkFailure(): void {
    if (this.#failure) throw this.#failure;
  }

  #release(): void {
    this.#source.cancel();
    this.#conduit.destroy(new Error("the exchange is over"));
  }
}

function clientOptions(conduit: Conduit, limits: Limits): Client.Options {
  let connections = 0;
  return {
    // One request, one connection.
    pipelining: 0,
    // Silence is timed by the source, to the millisecond; undici counts in half seconds.
    headersTimeout: 0,
    bodyTimeout: 0,
    // For the trailers; the head is bounded by the watch before undici sees it.
    maxHeaderSize: Math.min(limits.maxHeaderBytes + 1, Number.MAX_SAFE_INTEGER),
    connect(_options, callback) {
      // undici would try again when a connection ends before the request was written.
      const refusal = new AccessError("incomplete", "the connection ended before the request was sent");
      const first = connections++ === 0;
      // undici expects to be called back later.
      queueMicrotask(() => (first ? callback(null, conduit as unknown as Socket) : callback(refusal, null)));
    },
  };
}
