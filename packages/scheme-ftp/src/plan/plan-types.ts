import type { Plan, Step } from "@anyscheme/core";
import type { CwdStrategy } from "../scheme-options.ts";
import type { FtpUrl } from "../syntax.ts";

/** The sequence of CWD commands by which one strategy reaches the directory of a URL. */
export interface CwdSequence {
  readonly strategy: CwdStrategy;
  /** The identifier of the directory that the CWD commands reach; `""` is the login directory. */
  readonly finalWorkingDirectory: string;
  readonly steps: readonly Step[];
}

/** The step that sends an FTP command, and the step that expects its reply. */
export interface FtpCommandAndReplySteps {
  readonly sendCommand: Step;
  readonly expectReply: Step;
}

/** The TYPE command. A session that already uses this transfer type does not send it. */
export interface TypeCommandSteps {
  readonly type: "A" | "I";
  readonly steps: readonly Step[];
}

/** The steps of a transfer that follow the reply with the port of the data connection. */
export interface FtpTransferSteps {
  readonly openDataConnection: Step;
  /**
   * The REST command for a transfer from an offset, then the transfer commands in order of preference. The client sends
   * no further transfer command after the server has accepted one.
   */
  readonly commandSteps: readonly FtpCommandAndReplySteps[];
  readonly transferBody: Step;
  /** The NOOP that is sent at intervals while the body is received. */
  readonly keepAlive?: Step | undefined;
  /** The step that expects the reply at the end of the transfer. */
  readonly expectCompletion: Step;
}

/** The steps of an operation, after the session has changed to the directory of the URL. */
export interface FtpOperationPhases {
  readonly setTransferType?: TypeCommandSteps | undefined;
  /** The commands before the transfer, or all commands of an operation that transfers no body. */
  readonly commands: readonly Step[];
  readonly transfer?: FtpTransferSteps | undefined;
  /** Renames the partial file of an atomic upload to its final name. */
  readonly renamePartialFile?: readonly Step[] | undefined;
  /** Requests size and time from a server that does not support MLST. */
  readonly requestSizeAndTime?: readonly Step[] | undefined;
  /** Sends CWD to find out whether the name in a `stat` request is a directory. */
  readonly probeDirectory?: readonly Step[] | undefined;
  /** Deletes the partial file of a failed atomic upload. */
  readonly removePartialFile?: readonly Step[] | undefined;
  /** False if the operation must not be repeated after the loss of a reused connection. */
  readonly isIdempotent: boolean;
}

/** The steps of an operation with a transfer: RETR, STOR, APPE or a listing. */
export interface FtpTransferOperationPhases extends FtpOperationPhases {
  readonly setTransferType: TypeCommandSteps;
  readonly transfer: FtpTransferSteps;
}

/**
 * The phases of the plan of an FTP request, in the order of its steps. The state of the FTP session determines which
 * phases run.
 */
export interface FtpPlanPhases<T extends FtpOperationPhases = FtpOperationPhases> {
  /** Opens the control connection, with TLS if the option `tls` is set. */
  readonly connect: readonly Step[];
  readonly login: readonly Step[];
  /** Protects the data connections with TLS. An FTP session without TLS skips the steps PBSZ and PROT. */
  readonly protectDataConnections: readonly Step[];
  /** Requests the login directory after the login. */
  readonly printWorkingDirectory: readonly Step[];
  /** Returns the session to the login directory, and verifies the directory with PWD. */
  readonly returnToLoginDirectory: readonly Step[];
  /** The alternative sequences of CWD commands for the directory of the URL, in order of preference. */
  readonly cwdSequences: readonly CwdSequence[];
  readonly operation: T;
  /** The QUIT command. A session sends QUIT when it closes, possibly long after the request. */
  readonly quit: readonly Step[];
}

export interface FtpPlan<T extends FtpOperationPhases = FtpOperationPhases> extends Plan<FtpUrl> {
  readonly phases: FtpPlanPhases<T>;
}
