import { AccessError, type Limits } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import {
  type BodyFraming,
  bodyFraming,
  type BodyDecoder,
  createBodyDecoder,
} from "../response/body-framing.ts";
import { ReceivedBytes } from "../response/received-bytes.ts";
import { HeadParser } from "../response/head-parser.ts";
import type { HttpResponse } from "../response/response.ts";

type Take = (bytes: Uint8Array) => boolean;

/** A connection that a request has gone out on. */
export interface Connection {
  readonly source: ByteSource;
  /** Told at the end of the response whether another request may follow. RFC 9112 §9.3. */
  ended(reusable: boolean): void;
}

/** The answer to one request: its head, once that has arrived, and as an `ByteSource` its content. */
export class HttpExchange implements ByteSource {
  readonly #connection: Connection;
  readonly #limits: Limits;
  readonly #received: ReceivedBytes;
  readonly #method: string;
  readonly #head: HeadParser;
  #answer: { readonly readHead: HttpResponse; readonly framing: BodyFraming } | undefined;
  #unframer: BodyDecoder | undefined;
  #heard = false;
  #over = false;
  #failure: Error | undefined;
  /** What came together with what was wanted; no more than one piece of the source. */
  #held: Uint8Array | undefined;

  constructor(
    method: string,
    connection: Connection,
    limits: Limits,
    received: ReceivedBytes = new ReceivedBytes(limits),
  ) {
    this.#method = method;
    this.#connection = connection;
    this.#limits = limits;
    this.#received = received;
    this.#head = new HeadParser(limits, received);
  }

  /** Whether the server has said anything at all. */
  get hasReceived(): boolean {
    return this.#heard;
  }

  /** The final response, once its head has arrived. */
  async readHead(): Promise<{ readonly readHead: HttpResponse; readonly framing: BodyFraming }> {
    while (!this.#answer) await this.#receive((bytes) => this.#readHead(bytes));
    return this.#answer;
  }

  /** Reads what has arrived; it has to be known that something has. Tells what the server wants of a request whose content is held back. */
  async readAvailable(): Promise<"continue" | "final" | undefined> {
    if (!this.#answer) {
      await this.#receive((bytes) => {
        this.#readHead(bytes);
        return false;
      });
    }
    return this.#answer ? "final" : this.#head.hasContinue ? "continue" : undefined;
  }

  async read(take: Take): Promise<"more" | "end"> {
    const unframer = this.#unframer;
    if (!unframer) throw this.#failure ?? new Error("there is no response yet");
    const reader = { wants: true };
    const into = (bytes: Uint8Array): boolean => {
      this.#received.addBody(bytes.length);
      return (reader.wants = take(bytes));
    };
    while (reader.wants && !this.#over) {
      const held = this.#held;
      this.#held = undefined;
      if (held) this.#guarded(() => (this.#held = this.#readContent(held, unframer, into)));
      else
        await this.#receive((bytes) => {
          const rest = this.#readContent(bytes, unframer, into);
          this.#held = rest && Buffer.from(rest);
          return reader.wants && !this.#over;
        });
    }
    if (this.#failure) throw this.#failure;
    return this.#over ? "end" : "more";
  }

  /** Gives the rest up; the connection stays, if the whole of the response has arrived. */
  discardBody(): void {
    const unframer = this.#unframer;
    const held = this.#held;
    this.#held = undefined;
    try {
      if (unframer && held) this.#readContent(held, unframer, () => true);
    } catch {
      // Whatever is wrong with it, nobody reads it.
    }
    this.cancel();
  }

  cancel(): void {
    if (!this.#over) this.#fail(new AccessError("aborted", "the transfer was given up"));
  }

  async #receive(take: Take): Promise<void> {
    if (this.#failure) throw this.#failure;
    try {
      const state = await this.#connection.source.read((bytes) => {
        this.#heard = true;
        return take(bytes);
      });
      if (state === "end" && !this.#over) this.#end();
    } catch (error) {
      // What the end of the response has settled, a late error of the connection does not change.
      if (!this.#over) throw this.#fail(this.#located(error));
    }
  }

  /** The peer has ended its side. */
  #end(): void {
    if (this.#answer?.framing === "close") return this.#finish(false);
    throw new AccessError("incomplete", "the server closed the connection");
  }

  /** The error of a connection that is lost, with the place in the response. */
  #located(error: unknown): unknown {
    if (!(error instanceof AccessError) || error.code !== "incomplete") return error;
    const { advice, cause } = error;
    const head = this.#heard ? "within the head of the response" : "before it answered";
    const wording = [error.messageParts, ` ${this.#unframer?.progress ?? head}`].flat();
    return new AccessError("incomplete", wording, { advice, cause });
  }

  #readHead(bytes: Uint8Array): boolean {
    const found = this.#head.push(bytes);
    if (!found) return true;
    const { response: readHead, consumed } = found;
    const framing = bodyFraming(readHead, this.#method);
    this.#unframer = createBodyDecoder(framing, readHead, this.#limits, this.#received);
    this.#answer = { readHead, framing };
    if (consumed < bytes.length) this.#held = Buffer.from(bytes.subarray(consumed));
    else if (this.#unframer.done) this.#finish(isPersistent(readHead));
    return false;
  }

  /**
   * Gives content, and returns what is left of these bytes. Bytes that come after the content were sent unasked, and no other
   * request may follow.
   */
  #readContent(bytes: Uint8Array, unframer: BodyDecoder, take: Take): Uint8Array | undefined {
    const used = unframer.push(bytes, take);
    const { readHead } = this.#answer ?? {};
    if (unframer.done) {
      this.#finish(used === bytes.length && readHead !== undefined && isPersistent(readHead));
      return undefined;
    }
    return used < bytes.length ? bytes.subarray(used) : undefined;
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw this.#fail(error);
    }
  }

  #finish(reusable: boolean): void {
    this.#over = true;
    this.#held = undefined;
    this.#connection.ended(reusable);
  }

  #fail(error: unknown): Error {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
    this.#held = undefined;
    this.#connection.source.cancel();
    return this.#failure;
  }
}

// RFC 9112 §9.3. Of older versions no connection is kept: their servers do not always mean it.
function isPersistent({ version, headers }: HttpResponse): boolean {
  const options = headers["connection"];
  return version === "1.1" && (!options || !/(?:^|[\s,])close(?:$|[\s,])/i.test(options.join(",")));
}
