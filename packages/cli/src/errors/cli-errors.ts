import type { Url } from "@anyscheme/core/syntax";
import { maskPassword } from "../output/mask-password.ts";
import type { ExitCodeName } from "./exit-codes.ts";

/** An error that the command detects itself. Each subclass of `CommandError` names its exit code. */
export abstract class CommandError extends Error {
  abstract readonly exitCodeName: ExitCodeName;
  readonly advice: string | undefined;

  /** The lines of the error message on standard error. */
  get lines(): readonly string[] {
    return this.advice === undefined ? [this.message] : [this.message, this.advice];
  }
}

/** The error for an HTTP response with an error status, whose head the command has written. */
export class HttpStatusError extends CommandError {
  override readonly name = "HttpStatusError";
  readonly exitCodeName = "httpStatus";

  constructor(url: Url, status: number, reason: string) {
    super(`the server answered ${`${status} ${reason}`.trimEnd()}: ${String(url)}`);
  }
}

/** The error for an invalid command line, such as an unknown option or an option with an invalid value. */
export class UsageError extends CommandError {
  override readonly name = "UsageError";
  readonly exitCodeName = "usage";
  override readonly advice: string;
  readonly #command: string | undefined;

  /** The parameter `command` is the name of the command whose help explains the valid options. */
  constructor(message: string, command?: string) {
    super(message);
    this.#command = command;
    this.advice = `see: anyscheme --help${command === undefined ? "" : ` ${command}`}`;
  }

  /** Returns this error, or an equal error that names the help of a command if this error names none. */
  withCommand(command: string | undefined): UsageError {
    return this.#command === undefined && command !== undefined
      ? new UsageError(this.message, command)
      : this;
  }
}

/** The error for a URL on the command line in which parsers of different standards find different servers. */
export class ParserDifferenceError extends CommandError {
  override readonly name = "ParserDifferenceError";
  readonly exitCodeName = "malformed";
  override readonly advice: string | undefined;

  constructor(readings: string, url: Url) {
    super(`ambiguous-url: ${readings}: ${String(url)}`);
    const hasQuestionMark = /^[^/?#]*\/\/[^/?#]*\?[^/#@]*@/.test(url.href);
    this.advice = hasQuestionMark ? 'write "%3F" for the "?" in the login' : undefined;
  }
}

export class FileReadError extends CommandError {
  override readonly name = "FileReadError";
  readonly exitCodeName = "file";

  constructor(file: string, cause: unknown) {
    // The user may have given a URL with a password instead of a file name.
    super(`cannot read ${maskPassword(file)}: ${formatSystemError(cause)}`, { cause });
  }
}

/** The error for an output that cannot be written, as on a full disk, to a closed pipe, or in a missing folder. */
export class WriteError extends CommandError {
  override readonly name = "WriteError";
  readonly exitCodeName = "write";

  constructor(output: string, cause: unknown) {
    super(`cannot write ${output}: ${formatSystemError(cause)}`, { cause });
  }

  /** The command ends without a message when the reading process has closed the pipe. */
  override get lines(): readonly string[] {
    return (this.cause as NodeJS.ErrnoException).code === "EPIPE" ? [] : super.lines;
  }
}

/** The reason and the advice for each system error code of the call `listen`. */
const LISTEN_ERRORS: Readonly<Record<string, readonly [reason: string, advice: string]>> = {
  EADDRINUSE: ["address already in use", "choose another port with --port, or any free port with --port 0"],
  EACCES: ["permission denied", "choose a port of 1024 or above with --port"],
};

/** The error for a port at which the gateway cannot listen. */
export class ListenError extends CommandError {
  override readonly name = "ListenError";
  readonly exitCodeName = "listen";
  override readonly advice: string | undefined;

  constructor(host: string, port: number, cause: unknown) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    const [reason, advice] = LISTEN_ERRORS[code] ?? [message];
    super(`cannot listen at ${host} port ${port}: ${reason}`, { cause });
    this.advice = advice;
  }
}

/** The error for a command that a signal or `--max-time` has interrupted. */
export class InterruptionOrTimeoutError extends CommandError {
  override readonly name = "InterruptionOrTimeoutError";
  readonly exitCodeName: "interrupted" | "terminated" | "timeout";

  constructor(exitCodeName: "interrupted" | "terminated" | "timeout", message: string) {
    super(message);
    this.exitCodeName = exitCodeName;
  }
}

/**
 * Returns the message of a system error without the system call and the path. Node.js appends the system call and the
 * path to the message, as in ", open '/the/path'".
 */
export function formatSystemError(error: unknown): string {
  const { message, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? message : message.replace(/, .*$/s, "");
}
