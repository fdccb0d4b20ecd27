import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import type { DependencyContainer } from "tsyringe";
import { findConfigFile } from "../config/find-config-file.ts";
import type { CliIo, ProcessSignalKind, CliOutputStream } from "./cli-io.ts";

const HANDLED_PROCESS_SIGNALS: readonly (readonly [signal: NodeJS.Signals, kind: ProcessSignalKind])[] = [
  ["SIGINT", "interrupted"],
  ["SIGTERM", "terminated"],
  ["SIGHUP", "terminated"],
];

/**
 * Returns the streams, the terminal and the signals of this process. Each stream opens at its first use. The parameter
 * `host` is the tsyringe container of an embedding program. The registrations of this container replace the schemes,
 * policy and other parts of the command.
 */
export function createProcessIo(host?: DependencyContainer): CliIo {
  return {
    tsyringeContainer: host,
    environment: process.env,
    get configFilePath() {
      return findConfigFile(process.env);
    },
    get stdin() {
      return process.stdin;
    },
    stdout: createCliOutput(1, () => process.stdout),
    stderr: createCliOutput(2, () => process.stderr),
    async ask(question, { echo, signal }) {
      const { askLine, openTerminal } = await import("./prompt.ts");
      const terminal = openTerminal();
      if (!terminal) return undefined;
      try {
        const interrupt = (): void => void process.kill(process.pid, "SIGINT");
        return await askLine(terminal, question, { echo, signal, onInterrupt: interrupt });
      } finally {
        terminal.close();
      }
    },
    async openTerminal() {
      if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
      const { openTerminal } = await import("./prompt.ts");
      return openTerminal();
    },
    onProcessSignal(listener) {
      const listeners = HANDLED_PROCESS_SIGNALS.map(
        ([signal, kind]) => [signal, (): void => listener(kind)] as const,
      );
      for (const [signal, listen] of listeners) process.once(signal, listen);
      return () => {
        for (const [signal, listen] of listeners) process.off(signal, listen);
      };
    },
  };
}

function createCliOutput(descriptor: number, open: () => NodeJS.WriteStream): CliOutputStream {
  let stream: NodeJS.WriteStream | undefined;
  const opened = (): NodeJS.WriteStream => {
    // The callback of each write receives the write error. Without this listener for error events, an error of standard
    // output or standard error would end the process.
    stream ??= open().on("error", () => undefined);
    return stream;
  };
  return {
    get stream(): Writable {
      return opened();
    },
    // The function isatty() does not open the stream, which most runs never use.
    get isTerminal() {
      return isatty(descriptor);
    },
    get hasColors() {
      // NO_COLOR disables colours "when present and not an empty string (regardless of its value)", see
      // <https://no-color.org>.
      return opened().isTTY && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
    },
    get columns() {
      return opened().columns || 80;
    },
    get rows() {
      return opened().rows || undefined;
    },
  };
}
