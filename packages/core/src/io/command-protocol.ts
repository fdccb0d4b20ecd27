import type { AccessError } from "../errors/access-error.ts";
import type { Limits } from "../policy/limits.ts";
import type { AccessContext, TlsOptions } from "../scheme/context.ts";
import type { Step } from "../scheme/plan.ts";

/** A whole reply of a server, of one line or many. */
export interface Reply {
  readonly code: string;
  /** One character a byte. */
  readonly text: string;
}

/** Finds replies in bytes that arrive in any pieces. Opens no socket and sends nothing. */
export interface ReplyParser<R extends Reply> {
  /** Parses up to the end of the next reply. Returns the reply once it is complete, and how many bytes belong to it. */
  push(bytes: Uint8Array): { readonly reply: R | undefined; readonly used: number };
  /** The beginning of a reply whose end has not arrived; `""` between two replies. */
  readonly partial: string;
}

/** What differs between the protocols that send commands and receive replies. */
export interface CommandProtocol<R extends Reply, S extends Step = Step> {
  createParser(limits: Limits): ReplyParser<R>;
  /** Formats a reply for the trace and for messages, without control characters. */
  format(reply: R): string;
  /** Creates the error for a reply that the step does not expect. `command` is `undefined` for the greeting. */
  replyError(reply: R, command: S | undefined): AccessError;
  /** True for a reply that a final one follows, as FTP's 1xx. Default: every reply is final. */
  isPreliminary?(reply: R): boolean;
  /** True for a reply after which the server closes the connection, as FTP's 421. Default: none is. */
  isClosing?(reply: R): boolean;
  /** The limit for the wait for a reply. `idleTimeoutMs` applies from the second reply on. Default `firstByteTimeoutMs`. */
  readonly replyTimeout?: ReplyTimeout | undefined;
  /** The name of the connection in messages. Default `"connection"`. */
  readonly connectionName?: string | undefined;
}

export type ReplyTimeout = "firstByteTimeoutMs" | "idleTimeoutMs";

/** The parts of a request's context that a connection uses. */
export type CommandContext = Pick<
  AccessContext<unknown>,
  "connect" | "startTls" | "limits" | "trace" | "beginStep"
>;

export interface CommandConnectionOptions {
  /** For the connection itself and for a later `tls` step. */
  readonly tls?: TlsOptions | undefined;
  /** The protocol of the port, where it is not that of the URL's scheme. */
  readonly protocol?: string | undefined;
}

/** What the steps of one request need besides the connection. */
export interface RunOptions<R extends Reply, S extends Step = Step> {
  /** Returns the command of a `send` step without bytes: the user has to be asked for a secret. */
  getCommand?(step: S): Promise<Uint8Array>;
  /** Returns the reply to a command that need not be sent, because the server is known to refuse it. */
  knownReply?(step: S): R | undefined;
  /** Called for every reply before it is compared with `expectReplies`. May return another reply in its place, or throw. */
  onReply?(reply: R, command: S | undefined): R | undefined | Promise<R>;
  /** Performs a step that neither sends nor expects, as the `connect` of a data connection. */
  perform?(step: S): Promise<void> | undefined;
  /** Creates the error for a reply that the step does not expect, in place of the protocol's. */
  replyError?(reply: R, command: S | undefined): AccessError;
  /** True to run every step, whatever the last reply was. Default false. */
  readonly isUnconditional?: boolean | undefined;
  /** Ends the wait for a reply with its reason. The reply stays outstanding. */
  readonly signal?: AbortSignal | undefined;
}

export interface ExpectOptions<R extends Reply, S extends Step = Step> extends Pick<
  RunOptions<R, S>,
  "onReply" | "replyError" | "signal"
> {
  readonly timeout?: ReplyTimeout | undefined;
}
