import type { TransferProgress } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import type { OptionValues } from "../args/options.ts";
import type { CliIo, CliOutputStream } from "./cli-io.ts";

/** The minimum time between two redraws of the progress, in milliseconds. */
const PROGRESS_REDRAW_MS = 100;
const FILE_NAME_COLUMNS = 24;
const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export interface ProgressLine {
  show(progress: TransferProgress): void;
  clear(): void;
}

/** The progress lines of several running transfers on the terminal. */
export interface ProgressBoard {
  /** Adds a progress line with a name. The method `clear` of the line removes the line from the board. */
  addLine(name: string): ProgressLine;
  /** Erases all lines until the next redraw, so that the command can write a message. */
  clear(): void;
}

/** True when a transfer shows its progress: by default only on a terminal that receives no trace and no body. */
export function shouldShowProgress(
  { progress, silent, verbose }: OptionValues,
  { stderr, stdout }: CliIo,
  isSavedToFile: boolean,
): boolean {
  return progress ?? (stderr.isTerminal && !verbose && !silent && (isSavedToFile || !stdout.isTerminal));
}

/** Creates a progress line on an output stream, such as standard error. */
export function createProgressLineDisplay(
  output: CliOutputStream,
  now: () => number = () => performance.now(),
): ProgressLine {
  const startedAt = now();
  let drawnAt: number | undefined;
  return {
    show(progress) {
      const time = now();
      if (drawnAt !== undefined && time - drawnAt < PROGRESS_REDRAW_MS) return;
      drawnAt = time;
      const text = formatProgress(progress, (time - startedAt) / 1000);
      output.stream.write(`\r\x1b[K${text.slice(0, output.columns - 1)}`);
    },
    clear() {
      if (drawnAt !== undefined) output.stream.write("\r\x1b[K");
      drawnAt = undefined;
    },
  };
}

/** Creates a board of progress lines on an output stream, such as standard error. */
export function createProgressBoard(
  output: CliOutputStream,
  now: () => number = () => performance.now(),
): ProgressBoard {
  const texts = new Map<object, string>();
  let height = 0;
  let drawnAt: number | undefined;
  // The escape sequence moves the cursor up to the first progress line, and erases the screen below.
  const erase = (): string => (height === 0 ? "" : `\r\x1b[${height}A\x1b[J`);
  const draw = (): void => {
    const time = now();
    if (drawnAt !== undefined && time - drawnAt < PROGRESS_REDRAW_MS) return;
    drawnAt = time;
    const lines = [...texts.values()].map((text) => `${text.slice(0, output.columns - 1)}\n`);
    output.stream.write(`${erase()}${lines.join("")}`);
    height = lines.length;
  };
  const clear = (): void => {
    if (height > 0) output.stream.write(erase());
    height = 0;
    drawnAt = undefined;
  };
  return {
    addLine(name) {
      const key = {};
      const startedAt = now();
      const label = shortenFileName(escapeControls(name)).padEnd(FILE_NAME_COLUMNS);
      return {
        show(progress) {
          texts.set(key, `${label}  ${formatProgress(progress, (now() - startedAt) / 1000)}`);
          draw();
        },
        clear() {
          texts.delete(key);
          if (texts.size === 0) clear();
        },
      };
    },
    clear,
  };
}

/** Formats the progress of a transfer as in ` 45 %  12.3 MiB of 27.0 MiB  3.1 MiB/s  0:04 left`. */
export function formatProgress({ received, total }: TransferProgress, seconds: number): string {
  const rate = seconds > 0 ? received / seconds : 0;
  const speed = `${formatBytes(rate)}/s`;
  if (total === undefined || total === 0) return `${formatBytes(received)}  ${speed}`;
  const percent = Math.min(100, Math.floor((received / total) * 100));
  const left = rate > 0 ? `  ${formatDuration((total - received) / rate)} left` : "";
  return `${String(percent).padStart(3)} %  ${formatBytes(received)} of ${formatBytes(total)}  ${speed}${left}`;
}

function formatBytes(count: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, count < 1 ? 0 : Math.floor(Math.log2(count) / 10));
  return power === 0
    ? `${Math.round(count)} B`
    : `${(count / 1024 ** power).toFixed(1)} ${BYTE_UNITS[power]}`;
}

function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function shortenFileName(name: string): string {
  return name.length <= FILE_NAME_COLUMNS ? name : `${name.slice(0, FILE_NAME_COLUMNS - 1)}…`;
}
