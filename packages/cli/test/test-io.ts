import { Writable } from "node:stream";
import type { DependencyContainer } from "tsyringe";
import { run } from "../src/run.ts";
import type { InterruptKind, CliIo, Output } from "../src/terminal/cli-io.ts";

/** An output that keeps what is written to it. */
export class Kept implements Output {
  readonly isTerminal: boolean;
  readonly columns = 80;
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

export interface TestIoOptions {
  /** Whether both outputs are a terminal. Default false. */
  readonly terminal?: boolean;
  /** What the person types, by question. Default: there is nobody. */
  readonly answers?: readonly string[];
  /** What standard input holds, in pieces. Default: nothing. */
  readonly input?: Iterable<string | Uint8Array>;
  /** Is told what is written to standard output. */
  readonly written?: (text: string) => void;
  /** Where the settings are. Default: there are none. */
  readonly configFile?: string;
  /** The container of a program that the command is a part of. */
  readonly host?: DependencyContainer;
  /** Interrupts as soon as standard error has this text. */
  readonly interruptAt?: string;
}

/** The world of a command, in this process. */
export class TestIo implements CliIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Kept;
  readonly stderr: Kept;
  readonly configFile: string | undefined;
  readonly host: DependencyContainer | undefined;
  readonly questions: { question: string; echo: boolean }[] = [];
  readonly #answers: string[];
  readonly #listeners = new Set<(name: InterruptKind) => void>();

  constructor(options: TestIoOptions = {}) {
    const { terminal = false, answers = [], input = [], written, interruptAt } = options;
    this.configFile = options.configFile;
    this.host = options.host;
    this.stdin = bytesOf(input);
    this.stdout = new Kept(terminal, written);
    this.stderr = new Kept(terminal, (text) => {
      if (interruptAt !== undefined && text.includes(interruptAt)) this.interrupt("interrupted");
    });
    this.#answers = [...answers];
  }

  ask(question: string, { echo }: { echo: boolean }): Promise<string | undefined> {
    this.questions.push({ question, echo });
    return Promise.resolve(this.#answers.shift());
  }

  terminal(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  onInterrupt(listener: (name: InterruptKind) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  interrupt(name: InterruptKind): void {
    for (const listener of this.#listeners) listener(name);
  }

  /** Listeners that nobody has taken away. */
  get listeners(): number {
    return this.#listeners.size;
  }
}

// An async generator and no stream: it takes a piece only when it is asked for one.
async function* bytesOf(pieces: Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece));
}

export interface Outcome {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
  readonly io: TestIo;
}

/** Runs a command line in this process. */
export async function runHere(args: readonly string[], options?: TestIoOptions): Promise<Outcome> {
  const io = new TestIo(options);
  const exit = await run(args, io);
  return { exit, out: io.stdout.text, err: io.stderr.text, io };
}
