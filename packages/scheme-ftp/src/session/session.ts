import { AccessError, type Step } from "@anyscheme/core";
import type { CommandReplyConnection, PooledConnection, Reply, RunStepsOptions } from "@anyscheme/core/io";
import type { AccessContext, Endpoint, PlanOptions, Socket } from "@anyscheme/core/plugin";
import type { FtpOptions } from "../scheme-options.ts";
import { encodeFtpCommand } from "../plan/commands.ts";
import type { CwdSequence, FtpPlan, FtpOperationPhases, TypeCommandSteps } from "../plan/plan-types.ts";
import type { FtpCredentials } from "./credentials.ts";
import type { RememberedFtpServerState, FtpSessionPool } from "./pool.ts";
import { isClosingReply, isPositiveReplyReportingFailure } from "./reply.ts";
import { FtpReplyError, createFtpReplyError } from "./reply-errors.ts";

/**
 * The commands that the client never repeats to a server that refused them, with the reply code prefixes of such a
 * refusal. After the reply code 501, the client may send the command again.
 */
const CACHEABLE_REFUSALS: ReadonlyMap<string, string> = new Map([
  ["EPSV", "5"],
  ["MLSD", "50"],
  ["MLST", "50"],
  ["SIZE", "50"],
  ["MDTM", "50"],
  ["LIST", "50"],
]);

/**
 * The codes of replies to the FTP command NOOP. During a transfer, a reply with one of these codes answers NOOP and
 * does not end the transfer.
 */
const NOOP_REPLIES: ReadonlySet<string> = new Set(["200", "500", "502", "503"]);

const ANY_FINAL_REPLY = ["2", "3", "4", "5"];

/** An FTP request of the client, with its plan, options, login and session pool. */
export interface FtpRequest<
  T extends FtpOperationPhases = FtpOperationPhases,
  O extends PlanOptions = PlanOptions,
> {
  readonly plan: FtpPlan<T>;
  readonly context: AccessContext<unknown>;
  readonly requestOptions: O;
  readonly schemeOptions: FtpOptions;
  readonly pool: FtpSessionPool;
  readonly endpoint: Endpoint;
  readonly serverState: RememberedFtpServerState;
  readonly credentials: FtpCredentials;
  readonly refusedCwdSequences: Set<CwdSequence>;
  /** The number of times that the policy refused the port of a data connection. */
  refusedPortCount: number;
}

/** The last reply to each FTP command of a sequence of steps, by the name of the command. */
export type ReceivedFtpRepliesByCommand = ReadonlyMap<string, Reply>;

/** Thrown when a session cannot reach the directory of the URL, and a new session may reach it. */
export class CwdNeedsNewSessionError extends Error {}

/** A logged-in control connection, and its state on the server between requests. RFC 959 §2.3. */
export class FtpSession implements PooledConnection {
  readonly connection: CommandReplyConnection<Reply>;
  /** The request that uses the session, or the last request that used it. */
  request: FtpRequest;
  /**
   * The key that identifies the server and the login in the pool. A session without a pool key serves only one
   * request.
   */
  poolKey: string | undefined;
  /** The directory after the login, with one character per byte; `undefined` if unknown. */
  loginDirectory: string | undefined;
  /** The working directory after the last CWD; `""` is the login directory, `undefined` is unknown. */
  workingDirectory: string | undefined = "";
  /**
   * The transfer type that the last TYPE command has set. Not all FTP servers begin a session with the transfer type
   * that RFC 959 §3.1.1 requires.
   */
  #transferType: "A" | "I" | undefined;
  /** True if the data connections of the session use TLS. */
  hasSecureDataConnections = false;
  #keepAlive: NodeJS.Timeout | undefined;

  // The following fields of the session describe its current request.
  /** True if an earlier request has used the session. */
  isReused = false;
  /** The transfer command that the server has accepted, such as RETR. */
  #startedTransferCommand: string | undefined;
  /**
   * True when all data of the FTP transfer has passed the data connection. A negative reply after the data means that
   * the transfer is incomplete.
   */
  #isDataComplete = false;

  constructor(connection: CommandReplyConnection<Reply>, request: FtpRequest) {
    this.connection = connection;
    this.request = request;
  }

  /** Begins another request on an idle session. */
  beginRequest(request: FtpRequest): void {
    this.request = request;
    this.connection.attachToRequest(request.context);
    this.isReused = true;
    this.#startedTransferCommand = undefined;
    this.#isDataComplete = false;
  }

  get socket(): Socket {
    return this.connection.socket;
  }

  get isReusable(): boolean {
    return this.connection.isReusable;
  }

  get hasStartedTransfer(): boolean {
    return this.#startedTransferCommand !== undefined;
  }

  /** True if the server has started the transfer of this command, or if the sent command has no final reply. */
  mayHaveStartedTransfer(command: string): boolean {
    return this.#startedTransferCommand === command || this.connection.pendingCommand?.command === command;
  }

  /** True if the server replied to this request. False if the connection was closed before the first final reply. */
  hasServerReplied(error: unknown): boolean {
    const { replyCount, pendingCommand } = this.connection;
    const isClosing = error instanceof FtpReplyError && isClosingReply(error.reply);
    return replyCount > 1 || (replyCount === 1 && !pendingCommand && !isClosing);
  }

  /**
   * Runs steps of an FTP plan, and returns the replies of the server. A step whose `onReply` does not match the last
   * reply is skipped.
   */
  runSteps(steps: readonly Step[]): Promise<ReceivedFtpRepliesByCommand> {
    return this.#run(steps, false);
  }

  /** Runs all given FTP steps, skips none because of its `onReply`, and returns the replies. */
  runAllSteps(steps: readonly Step[]): Promise<ReceivedFtpRepliesByCommand> {
    return this.#run(steps, true);
  }

  async #run(steps: readonly Step[], runsEveryStep: boolean): Promise<ReceivedFtpRepliesByCommand> {
    const replies = new Map<string, Reply>();
    await this.connection.run(steps, {
      ...this.#replyOptions,
      runsEveryStep,
      getCommandWithSecret: (step) => this.#completeCommand(step),
      getKnownReply: ({ command = "" }) => {
        const code = this.request.serverState.unsupportedCommands.get(command);
        return code === undefined
          ? undefined
          : { code, text: `${code} ${command} was refused in an earlier request` };
      },
      onReply: (reply, step) => {
        this.#checkReply(reply, step);
        if (step?.command !== undefined) replies.set(step.command, reply);
      },
    });
    return replies;
  }

  /**
   * Runs the steps that protect the data connections. With opportunistic TLS, the FTP server may refuse to protect the
   * data connections.
   */
  async protectDataConnections(steps: readonly Step[]): Promise<void> {
    const replies = await this.runAllSteps(steps);
    this.hasSecureDataConnections = replies.get("PROT")?.code.startsWith("2") ?? false;
  }

  /** Sends the TYPE command, unless the session already has the transfer type. */
  async setTransferType({ type, steps }: TypeCommandSteps): Promise<void> {
    if (this.#transferType === type) return;
    this.#transferType = undefined;
    await this.runSteps(steps);
    this.#transferType = type;
  }

  /** Sends a command without waiting for its reply. */
  sendCommand(step: Step): void {
    this.request.context.beginStep(step);
    this.connection.send(step);
  }

  expectReply(step: Step, signal?: AbortSignal): Promise<Reply> {
    this.request.context.beginStep(step);
    return this.#expect(step.expectReplies ?? [], signal);
  }

  /** Expects the reply that ends a transfer, after all data has been received. */
  expectCompletion(step: Step): Promise<Reply> {
    this.#isDataComplete = true;
    return this.expectReply(step);
  }

  /** Waits for the next final FTP reply, and throws the error for this reply. */
  async throwNextReplyError(): Promise<never> {
    await this.#expect([]);
    throw new Error("the connection accepted a reply that no step expects");
  }

  /** Waits for all outstanding replies. The caller closes the FTP data connection before it calls `drainReplies`. */
  async drainReplies(): Promise<void> {
    while (this.connection.pendingCommand) await this.#expect(ANY_FINAL_REPLY);
  }

  #expect(codes: readonly string[], signal?: AbortSignal): Promise<Reply> {
    const timeoutLimit = this.#isDataComplete ? "idleTimeoutMs" : "firstByteTimeoutMs";
    return this.connection.expect(codes, { ...this.#replyOptions, timeoutLimit, signal });
  }

  get #replyOptions(): Pick<RunStepsOptions<Reply>, "onReply" | "createReplyError"> {
    return {
      onReply: (reply, step) => this.#checkReply(reply, step),
      createReplyError: (reply, step) => this.#createReplyError(reply, step),
    };
  }

  /**
   * Records in the FTP session that a reply has started a transfer or refused a command. Throws for a closing reply,
   * and for a positive reply that reports a failure.
   */
  #checkReply(reply: Reply, step: Step | undefined): undefined {
    if (isClosingReply(reply) || isPositiveReplyReportingFailure(reply))
      throw this.#createReplyError(reply, step);
    const { command } = step ?? {};
    if (command === undefined) return;
    if (reply.code.startsWith("1")) {
      this.#startedTransferCommand = command;
      return;
    }
    const refusal = CACHEABLE_REFUSALS.get(command);
    if (refusal !== undefined && reply.code.startsWith(refusal) && reply.code !== "501")
      this.request.serverState.unsupportedCommands.set(command, reply.code);
  }

  #createReplyError(reply: Reply, step: Step | undefined): AccessError {
    const error = createFtpReplyError(reply, step, {
      isAnonymous: this.request.plan.url.user === undefined,
      isSecure: this.connection.isSecure,
    });
    if (!this.#isDataComplete || error.isEmptyListing) return error;
    return new AccessError("incomplete", error.messageParts);
  }

  /**
   * Returns a command whose argument is not in the plan: the login directory or a secret. RFC 1738 §3.2.1: "the program
   * interpreting the FTP URL should request one from the user".
   */
  async #completeCommand({ command = "" }: Step): Promise<Uint8Array> {
    const { credentials, requestOptions } = this.request;
    if (command === "CWD")
      return encodeFtpCommand({
        name: command,
        argument: Buffer.from(this.loginDirectory ?? "", "latin1"),
        argumentNameInErrors: "directory",
      });
    const secretName = command === "ACCT" ? "account" : "password";
    const argument = await credentials.requestSecret(secretName);
    return encodeFtpCommand(
      { name: command, argument, argumentNameInErrors: secretName, isArgumentSecret: true },
      requestOptions,
    );
  }

  /** True when the server has sent a final reply that does not confirm the transfer. */
  get isTransferRefused(): boolean {
    const final = this.connection.unreadReplies.find(({ code }) => !code.startsWith("1"));
    return final !== undefined && !final.code.startsWith("2");
  }

  /**
   * Watches the control connection during a transfer. `transferFailurePromise` resolves when the server refuses the
   * transfer or the connection is lost. Call `stopWatching` before the next reply is expected. After the call of
   * `stopWatching`, `transferFailurePromise` never resolves.
   */
  watchTransfer(): {
    readonly transferFailurePromise: Promise<undefined>;
    readonly stopWatching: () => void;
  } {
    const { promise: transferFailurePromise, resolve } = Promise.withResolvers<undefined>();
    const state = { isWatching: true };
    const watch = async (): Promise<void> => {
      while (state.isWatching && !this.isTransferRefused && this.connection.isOpen)
        await this.connection.waitUntilReplyArrives();
      if (state.isWatching) resolve(undefined);
    };
    void watch();
    return { transferFailurePromise, stopWatching: () => void (state.isWatching = false) };
  }

  /** Sends NOOP at intervals, so that servers and firewalls do not close the control connection. */
  startKeepAlive(intervalMs: number, noop: Step): void {
    this.stopKeepAlive();
    if (intervalMs === Infinity) return;
    this.#keepAlive = setInterval(
      () => this.connection.sendKeepAlive(noop, NOOP_REPLIES),
      intervalMs,
    ).unref();
  }

  stopKeepAlive(): void {
    clearInterval(this.#keepAlive);
  }

  /**
   * Sends QUIT if no reply is outstanding, and closes the connection. QUIT belongs to the trace of the last request.
   */
  close(): void {
    const { plan, context } = this.request;
    const [quit] = plan.phases.quit;
    const { currentStep } = context;
    try {
      if (quit && this.isReusable) this.sendCommand(quit);
    } catch {
      // A trace listener may throw, and an exception in the pool's timer would end the process.
    }
    // The error of a failed request names the failed step, and not QUIT.
    if (currentStep) context.beginStep(currentStep);
    this.destroy();
  }

  /** Closes the control connection at once, without QUIT. */
  destroy(): void {
    this.stopKeepAlive();
    this.connection.close();
  }
}
