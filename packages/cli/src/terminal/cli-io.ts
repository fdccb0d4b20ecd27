import type { Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import type { DependencyContainer } from "tsyringe";
import { WriteError } from "../errors/cli-errors.ts";

/** The streams, the terminal and the signals that a command uses. */
export interface CliIo {
  /** Standard input as bytes. The stream opens at the first read. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Standard output: data only. */
  readonly stdout: CliOutput;
  /** Standard error: messages, progress and traces. */
  readonly stderr: CliOutput;
  /**
   * Prompts the user at the terminal. Resolves to `undefined` without a terminal or an answer. The terminal shows the
   * typed text only with `echo`.
   */
  ask(
    question: string,
    options: { readonly echo: boolean; readonly signal: AbortSignal },
  ): Promise<string | undefined>;
  /** The terminal, when standard input and standard output are both connected to it. */
  openTerminal(): Promise<Terminal | undefined>;
  /** Calls the listener when a signal interrupts the process. Returns a function that removes the listener. */
  onInterrupt(listener: (kind: InterruptReason) => void): () => void;
  /** The path of the configuration file. Default: no configuration. */
  readonly configFile?: string | undefined;
  /**
   * The container of the program that runs the command. Registrations in the container replace the command's own.
   * Default: none.
   */
  readonly hostContainer?: DependencyContainer | undefined;
}

/** The input and output of a terminal. */
export interface Terminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly close: () => void;
}

export type InterruptReason = "interrupted" | "terminated";

/** A stream to write to. */
export interface CliOutput {
  readonly stream: Writable;
  readonly isTerminal: boolean;
  /** True when the terminal shows colours and NO_COLOR is not set. Default false. */
  readonly hasColors?: boolean | undefined;
  /** The width of the terminal; 80 elsewhere. */
  readonly columns: number;
}

/** The callback for a failure after which the command continues. */
export type OnFailure = (error: unknown, text: string) => Promise<void>;

/**
 * Writes data and waits until the stream has accepted it. The wait applies backpressure to the transfer. Rejects with
 * `WriteError`, and with the reason of the signal.
 */
export function writeToOutput(
  { stream }: CliOutput,
  data: string | Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
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

/** Writes lines, as {@link writeToOutput} does. */
export async function writeLines(
  output: CliOutput,
  lines: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  if (lines.length > 0) await writeToOutput(output, `${lines.join("\n")}\n`, signal);
}

/** Writes lines to standard error. Ignores errors. */
export function writeToStderr({ stderr }: Pick<CliIo, "stderr">, lines: readonly string[]): void {
  if (lines.length > 0) stderr.stream.write(`${lines.join("\n")}\n`);
}
