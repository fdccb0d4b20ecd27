import { closeSync, openSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import type { Terminal } from "./cli-io.ts";

const LINE_END = /[\r\n]/;
const CONTROL_KEYS = { interrupt: "\x03", end: "\x04", eraseLine: "\x15" } as const;

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
export function openTerminal(): Terminal | undefined {
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
  { input, output }: Terminal,
  question: string,
  { echo, signal, onInterrupt }: PromptOptions,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let line = "";
    const finish = (answer: string | undefined): void => {
      input.off("data", onData).off("end", onEnd).setRawMode(false).pause();
      signal.removeEventListener("abort", onEnd);
      output.write("\n");
      resolve(answer);
    };
    const onEnd = (): void => finish(undefined);
    const onData = (chunk: string): void => {
      for (const character of chunk) {
        if (LINE_END.test(character)) return finish(line);
        if (character === CONTROL_KEYS.interrupt) return onInterrupt();
        if (character === CONTROL_KEYS.end && line === "") return finish(undefined);
        const edited = editTypedLine(line, character);
        if (echo)
          output.write(edited.startsWith(line) ? edited.slice(line.length) : `\r\x1b[K${question}${edited}`);
        line = edited;
      }
    };
    // Raw mode begins before the question appears, so that the terminal never echoes the answer.
    input.setRawMode(true).setEncoding("utf8").on("data", onData).once("end", onEnd).resume();
    output.write(question);
    signal.addEventListener("abort", onEnd, { once: true });
    if (signal.aborted) onEnd();
  });
}

function editTypedLine(line: string, character: string): string {
  if (character === "\x7f" || character === "\b") return Array.from(line).slice(0, -1).join("");
  if (character === CONTROL_KEYS.eraseLine) return "";
  return character < " " ? line : line + character;
}
