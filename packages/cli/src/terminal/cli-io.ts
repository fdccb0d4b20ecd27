import type { Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import type { DependencyContainer } from "tsyringe";

/** What a command has of the world: where it writes, whom it can ask, and what may interrupt it. */
export interface CliIo {
  /** Bytes, opened when they are first read. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Data, and nothing else. */
  readonly stdout: Output;
  /** Everything else. */
  readonly stderr: Output;
  /**
   * Asks the person at the terminal. `undefined` when there is no terminal or no answer. What is typed is shown only with
   * `echo`.
   */
  ask(
    question: string,
    options: { readonly echo: boolean; readonly signal: AbortSignal },
  ): Promise<string | undefined>;
  /** The terminal, when a person sits at both ends: at standard input and at standard output. */
  terminal(): Promise<Terminal | undefined>;
  /** Calls back when the process is asked to end; returns how to stop listening. */
  onInterrupt(listener: (name: InterruptKind) => void): () => void;
  /** Where the person's settings are. Default: there are none. */
  readonly configFile?: string | undefined;
  /** The container of the program that this command is a part of. Default: it is a program of its own. */
  readonly host?: DependencyContainer | undefined;
}

/** The two sides of a terminal. */
export interface Terminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly close: () => void;
}

export type InterruptKind = "interrupted" | "terminated";

/** A stream to write to. */
export interface Output {
  readonly stream: Writable;
  readonly isTerminal: boolean;
  /** Whether it shows colours, and nothing speaks against them. Default false. */
  readonly hasColors?: boolean | undefined;
  /** The width of the terminal; 80 elsewhere. */
  readonly columns: number;
}

/** The output cannot be written: a full disk, a closed pipe, a folder that is not there. */
export class WriteError extends Error {
  override readonly name = "WriteError";
  /** Whether the reader of a pipe went away, which nobody has to be told. */
  readonly isClosedPipe: boolean;

  constructor(where: string, cause: unknown) {
    const { code, message, syscall } = cause as NodeJS.ErrnoException;
    // Node adds ", open '/the/path'", where the path may be that of the file beside.
    super(`cannot write ${where}: ${syscall === undefined ? message : message.replace(/, .*$/s, "")}`, {
      cause,
    });
    this.isClosedPipe = code === "EPIPE";
  }
}

/**
 * Writes and waits until the stream has taken it, so that a slow reader holds the transfer back; the signal ends the waiting.
 * Throws `WriteError`, and the reason of the signal.
 */
export function write({ stream }: Output, data: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener("abort", abort, { once: true });
    stream.write(data, (error) => {
      signal?.removeEventListener("abort", abort);
      if (error) reject(new WriteError("standard output", error));
      else resolve();
    });
  });
}

/** Writes lines, as {@link write} does. */
export async function writeLines(
  output: Output,
  lines: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  if (lines.length > 0) await write(output, `${lines.join("\n")}\n`, signal);
}

/** Tells the person; whether it can be written makes no difference to the command. */
export function writeToStderr(output: Output, lines: readonly string[]): void {
  if (lines.length > 0) output.stream.write(`${lines.join("\n")}\n`);
}
