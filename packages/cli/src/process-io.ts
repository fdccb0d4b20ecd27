import type { Writable } from "node:stream";
import type { InterruptName, Io, Output } from "./terminal.ts";

const INTERRUPTS: readonly (readonly [signal: NodeJS.Signals, name: InterruptName])[] = [
  ["SIGINT", "interrupted"],
  ["SIGTERM", "terminated"],
  ["SIGHUP", "terminated"],
];

/** The world of a real process. Streams are opened when they are first used. */
export function processIo(): Io {
  const stdout = outputOf(() => process.stdout);
  const stderr = outputOf(() => process.stderr);
  return {
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    async ask(question, { echo, signal }) {
      const { askLine, openTerminal } = await import("./prompt.ts");
      const terminal = openTerminal();
      if (!terminal) return undefined;
      try {
        const interrupt = (): void => void process.kill(process.pid, "SIGINT");
        return await askLine(terminal, question, { echo, signal, interrupt });
      } finally {
        terminal.close();
      }
    },
    onInterrupt(listener) {
      const listeners = INTERRUPTS.map(([signal, name]) => [signal, (): void => listener(name)] as const);
      for (const [signal, listen] of listeners) process.once(signal, listen);
      return () => {
        for (const [signal, listen] of listeners) process.off(signal, listen);
      };
    },
  };
}

function outputOf(open: () => NodeJS.WriteStream): Output {
  let stream: NodeJS.WriteStream | undefined;
  const opened = (): NodeJS.WriteStream => {
    // A failed write is told to whoever wrote; without this listener it would end the process as well.
    stream ??= open().on("error", () => undefined);
    return stream;
  };
  return {
    get stream(): Writable {
      return opened();
    },
    get isTerminal() {
      return opened().isTTY;
    },
    get columns() {
      return opened().columns || 80;
    },
  };
}
