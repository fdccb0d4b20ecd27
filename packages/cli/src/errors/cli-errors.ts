import { maskPassword } from "../output/mask-password.ts";

/** A command line that cannot be parsed, or an option with a wrong value. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** The command whose help explains the options. */
  readonly command: string | undefined;

  constructor(message: string, command?: string) {
    super(message);
    this.command = command;
  }
}

/** A file that cannot be read. */
export class ReadError extends Error {
  override readonly name = "ReadError";

  constructor(file: string, cause: unknown) {
    // The file name may be a URL with a password.
    super(`cannot read ${maskPassword(file)}: ${formatSystemError(cause)}`, { cause });
  }
}

/** An output that cannot be written: a full disk, a closed pipe, a missing folder. */
export class WriteError extends Error {
  override readonly name = "WriteError";
  /** True when the reader of a pipe has closed it. The command ends without a message when a pipe is closed. */
  readonly isClosedPipe: boolean;

  constructor(output: string, cause: unknown) {
    super(`cannot write ${output}: ${formatSystemError(cause)}`, { cause });
    this.isClosedPipe = (cause as NodeJS.ErrnoException).code === "EPIPE";
  }
}

/** Reason and advice for the system errors of `listen`. */
const LISTEN_ERRORS: Readonly<Record<string, readonly [reason: string, advice: string]>> = {
  EADDRINUSE: ["address already in use", "give another port with --port, or --port 0 for any free one"],
  EACCES: ["permission denied", "give a port from 1024 on with --port"],
};

/** A port at which the gateway cannot listen. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  readonly advice: string | undefined;

  constructor(host: string, port: number, cause: unknown) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    const [reason, advice] = LISTEN_ERRORS[code] ?? [message];
    super(`cannot listen at ${host} port ${port}: ${reason}`, { cause });
    this.advice = advice;
  }
}

/** An interruption by a signal or by `--max-time`. */
export class InterruptionError extends Error {
  override readonly name = "InterruptionError";
  readonly exitName: "interrupted" | "terminated" | "timeout";

  constructor(exitName: "interrupted" | "terminated" | "timeout", message: string) {
    super(message);
    this.exitName = exitName;
  }
}

/**
 * Returns the message of a system error without the call and the path. Node appends the call and the path as ", open
 * '/the/path'".
 */
function formatSystemError(error: unknown): string {
  const { message, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? message : message.replace(/, .*$/s, "");
}
