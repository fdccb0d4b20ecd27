import type { Plan, Step } from "@anyscheme/core";
import type { CwdStrategy } from "../options.ts";
import type { FtpUrl } from "../syntax.ts";

/** The CWD commands by which one strategy reaches the directory of a URL. */
export interface DirectoryRoute {
  readonly strategy: CwdStrategy;
  /** Identifies the directory. Routes that send the same arguments have the same value; `""` is the login directory. */
  readonly workingDirectory: string;
  readonly steps: readonly Step[];
}

/** A command, and the step that expects its reply. */
export interface Exchange {
  readonly command: Step;
  readonly reply: Step;
}

/** The TYPE command. A session that has this type already skips the command. */
export interface TypePhase {
  readonly type: "A" | "I";
  readonly steps: readonly Step[];
}

/** The steps of a transfer, after the reply with the port of the data connection. */
export interface TransferPhase {
  readonly openData: Step;
  /** REST if needed, then the transfer commands in order of preference. The first accepted command is the last one. */
  readonly exchanges: readonly Exchange[];
  readonly body: Step;
  /** The NOOP that is sent at intervals while the body is received. */
  readonly keepAlive?: Step | undefined;
  /** The step that expects the reply at the end of the transfer. */
  readonly completion: Step;
}

/** The steps of an operation in the directory of its URL. */
export interface OperationPhases {
  readonly setType?: TypePhase | undefined;
  /** The commands before the transfer, or all commands of an operation without transfer. */
  readonly prepare: readonly Step[];
  readonly transfer?: TransferPhase | undefined;
  /** Renames the stored file to its final name. */
  readonly rename?: readonly Step[] | undefined;
  /** Requests size and time from a server that does not support MLST. */
  readonly sizeAndTime?: readonly Step[] | undefined;
  /** Sends CWD, which succeeds only for a directory. */
  readonly directoryProbe?: readonly Step[] | undefined;
  /** Removes the incomplete file of a failed put. */
  readonly cleanup?: readonly Step[] | undefined;
  /** False if the operation must not be repeated after the loss of a reused connection. */
  readonly isIdempotent: boolean;
}

/** The steps of an operation with a transfer: RETR, STOR or a listing. */
export interface TransferPhases extends OperationPhases {
  readonly setType: TypePhase;
  readonly transfer: TransferPhase;
}

/** The phases of a plan, in the order of its steps. The state of the session determines which phases run. */
export interface FtpPhases<T extends OperationPhases = OperationPhases> {
  /** Opens the control connection, with TLS if the option `tls` is set. */
  readonly connect: readonly Step[];
  readonly login: readonly Step[];
  /** Protects the data connections. Skipped on a connection without TLS. */
  readonly protect: readonly Step[];
  /** Requests the login directory after the login. */
  readonly printWorkingDirectory: readonly Step[];
  /** Returns a reused session to the login directory, and compares the directory with another PWD. */
  readonly returnToLoginDirectory: readonly Step[];
  /** The routes to the directory, in order of preference. */
  readonly routes: readonly DirectoryRoute[];
  readonly directoryDepth: number;
  readonly operation: T;
  /** The QUIT command. The session sends it when it is closed, possibly long after the request. */
  readonly quit: readonly Step[];
}

export interface FtpPlan<T extends OperationPhases = OperationPhases> extends Plan<FtpUrl> {
  readonly phases: FtpPhases<T>;
}
