import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { ReadStream, WriteStream } from "node:tty";
import type { TerminalStreams } from "./cli-io.ts";

/** Matches the control characters of pasted text, such as a tab. */
const CONTROL_CHARACTERS = /[\0-\x1f]/g;

export interface PromptOptions {
  readonly echo: boolean;
  /** The signal that cancels the question and restores the terminal. */
  readonly signal: AbortSignal;
  /** The callback for the key Ctrl-C, which sends no signal in raw mode. */
  readonly onInterrupt: () => void;
}

/**
 * Opens the controlling terminal of the process, even when the standard streams are redirected. Returns `undefined`
 * if the process has no terminal.
 */
export function openTerminal(): TerminalStreams | undefined {
  const descriptors: number[] = [];
  try {
    for (const flags of ["r", "w"])
      descriptors.push(
        openSync(process.platform === "win32" ? (flags === "r" ? "CONIN$" : "CONOUT$") : "/dev/tty", flags),
      );
    const [input = 0, output = 0] = descriptors;
    const terminal = { input: new ReadStream(input), output: new WriteStream(output) };
    return { ...terminal, close: () => void (terminal.input.destroy(), terminal.output.destroy()) };
  } catch {
    for (const descriptor of descriptors) closeSync(descriptor);
    return undefined;
  }
}

/** Prompts the user for one line. Resolves to `undefined` at the end of the input and after an abort. */
export function askLine(
  { input, output }: TerminalStreams,
  question: string,
  { echo, signal, onInterrupt }: PromptOptions,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const discarded = new Writable({ write: (_chunk, _encoding, onWritten) => onWritten() });
    const reader = createInterface({
      input,
      output: echo ? output : discarded,
      terminal: true,
      historySize: 0,
      signal,
    });
    // The reader has set raw mode before the question appears, so that the terminal never echoes the answer.
    if (echo) reader.setPrompt(question);
    else output.write(question);
    reader.prompt();
    let answer: string | undefined;
    // Without a listener for Ctrl-Z, the reader would end raw mode, and the terminal could echo the answer.
    reader.on("SIGTSTP", () => undefined);
    reader.on("SIGINT", onInterrupt);
    reader.once("line", (line) => {
      answer = line.replace(CONTROL_CHARACTERS, "");
      reader.close();
    });
    reader.once("close", () => {
      // After an answer without echo, and after no answer, the cursor still stands behind the prompt, so a line end is
      // written.
      if (!echo || answer === undefined) output.write("\n");
      resolve(answer);
    });
  });
}
