import { AccessError } from "@anyscheme/core";
import {
  type AccessContext,
  limitError,
  type Socket,
  type ServiceOptions,
  type ServiceSession,
} from "@anyscheme/core/plugin";
import { SocketReader } from "@anyscheme/core/io";
import type { ReadableByteStreamController } from "node:stream/web";
import { TelnetDecoder, type TelnetEvent } from "./decoder.ts";
import { encodeData, encodeNegotiation, encodeSubnegotiation } from "./encoder.ts";
import { type AcceptedOption, acceptedOptions, Negotiation } from "./negotiation.ts";
import { formatOption, OPTIONS } from "./constants.ts";
import { SilenceTimer } from "./silence-timer.ts";
import { TERMINAL_TYPE, terminalTypeParameters, type WindowSize, windowSizeParameters } from "./terminal.ts";

/** Default of `closeAfterSilenceMs`: longer than login(1) takes for a wrong password. */
const CLOSE_AFTER_SILENCE_MS = 3_000;

/** The options of a session; checked before anything is dialled. */
export interface SessionSettings {
  readonly type: Uint8Array | undefined;
  readonly size: Uint8Array | undefined;
  readonly closeAfterSilenceMs: number;
  readonly onEcho: ServiceOptions["onEcho"];
}

/** Throws `TypeError` for what is no terminal type or no size. */
export function parseSessionSettings(options: ServiceOptions): SessionSettings {
  const { terminalType, windowSize, onEcho, closeAfterSilenceMs = CLOSE_AFTER_SILENCE_MS } = options;
  return {
    type: terminalType === undefined ? undefined : terminalTypeParameters(terminalType),
    size: windowSize && windowSizeParameters(windowSize),
    closeAfterSilenceMs,
    onEcho,
  };
}

/** A Telnet conversation: bytes in and out, the protocol's own taken out and put in on the way. RFC 854. */
export class TelnetSession implements ServiceSession {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  readonly #socket: Socket;
  readonly #context: AccessContext;
  readonly #source: SocketReader;
  readonly #decoder: TelnetDecoder;
  readonly #negotiation: Negotiation;
  readonly #settings: SessionSettings;
  readonly #silence: SilenceTimer;
  #size: Uint8Array | undefined;
  #timer: NodeJS.Timeout | undefined;
  #over = false;
  /** Set when the connection is closed after the end of the input. */
  #closed = false;
  /** Operations under way that the caller may wait for. While there is none, the session does not keep the process alive. */
  #awaited = 0;
  #reading: ReadableByteStreamController | undefined;
  /** The data that comes next, read ahead of the caller; `undefined` once the session has ended. */
  #next: Promise<Uint8Array | undefined> | undefined;
  #writing: WritableStreamDefaultController | undefined;

  constructor(
    socket: Socket,
    context: AccessContext,
    accepted: readonly AcceptedOption[],
    settings: SessionSettings,
  ) {
    const { type, size, closeAfterSilenceMs } = settings;
    const { limits } = context;
    this.#socket = socket;
    this.#context = context;
    this.#settings = settings;
    this.#size = size;
    this.#silence = new SilenceTimer(limits.firstByteTimeoutMs, closeAfterSilenceMs);
    // Either side may think as long as it likes; only the silence of both is bounded.
    this.#source = SocketReader.fromSocket(socket, {
      ...limits,
      firstByteTimeoutMs: Infinity,
      idleTimeoutMs: Infinity,
    });
    this.#decoder = new TelnetDecoder(limits);
    const known = { type: type !== undefined, size: size !== undefined };
    this.#negotiation = new Negotiation(acceptedOptions(accepted, known), limits);
    this.#startTimer();
    context.signal.addEventListener("abort", this.#aborted, { once: true });
    socket.unref();
    // The stream pulls only for a caller that reads: it keeps nothing in its queue.
    this.readable = new ReadableStream({
      type: "bytes",
      start: (controller) => {
        this.#reading = controller;
        this.#next = this.#readNext(controller);
      },
      pull: (controller) => this.#whileAwaited(() => this.#pull(controller)),
      cancel: () => this.close(),
    });
    this.writable = new WritableStream({
      start: (controller) => void (this.#writing = controller),
      write: (bytes) => this.#whileAwaited(() => this.#write(bytes)),
      close: () => this.#whileAwaited(() => this.#finish()),
      abort: () => this.close(),
    });
  }

  resize(columns: number, rows: number): void {
    const size = windowSizeParameters({ columns, rows } satisfies WindowSize);
    if (this.#size) this.#size = size;
    if (!this.#over && this.#negotiation.isLocalEnabled(OPTIONS.NAWS)) this.#sendSize();
  }

  close(): Promise<void> {
    this.#fail("read", new AccessError("aborted", "the session was closed"));
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Performs an operation. The socket keeps the process alive until it is over. */
  async #whileAwaited(operation: () => Promise<void>): Promise<void> {
    if (++this.#awaited === 1) this.#socket.ref();
    try {
      await operation();
    } finally {
      if (--this.#awaited === 0) this.#socket.unref();
    }
  }

  async #pull(controller: ReadableByteStreamController): Promise<void> {
    const data = await this.#next;
    if (!data) return;
    controller.enqueue(data);
    this.#next = this.#readNext(controller);
  }

  /**
   * Reads until there is data, before the caller asks for it: the service begins with options, and waits for the answers. Ends the
   * stream with the session; never rejects.
   */
  async #readNext(controller: ReadableByteStreamController): Promise<Uint8Array | undefined> {
    let data: Uint8Array | undefined;
    this.#silence.isReading = true;
    try {
      const state = await this.#source.read((bytes) => {
        data = this.#receive(bytes);
        return data.length === 0;
      });
      if (state === "more") return data;
    } catch (error) {
      if (!this.#closed) {
        this.#fail("read", error);
        return undefined;
      }
    } finally {
      this.#silence.isReading = false;
    }
    if (this.#over) return undefined;
    this.#end("write", new AccessError("incomplete", "the service has ended the session"));
    controller.close();
    controller.byobRequest?.respond(0);
    return undefined;
  }

  /** Acts on the protocol's bytes, and gives the data. */
  #receive(bytes: Uint8Array): Uint8Array {
    this.#timer?.refresh();
    const data = new Uint8Array(bytes.length);
    let length = 0;
    for (const event of this.#decoder.decode(bytes)) {
      if (event.kind === "data") {
        data.set(event.bytes, length);
        length += event.bytes.length;
      } else {
        this.#act(event);
      }
    }
    this.#silence.received(length > 0);
    return data.subarray(0, length);
  }

  #act(event: Exclude<TelnetEvent, { kind: "data" }>): void {
    // Of the commands none asks a client for anything but "are you there", which may be left to the connection.
    if (event.kind === "command") return;
    const { option } = event;
    if (event.kind === "negotiation") {
      this.#context.trace({ action: "receive", text: `${event.verb} ${formatOption(option)}` });
      const { answer, changed } = this.#negotiation.receive(event.verb, option);
      if (answer) this.#send(encodeNegotiation(answer, option), `${answer} ${formatOption(option)}`);
      if (changed) this.#changed(option);
    } else if (
      option === OPTIONS["TERMINAL-TYPE"] &&
      event.parameters[0] === TERMINAL_TYPE.SEND &&
      this.#settings.type &&
      this.#negotiation.isLocalEnabled(option)
    ) {
      this.#negotiation.countAnswer();
      this.#send(encodeSubnegotiation(option, this.#settings.type), "TERMINAL-TYPE IS");
    }
  }

  #changed(option: number): void {
    if (option === OPTIONS.ECHO) this.#settings.onEcho?.(this.#negotiation.isRemoteEnabled(option));
    if (option === OPTIONS.BINARY) this.#decoder.isBinary = this.#negotiation.isRemoteEnabled(option);
    if (option === OPTIONS.NAWS && this.#negotiation.isLocalEnabled(option)) this.#sendSize();
  }

  #sendSize(): void {
    if (this.#size) this.#send(encodeSubnegotiation(OPTIONS.NAWS, this.#size), "NAWS");
  }

  #send(bytes: Uint8Array, text: string): void {
    // Who has ended the user's side has no more answers.
    if (!this.#socket.writable) return;
    this.#socket.write(bytes);
    this.#context.trace({ action: "send", text });
  }

  #write(bytes: Uint8Array): Promise<void> {
    this.#timer?.refresh();
    this.#negotiation.resetAnswerCount();
    const encoded = encodeData(bytes, this.#negotiation.isLocalEnabled(OPTIONS.BINARY));
    return new Promise((resolve, reject) => {
      this.#socket.write(encoded, (error) => {
        if (error)
          reject(
            this.#fail("write", new AccessError("incomplete", "the connection broke", { cause: error })),
          );
        else resolve();
      });
    });
  }

  /** Ends the user's side. The service first gets the time to answer: many end a session with its input, and drop what they have not read. */
  async #finish(): Promise<void> {
    const waits = this.#settings.closeAfterSilenceMs > 0;
    if (waits && (await this.#silence.wait()) === "unanswered") {
      const { limits } = this.#context;
      throw this.#fail("read", limitError("firstByteTimeoutMs", limits, "the service did not answer"));
    }
    if (this.#over) return;
    await new Promise<void>((resolve) => {
      this.#socket.end(() => resolve());
    });
    if (waits) void this.#closeAfterSilence();
  }

  async #closeAfterSilence(): Promise<void> {
    if ((await this.#silence.wait()) === "stopped") return;
    this.#closed = true;
    this.#source.cancel();
  }

  readonly #aborted = (): void => void this.#fail("read", this.#context.signal.reason);

  #startTimer(): void {
    const { limits } = this.#context;
    if (limits.sessionIdleTimeoutMs === Infinity) return;
    this.#timer = setTimeout(() => {
      this.#fail("read", limitError("sessionIdleTimeoutMs", limits, "nobody said anything"));
    }, limits.sessionIdleTimeoutMs).unref();
  }

  #fail(operation: string, error: unknown): AccessError {
    const failure = this.#end(operation, error);
    this.#reading?.error(failure);
    this.#source.cancel();
    return failure;
  }

  /** Nothing goes out any more. */
  #end(operation: string, error: unknown): AccessError {
    const failure = this.#context.wrapError(operation, error);
    if (this.#over) return failure;
    this.#over = true;
    this.#silence.stop();
    clearTimeout(this.#timer);
    this.#context.signal.removeEventListener("abort", this.#aborted);
    this.#writing?.error(failure);
    return failure;
  }
}
