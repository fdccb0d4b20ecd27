import type { Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import type { Environment } from "@anyscheme/core";
import type { DependencyContainer } from "tsyringe";
import { WriteError } from "../errors/cli-errors.ts";

/** The streams, the terminal and the process signals that a command uses. */
export interface CliIo {
  /** Standard input as chunks of bytes. Standard input opens when its first chunk is read. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Standard output, which receives data only. */
  readonly stdout: CliOutputStream;
  /** Standard error, which receives messages, progress and traces. */
  readonly stderr: CliOutputStream;
  /**
   * Prompts the user at the terminal. Resolves to `undefined` if the process has no terminal or the user gives no
   * answer. The terminal shows the typed text only if `echo` is true.
   */
  ask(
    question: string,
    options: { readonly echo: boolean; readonly signal: AbortSignal },
  ): Promise<string | undefined>;
  /**
   * Opens the terminal. Resolves to `undefined` unless standard input and standard output are both connected to a
   * terminal.
   */
  openTerminal(): Promise<TerminalStreams | undefined>;
  /**
   * Calls the listener when a signal interrupts the process. Returns a function that removes the listener for process
   * signals.
   */
  onProcessSignal(listener: (kind: ProcessSignalKind) => void): () => void;
  /** The path of the configuration file. Default: the command reads no configuration file. */
  readonly configFilePath?: string | undefined;
  /** The environment variables, from which the command reads only those that name proxies. Default: none. */
  readonly environment?: Environment | undefined;
  /**
   * The tsyringe container of the embedding program that runs the command. Registrations in the container replace the
   * schemes, policy and other parts of the command. Default: none.
   */
  readonly tsyringeContainer?: DependencyContainer | undefined;
}

/** The input and output of a terminal. */
export interface TerminalStreams {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly close: () => void;
}

export type ProcessSignalKind = "interrupted" | "terminated";

/** An output stream of the command, with the properties of its terminal. */
export interface CliOutputStream {
  readonly stream: Writable;
  readonly isTerminal: boolean;
  /** True when the terminal shows colours and NO_COLOR is not set. Default false. */
  readonly hasColors?: boolean | undefined;
  /** The width of the terminal in columns, or 80 for an output that is not a terminal. */
  readonly columns: number;
  /** The height of the terminal in lines. Default 24. */
  readonly rows?: number | undefined;
  /**
   * Erases the progress that is shown on the terminal. The progress display sets the function `eraseProgress`, and the
   * command calls this function before each write to the stream. Default: nothing to erase.
   */
  eraseProgress?: (() => void) | undefined;
}

/** The callback that reports a failed URL or file, after which the command continues. */
export type FailedUrlOrFileListener = (error: unknown, text: string) => Promise<void>;

/**
 * Writes data and waits until the stream has accepted the data. The wait slows the transfer down to the speed of the
 * output. Rejects with `WriteError` if the write fails, and with the reason of an aborted signal.
 */
export function writeToOutputStream(
  output: CliOutputStream,
  data: string | Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  output.eraseProgress?.();
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener("abort", abort, { once: true });
    output.stream.write(data, (error) => {
      signal?.removeEventListener("abort", abort);
      if (error) reject(new WriteError("standard output", error));
      else resolve();
    });
  });
}

/** Writes lines to an output stream, as {@link writeToOutputStream} does. */
export async function writeLines(
  output: CliOutputStream,
  lines: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  if (lines.length > 0) await writeToOutputStream(output, `${lines.join("\n")}\n`, signal);
}

/** Writes lines to standard error. Ignores write errors. */
export function writeLinesToStderr({ stderr }: Pick<CliIo, "stderr">, lines: readonly string[]): void {
  if (lines.length === 0) return;
  stderr.eraseProgress?.();
  stderr.stream.write(`${lines.join("\n")}\n`);
}
