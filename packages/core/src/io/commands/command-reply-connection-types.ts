import type { AccessError } from "../../errors/access-error.ts";
import type { CoreLimits } from "../../policy/limits.ts";
import type { AccessContext, TlsOptions } from "../../scheme/context.ts";
import type { Step } from "../../scheme/plan.ts";

/** A complete reply of a server, of one or more lines. */
export interface Reply {
  readonly code: string;
  /** The text of the reply, one character per byte. */
  readonly text: string;
}

/** Parses replies from chunks of any size. The parser uses no socket. */
export interface ReplyParser<R extends Reply> {
  /** Parses bytes up to the end of the next reply. Returns the complete reply, if any, and the number of bytes used. */
  push(bytes: Uint8Array): { readonly reply: R | undefined; readonly usedBytes: number };
  /** The beginning of a reply whose end has not arrived; `""` between two replies. */
  readonly partialReply: string;
}

/** The properties of a protocol with commands and replies, such as FTP and NNTP. */
export interface CommandReplyProtocolDefinition<R extends Reply, S extends Step = Step> {
  createParser(limits: CoreLimits): ReplyParser<R>;
  /** Formats a reply for the trace and for messages, without control characters. */
  formatReply(reply: R): string;
  /**
   * Creates the error for a reply that the step does not expect. `command` is `undefined` for the greeting of the
   * server.
   */
  createReplyError(reply: R, command: S | undefined): AccessError;
  /** True for a reply before a final reply, such as FTP's 1xx. Default: the protocol has no preliminary replies. */
  isPreliminaryReply?(reply: R): boolean;
  /** True for a reply after which the server closes the connection, such as FTP's 421. Default: always false. */
  isClosingReply?(reply: R): boolean;
  /**
   * The limit that applies to the wait for a reply. With the value `idleTimeoutMs`, `firstByteTimeoutMs` applies to the
   * first reply, and `idleTimeoutMs` from the second reply on. Default `firstByteTimeoutMs`.
   */
  readonly replyTimeoutLimit?: ReplyTimeoutLimitName | undefined;
  /** The name of the connection in error messages. Default `"connection"`. */
  readonly connectionName?: string | undefined;
}

export type ReplyTimeoutLimitName = "firstByteTimeoutMs" | "idleTimeoutMs";

/** The parts of the `AccessContext` that a command connection uses. */
export interface CommandReplyConnectionDependencies extends Pick<
  AccessContext<unknown>,
  "connect" | "startTls" | "trace" | "isTraced" | "beginStep"
> {
  readonly limits: CoreLimits;
}

export interface CommandReplyConnectionOptions {
  /** The function that `AccessContext.acquireConnection` passes to `openConnection`. Default: `context.connect`. */
  readonly connect?: AccessContext["connect"] | undefined;
  /** The TLS options of the connection and of a later `tls` step. */
  readonly tls?: TlsOptions | undefined;
  /** The protocol on the port, if it differs from the protocol of the URL's scheme. */
  readonly applicationProtocol?: string | undefined;
}

/** The callbacks and options of {@link CommandReplyConnection.run}. */
export interface RunStepsOptions<R extends Reply, S extends Step = Step> {
  /**
   * Returns the command for a `send` step that has no bytes in the plan. The command may contain a secret of the user.
   */
  getCommandWithSecret?(step: S): Promise<Uint8Array>;
  /**
   * Returns the reply to a command that the server is certain to refuse. The connection does not send a command whose
   * reply is known.
   */
  getKnownReply?(step: S): R | undefined;
  /**
   * Called for every reply before it is compared with `expectReplies`. The callback may replace the reply, or throw.
   */
  onReply?(reply: R, command: S | undefined): R | undefined | Promise<R>;
  /** Creates the error for an unexpected reply, in place of the protocol's `createReplyError`. */
  createReplyError?(reply: R, command: S | undefined): AccessError;
  /** True to run every step, even if its `onReply` does not match the last reply. Default false. */
  readonly runsEveryStep?: boolean | undefined;
  /** Aborts the wait for a reply. The reply is still outstanding after the abort. */
  readonly signal?: AbortSignal | undefined;
}

export interface ExpectReplyOptions<R extends Reply, S extends Step = Step> extends Pick<
  RunStepsOptions<R, S>,
  "onReply" | "createReplyError" | "signal"
> {
  readonly timeoutLimit?: ReplyTimeoutLimitName | undefined;
}
