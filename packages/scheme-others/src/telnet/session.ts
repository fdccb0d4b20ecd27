import { AccessError, type ServiceSessionOptions, type ServiceSession } from "@anyscheme/core";
import { type AccessContext, createLimitError, type Socket } from "@anyscheme/core/plugin";
import { SocketReader } from "@anyscheme/core/io";
import type { ReadableByteStreamController } from "node:stream/web";
import { TelnetDecoder, type TelnetEvent } from "./telnet-decoder.ts";
import {
  escapeTelnetData,
  encodeTelnetNegotiation,
  encodeTelnetSubnegotiation,
  TERMINAL_TYPE_CODES,
  encodeTerminalTypeParameters,
  encodeTerminalSizeParameters,
} from "./telnet-encoder.ts";
import {
  type AcceptableTelnetOption,
  createTelnetOptionPolicy,
  TelnetOptionNegotiation,
} from "./negotiation.ts";
import { formatTelnetOptionName, TELNET_OPTION_CODES } from "./telnet-codes.ts";
import { SilenceTimer } from "./silence-timer.ts";

/** The default of `closeAfterSilenceMs`, longer than the delay of login(1) after a wrong password. */
const DEFAULT_CLOSE_AFTER_SILENCE_MS = 3_000;

/** The checked options of a Telnet session. */
export interface TelnetSessionSettings {
  /** The encoded terminal type for the option TERMINAL-TYPE. */
  readonly terminalType: Uint8Array | undefined;
  /** The encoded window size for the option NAWS. */
  readonly encodedTerminalSize: Uint8Array | undefined;
  readonly closeAfterSilenceMs: number;
  readonly onEcho: ServiceSessionOptions["onEcho"];
}

/** Checks the options of a Telnet session. Throws `TypeError` for an invalid terminal type or window size. */
export function encodeTelnetSessionOptions(options: ServiceSessionOptions): TelnetSessionSettings {
  const {
    terminalType,
    terminalSize,
    onEcho,
    closeAfterSilenceMs = DEFAULT_CLOSE_AFTER_SILENCE_MS,
  } = options;
  return {
    terminalType: terminalType === undefined ? undefined : encodeTerminalTypeParameters(terminalType),
    encodedTerminalSize: terminalSize && encodeTerminalSizeParameters(terminalSize),
    closeAfterSilenceMs,
    onEcho,
  };
}

/** A Telnet session. `readable` and `writable` carry the data without the Telnet commands. RFC 854. */
export class TelnetSession implements ServiceSession {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  readonly #socket: Socket;
  readonly #context: AccessContext;
  readonly #reader: SocketReader;
  readonly #decoder: TelnetDecoder;
  readonly #negotiation: TelnetOptionNegotiation;
  readonly #settings: TelnetSessionSettings;
  readonly #silenceTimer: SilenceTimer;
  #encodedTerminalSize: Uint8Array | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  /** True while the connection is being closed after the end of the input. */
  #isClosing = false;
  /**
   * The number of pending operations of the Telnet session. A Telnet session without pending operations does not
   * prevent the process from exiting.
   */
  #pendingOperations = 0;
  #readableController: ReadableByteStreamController | undefined;
  /**
   * The next data of the Telnet server, which the session reads before the caller requests data. Resolves to
   * `undefined` after the end of the Telnet session.
   */
  #nextData: Promise<Uint8Array | undefined> | undefined;
  #writableController: WritableStreamDefaultController | undefined;

  constructor(
    socket: Socket,
    context: AccessContext,
    accepted: readonly AcceptableTelnetOption[],
    settings: TelnetSessionSettings,
  ) {
    const { terminalType, encodedTerminalSize, closeAfterSilenceMs } = settings;
    const { limits } = context;
    this.#socket = socket;
    this.#context = context;
    this.#settings = settings;
    this.#encodedTerminalSize = encodedTerminalSize;
    this.#silenceTimer = new SilenceTimer(limits.firstByteTimeoutMs, closeAfterSilenceMs);
    // The time without data from one side of a Telnet session is unlimited. Only the time in which neither
    // side sends data has a limit.
    this.#reader = new SocketReader(socket, {
      ...limits,
      firstByteTimeoutMs: Infinity,
      idleTimeoutMs: Infinity,
    });
    this.#decoder = new TelnetDecoder(limits);
    const terminal = { hasType: terminalType !== undefined, hasSize: encodedTerminalSize !== undefined };
    this.#negotiation = new TelnetOptionNegotiation(createTelnetOptionPolicy(accepted, terminal), limits);
    this.#startIdleTimer();
    context.signal.addEventListener("abort", this.#onAbort, { once: true });
    socket.unref();
    // A byte stream with an empty queue pulls only while the caller reads.
    this.readable = new ReadableStream({
      type: "bytes",
      start: (controller) => {
        this.#readableController = controller;
        this.#nextData = this.#readAhead(controller);
      },
      pull: (controller) => this.#keepAliveDuring(() => this.#pull(controller)),
      cancel: () => this.close(),
    });
    this.writable = new WritableStream({
      start: (controller) => void (this.#writableController = controller),
      write: (bytes) => this.#keepAliveDuring(() => this.#write(bytes)),
      close: () => this.#keepAliveDuring(() => this.#endInput()),
      abort: () => this.close(),
    });
  }

  resize(columns: number, rows: number): void {
    const size = encodeTerminalSizeParameters({ columns, rows });
    if (this.#encodedTerminalSize) this.#encodedTerminalSize = size;
    if (!this.#hasEnded && this.#negotiation.isLocalEnabled(TELNET_OPTION_CODES.NAWS))
      this.#sendTerminalSize();
  }

  close(): Promise<void> {
    this.#fail("read", new AccessError("aborted", "the session was closed"));
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Runs an operation, and prevents the process from exiting before the operation ends. */
  async #keepAliveDuring(operation: () => Promise<void>): Promise<void> {
    if (++this.#pendingOperations === 1) this.#socket.ref();
    try {
      await operation();
    } finally {
      if (--this.#pendingOperations === 0) this.#socket.unref();
    }
  }

  async #pull(controller: ReadableByteStreamController): Promise<void> {
    const data = await this.#nextData;
    if (!data) return;
    controller.enqueue(data);
    this.#nextData = this.#readAhead(controller);
  }

  /**
   * Reads from the Telnet server until data arrives, even if the caller does not read. A Telnet server first negotiates
   * options, and waits for the answers of the client. Ends the readable stream at the end of the Telnet session. Never
   * rejects.
   */
  async #readAhead(controller: ReadableByteStreamController): Promise<Uint8Array | undefined> {
    let data: Uint8Array | undefined;
    this.#silenceTimer.isReadPending = true;
    try {
      const state = await this.#reader.readChunks((bytes) => {
        data = this.#receive(bytes);
        return data.length === 0;
      });
      if (state === "more") return data;
    } catch (error) {
      if (!this.#isClosing) {
        this.#fail("read", error);
        return undefined;
      }
    } finally {
      this.#silenceTimer.isReadPending = false;
    }
    if (this.#hasEnded) return undefined;
    this.#end("write", new AccessError("incomplete", "the server ended the session"));
    controller.close();
    controller.byobRequest?.respond(0);
    return undefined;
  }

  /** Processes the Telnet commands in received bytes and returns the data. */
  #receive(bytes: Uint8Array): Uint8Array {
    this.#idleTimer?.refresh();
    const data = new Uint8Array(bytes.length);
    let length = 0;
    for (const event of this.#decoder.decode(bytes)) {
      if (event.kind === "data") {
        data.set(event.bytes, length);
        length += event.bytes.length;
      } else {
        this.#handleEvent(event);
      }
    }
    this.#silenceTimer.recordReceivedBytes(length > 0);
    return data.subarray(0, length);
  }

  #handleEvent(event: Exclude<TelnetEvent, { kind: "data" }>): void {
    // Commands are ignored. Only AYT ("are you there") expects an answer, and the open TCP connection already shows
    // that the client is present.
    if (event.kind === "command") return;
    const { option } = event;
    if (event.kind === "negotiation") {
      this.#context.trace({ action: "receive", text: `${event.verb} ${formatTelnetOptionName(option)}` });
      const { answer, isOptionChanged } = this.#negotiation.receiveCommand(event.verb, option);
      if (answer)
        this.#send(encodeTelnetNegotiation(answer, option), `${answer} ${formatTelnetOptionName(option)}`);
      if (isOptionChanged) this.#applyOption(option);
    } else if (
      option === TELNET_OPTION_CODES["TERMINAL-TYPE"] &&
      event.parameters[0] === TERMINAL_TYPE_CODES.SEND &&
      this.#settings.terminalType &&
      this.#negotiation.isLocalEnabled(option)
    ) {
      this.#negotiation.countAnswer();
      this.#send(encodeTelnetSubnegotiation(option, this.#settings.terminalType), "TERMINAL-TYPE IS");
    }
  }

  #applyOption(option: number): void {
    if (option === TELNET_OPTION_CODES.ECHO)
      this.#settings.onEcho?.(this.#negotiation.isRemoteEnabled(option));
    if (option === TELNET_OPTION_CODES.BINARY)
      this.#decoder.isBinary = this.#negotiation.isRemoteEnabled(option);
    if (option === TELNET_OPTION_CODES.NAWS && this.#negotiation.isLocalEnabled(option))
      this.#sendTerminalSize();
  }

  #sendTerminalSize(): void {
    if (this.#encodedTerminalSize)
      this.#send(encodeTelnetSubnegotiation(TELNET_OPTION_CODES.NAWS, this.#encodedTerminalSize), "NAWS");
  }

  #send(bytes: Uint8Array, text: string): void {
    // The client cannot answer a Telnet negotiation after it has closed its sending side.
    if (!this.#socket.writable) return;
    this.#socket.write(bytes);
    this.#context.trace({ action: "send", text });
  }

  #write(bytes: Uint8Array): Promise<void> {
    this.#idleTimer?.refresh();
    this.#negotiation.resetAnswerCount();
    const encoded = escapeTelnetData(bytes, this.#negotiation.isLocalEnabled(TELNET_OPTION_CODES.BINARY));
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

  /**
   * Closes the sending side of the Telnet connection after the server has answered. Many Telnet servers end the session
   * when the client closes its sending side, and discard bytes that they have not read.
   */
  async #endInput(): Promise<void> {
    const waitsForSilence = this.#settings.closeAfterSilenceMs > 0;
    if (waitsForSilence && (await this.#silenceTimer.waitForSilence()) === "unanswered") {
      const { limits } = this.#context;
      throw this.#fail("read", createLimitError("firstByteTimeoutMs", limits, "the server did not answer"));
    }
    if (this.#hasEnded) return;
    await new Promise<void>((resolve) => {
      this.#socket.end(() => resolve());
    });
    if (waitsForSilence) void this.#closeAfterSilence();
  }

  async #closeAfterSilence(): Promise<void> {
    if ((await this.#silenceTimer.waitForSilence()) === "stopped") return;
    this.#isClosing = true;
    this.#reader.cancel();
  }

  readonly #onAbort = (): void => void this.#fail("read", this.#context.signal.reason);

  #startIdleTimer(): void {
    const { limits } = this.#context;
    if (limits.interactiveIdleTimeoutMs === Infinity) return;
    this.#idleTimer = setTimeout(() => {
      this.#fail("read", createLimitError("interactiveIdleTimeoutMs", limits, "neither side sent data"));
    }, limits.interactiveIdleTimeoutMs).unref();
  }

  #fail(operation: string, error: unknown): AccessError {
    const failure = this.#end(operation, error);
    this.#readableController?.error(failure);
    this.#reader.cancel();
    return failure;
  }

  /** Ends the Telnet session for writes, and returns the error of the session. */
  #end(operation: string, error: unknown): AccessError {
    const failure = this.#context.wrapError(operation, error);
    if (this.#hasEnded) return failure;
    this.#hasEnded = true;
    this.#silenceTimer.endWait();
    clearTimeout(this.#idleTimer);
    this.#context.signal.removeEventListener("abort", this.#onAbort);
    this.#writableController?.error(failure);
    return failure;
  }
}
