import { AccessError, type Step } from "@anyscheme/core";
import { delay, type Reply, SocketReader } from "@anyscheme/core/io";
import type { ByteSource } from "@anyscheme/core/plugin";
import { SEND_EPSV_STEP, PASV_FALLBACK_STEPS } from "../plan/commands.ts";
import type { FtpTransferSteps } from "../plan/plan-types.ts";
import { createFtpReplyError, FtpReplyError } from "../session/reply-errors.ts";
import { parsePassivePort } from "../session/reply.ts";
import type { FtpSession } from "../session/session.ts";

/**
 * The delay before a failed data connection is reported, in milliseconds. The delay gives the server time to send the
 * reason for the failure on the control connection.
 */
export const FAILURE_REPORT_DELAY_MS = 500;

/** A data connection to the host of the control connection. RFC 959 §3.2. */
export interface FtpDataConnection {
  /** Resolves when the connection is open, before TLS starts. */
  readonly connected: Promise<unknown>;
  /**
   * The reader of the open connection, after TLS. Rejects `FAILURE_REPORT_DELAY_MS` after the connection has failed.
   */
  readonly reader: Promise<SocketReader>;
  /** The signal that is aborted `FAILURE_REPORT_DELAY_MS` after the connection has failed. */
  readonly failureSignal: AbortSignal;
  /**
   * Allows TLS to start. Call `allowTlsHandshake` after the transfer command has been sent. Some servers reset a TLS
   * handshake that begins before the transfer command, or do not reply to the handshake.
   */
  allowTlsHandshake(): void;
  cancel(): void;
}

function openDataConnection(session: FtpSession, port: number): FtpDataConnection {
  const { connection, request } = session;
  const { context, endpoint, schemeOptions } = request;
  const { promise: tlsAllowed, resolve: allowTlsHandshake } = Promise.withResolvers<void>();
  const failure = new AbortController();
  let isCancelled = false;
  const connected = context.connect({ samePeerAs: connection.socket, port });
  const opened = connected.then(async (socket) => {
    if (!session.hasSecureDataConnections) return new SocketReader(socket, context.limits);
    await tlsAllowed;
    const tls = { ca: schemeOptions.ca, resumeSessionOf: connection.socket };
    return new SocketReader(await context.startTls(socket, endpoint.host, tls), context.limits);
  });
  const reader = opened.catch(async (error: unknown) => {
    // The server may send the reason for the failure on the control connection.
    await delay(FAILURE_REPORT_DELAY_MS, context.signal).catch(() => undefined);
    throw error;
  });
  reader.catch((error: unknown) => {
    if (!isCancelled) failure.abort(error);
  });
  const cancel = (): void => {
    isCancelled = true;
    opened.then(
      (socketReader) => socketReader.cancel(),
      () => undefined,
    );
  };
  return { connected, reader, failureSignal: failure.signal, allowTlsHandshake, cancel };
}

const UPLOAD_COMMANDS: ReadonlySet<string> = new Set(["STOR", "APPE"]);

/** A transfer that the server has started. */
export interface StartedFtpTransfer {
  /** The transfer command that the server has accepted, such as RETR. */
  readonly command: string;
  /** The reader of the data connection. */
  readonly reader: SocketReader;
}

/**
 * Opens the data connection and sends the transfer command. Returns when the server has started the transfer. After an
 * error, the client closes the FTP data connection.
 */
export async function startFtpTransfer(
  session: FtpSession,
  steps: FtpTransferSteps,
): Promise<StartedFtpTransfer> {
  const { context, serverState } = session.request;
  context.beginStep(steps.openDataConnection);
  const { port, openConnection } = await prepareDataConnection(session);
  let data = openConnection;
  try {
    if (steps.commandSteps.some(({ sendCommand }) => UPLOAD_COMMANDS.has(sendCommand.command ?? ""))) {
      // An FTP server may truncate the file when it receives STOR, and the policy may refuse the port of the data
      // connection.
      data ??= openDataConnection(session, port);
      await data.connected;
    }
    for (const { sendCommand, expectReply } of steps.commandSteps) {
      const { command = "" } = sendCommand;
      // Skips a transfer command, such as MLSD, that the FTP server has refused in an earlier request.
      if (serverState.unsupportedCommands.has(command)) continue;
      session.sendCommand(sendCommand);
      // If no data connection is open yet, the client opens one after it has sent the transfer command, so that the
      // server opens the file at the same time.
      data ??= openDataConnection(session, port);
      data.allowTlsHandshake();
      const { code } = await session.expectReply(expectReply, data.failureSignal);
      if (code.startsWith("1")) return { command, reader: await waitForDataConnection(session, data) };
    }
    throw new Error("no command of the plan has started the transfer");
  } catch (error) {
    data?.cancel();
    throw error;
  }
}

/** The port for the data connection, and the connection if the client has opened it before the transfer command. */
interface PreparedDataConnection {
  readonly port: number;
  readonly openConnection?: FtpDataConnection;
}

/**
 * Finds the port of the data connection in the last reply. The client connects to the first EPSV port of a server
 * before it sends the transfer command. If the server refuses EPSV or names no port, or if a firewall that supports
 * only PASV blocks the port, the client requests another port with PASV. PASV is useless if the server has too many
 * connections.
 */
async function prepareDataConnection(session: FtpSession): Promise<PreparedDataConnection> {
  const { serverState } = session.request;
  const { lastReply } = session.connection;
  if (!lastReply?.code.startsWith("2")) {
    const error = lastReply && createFtpReplyError(lastReply, SEND_EPSV_STEP);
    if (error?.isTooManyConnections) throw error;
    return openWithPasv(session);
  }
  const isPasvReply = lastReply.code === "227";
  let data: FtpDataConnection | undefined;
  try {
    const port = parsePassivePort(lastReply);
    if (isPasvReply || serverState.isEpsvPortReachable) return { port };
    data = openDataConnection(session, port);
    await data.connected;
    serverState.isEpsvPortReachable = true;
    return { port, openConnection: data };
  } catch (error) {
    data?.cancel();
    if (isPasvReply || !isMissingOrUnreachablePort(error)) throw error;
    const fallback = await openWithPasv(session).catch(() => {
      throw error;
    });
    // The code 522 means "Network protocol not supported" (RFC 2428 §3).
    serverState.unsupportedCommands.set("EPSV", "522");
    return fallback;
  }
}

async function openWithPasv(session: FtpSession): Promise<PreparedDataConnection> {
  const reply = (await session.runAllSteps(PASV_FALLBACK_STEPS)).get("PASV");
  if (!reply) throw new Error("PASV has no reply");
  const port = parsePassivePort(reply);
  const data = openDataConnection(session, port);
  await data.connected;
  return { port, openConnection: data };
}

function isMissingOrUnreachablePort(error: unknown): boolean {
  if (!(error instanceof AccessError)) return false;
  return error.code === "protocol" || error.code === "unavailable" || error.limit === "connectTimeoutMs";
}

/** Waits for the data connection. Throws the error of an earlier reply: some servers send 150, wait, and send 425. */
async function waitForDataConnection(session: FtpSession, data: FtpDataConnection): Promise<SocketReader> {
  const watch = session.watchTransfer();
  const reader = await Promise.race([data.reader, watch.transferFailurePromise]).finally(watch.stopWatching);
  if (reader) return reader;
  data.cancel();
  return session.throwNextReplyError();
}

const KEEP_ALIVE_INTERVAL_MS = 60_000;

interface TransferBodyInit {
  readonly steps: FtpTransferSteps;
  /** The number of bytes that must arrive on the data connection; `undefined` if the FTP server has not stated it. */
  readonly expectedBytes: number | undefined;
  /**
   * The number of requested bytes if the range ends before the end of the file. The client closes the data connection
   * after it has received the requested bytes.
   */
  readonly requestedBytes: number | undefined;
  readonly keepAliveIntervalMs: number | undefined;
  /** The function that the body calls when the server has confirmed the end of the transfer. */
  readonly onComplete: () => void;
}

/**
 * The body that arrives on a data connection, and ends when a reply confirms the transfer. RFC 959 §5.4: the end of
 * the data connection alone may also mean that the server failed.
 */
export class FtpTransferBody implements ByteSource {
  /** The reply that has confirmed the end of the transfer. */
  finalReply: Reply | undefined;
  readonly #session: FtpSession;
  readonly #data: SocketReader;
  readonly #init: TransferBodyInit;
  readonly #stopWatch: () => void;
  #received = 0;
  #isRefused = false;
  #isReleased = false;
  #finished: Promise<void> | undefined;

  constructor(session: FtpSession, data: SocketReader, init: TransferBodyInit) {
    this.#session = session;
    this.#data = data;
    this.#init = init;
    const { steps, keepAliveIntervalMs = KEEP_ALIVE_INTERVAL_MS } = init;
    session.request.context.beginStep(steps.transferBody);
    if (steps.keepAlive) session.startKeepAlive(keepAliveIntervalMs, steps.keepAlive);
    const { transferFailurePromise, stopWatching } = session.watchTransfer();
    this.#stopWatch = stopWatching;
    void transferFailurePromise.then(() => {
      // The body first reads the data that arrived in the same event loop iteration as the refusal.
      if (session.isTransferRefused) setImmediate(() => this.#onRefusal());
    });
  }

  async readChunks(onChunk: (bytes: Uint8Array) => boolean): Promise<"more" | "end"> {
    if (!this.#finished) {
      const { requestedBytes = Infinity } = this.#init;
      const state = await this.#receive(requestedBytes, onChunk);
      if (this.#received >= requestedBytes) {
        this.#finished = Promise.resolve(this.cancel());
      } else {
        if (state === "more") return "more";
        this.#finished = this.#finish();
      }
    }
    await this.#finished;
    return "end";
  }

  async #receive(requestedBytes: number, onChunk: (bytes: Uint8Array) => boolean): Promise<"more" | "end"> {
    try {
      return await this.#data.readChunks((bytes) => {
        const part = bytes.subarray(0, requestedBytes - this.#received);
        this.#received += part.length;
        return onChunk(part) && this.#received < requestedBytes;
      });
    } catch (error) {
      // The final reply contains the reason of the failure.
      if (this.#isRefused) return "end";
      throw error;
    }
  }

  /** Ends the body after a refusal, because some servers do not close the data connection. */
  #onRefusal(): void {
    if (this.#finished) return;
    this.#isRefused = true;
    this.#data.cancel();
  }

  cancel(): void {
    // A released session may already serve the next request.
    if (this.#isReleased) return;
    this.#stop();
    this.#data.cancel();
    this.#session.destroy();
  }

  #stop(): void {
    this.#session.stopKeepAlive();
    this.#stopWatch();
  }

  async #finish(): Promise<void> {
    const { steps, expectedBytes = 0, onComplete } = this.#init;
    this.#stop();
    await this.#expectCompletion(steps.expectCompletion);
    if (this.#received < expectedBytes) {
      this.#session.destroy();
      throw new AccessError("incomplete", `the server sent ${this.#received} of ${expectedBytes} bytes`);
    }
    this.#isReleased = true;
    onComplete();
  }

  async #expectCompletion(step: Step): Promise<void> {
    try {
      this.finalReply = await this.#session.expectCompletion(step);
    } catch (error) {
      if (this.#received === 0 && error instanceof FtpReplyError && error.isEmptyListing) return;
      throw this.#withByteCounts(error);
    }
  }

  #withByteCounts(error: unknown): unknown {
    if (!(error instanceof AccessError) || error.code !== "incomplete") return error;
    const { expectedBytes } = this.#init;
    const total = expectedBytes === undefined ? "" : ` of ${expectedBytes}`;
    const advice = `${this.#received}${total} bytes had arrived`;
    return new AccessError("incomplete", error.messageParts, { advice, cause: error.cause });
  }
}
