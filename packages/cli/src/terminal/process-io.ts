import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import type { DependencyContainer } from "tsyringe";
import type { InterruptKind, CliIo, Output } from "./cli-io.ts";

const INTERRUPTS: readonly (readonly [signal: NodeJS.Signals, name: InterruptKind])[] = [
  ["SIGINT", "interrupted"],
  ["SIGTERM", "terminated"],
  ["SIGHUP", "terminated"],
];

/**
 * The world of a real process. Streams are opened when they are first used. `host` is the container of a program that the
 * command is a part of: what it has registered, such as schemes and a policy, goes before what the command would use.
 */
export function processIo(host?: DependencyContainer): CliIo {
  const stdout = createOutput(1, () => process.stdout);
  const stderr = createOutput(2, () => process.stderr);
  return {
    host,
    get configFile() {
      return configFilePath(process.env);
    },
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
    async terminal() {
      if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
      const { openTerminal } = await import("./prompt.ts");
      return openTerminal();
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

// XDG Base Directory Specification: a relative path is to be ignored.
function configFilePath({ XDG_CONFIG_HOME: folder = "" }: NodeJS.ProcessEnv): string {
  return join(isAbsolute(folder) ? folder : join(homedir(), ".config"), "anyscheme", "config.json");
}

function createOutput(descriptor: number, open: () => NodeJS.WriteStream): Output {
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
    // Known without opening the stream, which most runs never write to.
    get isTerminal() {
      return isatty(descriptor);
    },
    get hasColors() {
      // <https://no-color.org>: "when present and not an empty string (regardless of its value)".
      return opened().isTTY && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
    },
    get columns() {
      return opened().columns || 80;
    },
  };
}
