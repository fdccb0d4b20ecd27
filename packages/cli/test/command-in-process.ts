import { Writable } from "node:stream";
import type { DependencyContainer } from "tsyringe";
import { runCommandLine } from "../src/run-command-line.ts";
import type { ProcessSignalKind, CliIo, CliOutputStream } from "../src/terminal/cli-io.ts";

/** An output stream of the command that collects the written data. */
export class TestCliOutputStream implements CliOutputStream {
  readonly isTerminal: boolean;
  readonly columns = 80;
  readonly rows = 24;
  eraseProgress: (() => void) | undefined;
  readonly stream: Writable;
  readonly #chunks: Buffer[] = [];

  constructor(isTerminal: boolean, written: (text: string) => void = () => undefined) {
    this.isTerminal = isTerminal;
    this.stream = new Writable({
      write: (chunk: Buffer, _, done) => {
        this.#chunks.push(Buffer.from(chunk));
        written(chunk.toString());
        done();
      },
    });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString();
  }
}

export interface TestCliIoOptions {
  /** True when standard output and standard error behave as a terminal. Default false. */
  readonly terminal?: boolean;
  /** The answers of the user to the prompts, in order. Default: none. */
  readonly answers?: readonly string[];
  /** The chunks of standard input. Default: none. */
  readonly input?: Iterable<string | Uint8Array>;
  /** The callback that receives the data of each write to standard output. */
  readonly onStdoutWrite?: (text: string) => void;
  /** The path of the configuration file. Default: none. */
  readonly configFilePath?: string;
  /** The environment variables that name proxies. Default: none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The tsyringe container of the embedding program. */
  readonly hostContainer?: DependencyContainer;
  /** The callback that receives the data of each write to standard error. */
  readonly onStderrWrite?: (text: string) => void;
  /** The text on standard error after which the test interrupts the command. */
  readonly interruptAtText?: string;
}

/** The input and output of a command that runs in the process of the test. */
export class TestCliIo implements CliIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: TestCliOutputStream;
  readonly stderr: TestCliOutputStream;
  readonly configFilePath: string | undefined;
  readonly environment: Readonly<Record<string, string>> | undefined;
  readonly tsyringeContainer: DependencyContainer | undefined;
  readonly questions: { question: string; echo: boolean }[] = [];
  readonly #answers: string[];
  readonly #listeners = new Set<(name: ProcessSignalKind) => void>();

  constructor(options: TestCliIoOptions = {}) {
    const {
      terminal = false,
      answers = [],
      input = [],
      onStdoutWrite: written,
      interruptAtText: interruptAt,
    } = options;
    this.configFilePath = options.configFilePath;
    this.environment = options.environment;
    this.tsyringeContainer = options.hostContainer;
    this.stdin = toChunks(input);
    this.stdout = new TestCliOutputStream(terminal, written);
    this.stderr = new TestCliOutputStream(terminal, (text) => {
      options.onStderrWrite?.(text);
      if (interruptAt !== undefined && text.includes(interruptAt)) this.interrupt("interrupted");
    });
    this.#answers = [...answers];
  }

  ask(question: string, { echo }: { echo: boolean }): Promise<string | undefined> {
    this.questions.push({ question, echo });
    return Promise.resolve(this.#answers.shift());
  }

  openTerminal(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  onProcessSignal(listener: (name: ProcessSignalKind) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  interrupt(name: ProcessSignalKind): void {
    for (const listener of this.#listeners) listener(name);
  }

  /** The number of registered interrupt listeners. */
  get listenerCount(): number {
    return this.#listeners.size;
  }
}

// Standard input is an async generator, which reads a chunk only on demand. A Node.js stream would read ahead.
async function* toChunks(pieces: Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece));
}

export interface CommandInProcessResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly io: TestCliIo;
}

/** Runs a command line in the process of the test. */
export async function runCommandInProcess(
  args: readonly string[],
  options?: TestCliIoOptions,
): Promise<CommandInProcessResult> {
  const io = new TestCliIo(options);
  const exit = await runCommandLine(args, io);
  return { exitCode: exit, stdout: io.stdout.text, stderr: io.stderr.text, io };
}
