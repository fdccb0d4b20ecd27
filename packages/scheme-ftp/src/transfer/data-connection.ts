import { AccessError } from "@anyscheme/core";
import { delay, SocketReader } from "@anyscheme/core/io";
import { parsePassiveReply } from "../control/reply.ts";
import type { StartPhase } from "../plan/phases.ts";
import { PASV } from "../plan/transfer.ts";
import type { FtpSession } from "../session/session.ts";

/** The time to wait for the reason of a closed data connection, in milliseconds. */
export const GRACE_MS = 500;

/** A data connection to the host of the control connection. RFC 959 §3.2. */
export class DataConnection {
  readonly #session: FtpSession;
  readonly #port: number;
  readonly #commandSent = Promise.withResolvers<void>();
  readonly #failure = new AbortController();
  #connected: Promise<unknown> | undefined;
  #reader: Promise<SocketReader> | undefined;
  #isCancelled = false;

  constructor(session: FtpSession, port: number) {
    this.#session = session;
    this.#port = port;
  }

  /** Connects once. Resolves before TLS starts. */
  connect(): Promise<unknown> {
    return (this.#connected ??= this.#open());
  }

  #open(): Promise<unknown> {
    const { context, socket, server, tlsOptions } = this.#session;
    const target = { samePeerAs: socket, port: this.#port };
    let connected: Promise<unknown>;
    if (tlsOptions) {
      const plain = context.connect(target);
      connected = plain;
      this.#reader = plain.then(async (carrier) => {
        await this.#commandSent.promise;
        const options = { ...tlsOptions, resumeSessionOf: socket };
        return SocketReader.fromSocket(await context.startTls(carrier, server.host, options), context.limits);
      });
    } else connected = this.#reader = SocketReader.connect(context, target);
    this.#reader.catch((error: unknown) => this.#reportFailure(error));
    return connected;
  }

  // The server may send the reason on the control connection.
  async #reportFailure(error: unknown): Promise<void> {
    await delay(GRACE_MS, this.#session.context.signal).catch(() => undefined);
    if (!this.#isCancelled) this.#failure.abort(error);
  }

  /**
   * Starts TLS. Call it after the command has been sent: servers reset an earlier connection, or wait for the
   * command.
   */
  startTls(): void {
    this.#commandSent.resolve();
  }

  /** The signal that aborts `GRACE_MS` after a failed connection. */
  get failed(): AbortSignal {
    return this.#failure.signal;
  }

  /** Reads the connection once it is open, after TLS. */
  get reader(): Promise<SocketReader> {
    if (!this.#reader) throw new Error("the data connection is not being opened");
    return this.#reader;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#reader?.then(
      (reader) => reader.cancel(),
      () => undefined,
    );
  }
}

/**
 * Opens the data connection and sends the transfer command. Returns the reader of the data connection when the server
 * has started the transfer.
 */
export async function startTransfer(session: FtpSession, start: StartPhase): Promise<SocketReader> {
  session.context.beginStep(start.openData);
  const data = await createDataConnection(session);
  for (const { command, reply } of start.exchanges) {
    if (session.isUnsupported(command)) continue;
    session.send(command);
    // The command is written first: the server opens the file while the client connects.
    void data.connect();
    data.startTls();
    const { code } = await session.expect(reply, data.failed);
    if (code.startsWith("1")) return waitForData(session, data);
  }
  throw new Error("the plan starts no transfer");
}

/**
 * Creates a connection to the port in the last reply. Connects to the first port from EPSV at once. The client
 * requests another port if a firewall that supports only PASV blocks the first one.
 */
async function createDataConnection(session: FtpSession): Promise<DataConnection> {
  const { server, lastReply } = session;
  if (!lastReply || lastReply.code.startsWith("3")) return connectWithPasv(session);
  const data = new DataConnection(session, parsePassiveReply(lastReply));
  session.dataConnection = data;
  if (lastReply.code === "227" || server.isEpsvReachable) return data;
  try {
    await data.connect();
    server.isEpsvReachable = true;
    return data;
  } catch (error) {
    data.cancel();
    if (!isUnreachable(error)) throw error;
    const fallback = await connectWithPasv(session).catch(() => {
      throw error;
    });
    // "Network protocol not supported", RFC 2428 §3.
    server.unsupportedCommands.set("EPSV", "522");
    return fallback;
  }
}

async function connectWithPasv(session: FtpSession): Promise<DataConnection> {
  const reply = await session.runBranch(PASV);
  if (!reply) throw new Error("PASV has no reply");
  const data = new DataConnection(session, parsePassiveReply(reply));
  session.dataConnection = data;
  await data.connect();
  return data;
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof AccessError)) return false;
  return error.code === "unavailable" || error.limit === "connectTimeoutMs";
}

/**
 * Waits for the data connection. Throws the error of an earlier reply: some servers send 150, wait, and send 425.
 */
async function waitForData(session: FtpSession, data: DataConnection): Promise<SocketReader> {
  const { promise: failed, resolve } = Promise.withResolvers<undefined>();
  const stopWatch = session.watchTransfer(() => resolve(undefined));
  const reader = await Promise.race([data.reader, failed]).finally(stopWatch);
  if (reader) return reader;
  data.cancel();
  return session.throwReply();
}
