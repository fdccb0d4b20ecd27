import type { TransferProgress } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import type { OptionValues } from "../args/options.ts";
import type { CliIo } from "./cli-io.ts";
import { fitToColumns, truncateToColumns } from "./text-width.ts";

/** The minimum time between two redraws of the progress, in milliseconds. */
const PROGRESS_REDRAW_MS = 100;
const FILE_NAME_COLUMNS = 24;
const DEFAULT_ROWS = 24;
const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export interface ProgressLine {
  show(progress: TransferProgress): void;
  clear(): void;
}

/** The progress lines of several running transfers on the terminal. */
export interface ProgressBoard {
  /** Adds a progress line with a name. The method `clear` of the line removes the line from the board. */
  addLine(name: string): ProgressLine;
}

/** True when a transfer shows its progress: by default only on a terminal that receives no trace and no body. */
export function shouldShowProgress(
  { progress, silent, verbose }: OptionValues,
  { stderr, stdout }: CliIo,
  isSavedToFile: boolean,
): boolean {
  return progress ?? (stderr.isTerminal && !verbose && !silent && (isSavedToFile || !stdout.isTerminal));
}

/**
 * Creates a progress line on standard error. A message of the command erases the line until the next redraw. Data for
 * standard output erases the line only if standard output is a terminal.
 */
export function createProgressLineDisplay(
  { stdout, stderr }: Pick<CliIo, "stdout" | "stderr">,
  now: () => number = () => performance.now(),
): ProgressLine {
  const startedAt = now();
  let isShown = false;
  let changedAt: number | undefined;
  const clear = (): void => {
    if (!isShown) return;
    stderr.stream.write("\r\x1b[K");
    isShown = false;
    changedAt = now();
  };
  stderr.eraseProgress = clear;
  if (stdout.isTerminal) stdout.eraseProgress = clear;
  return {
    show(progress) {
      const time = now();
      if (changedAt !== undefined && time - changedAt < PROGRESS_REDRAW_MS) return;
      changedAt = time;
      isShown = true;
      const text = formatProgress(progress, (time - startedAt) / 1000);
      stderr.stream.write(`\r\x1b[K${truncateToColumns(text, stderr.columns - 1)}`);
    },
    clear,
  };
}

/**
 * Creates a board of progress lines on standard error. Each message of the command, and each line on standard output,
 * erases the board until the next redraw.
 */
export function createProgressBoard(
  { stdout, stderr }: Pick<CliIo, "stdout" | "stderr">,
  now: () => number = () => performance.now(),
): ProgressBoard {
  const texts = new Map<object, string>();
  let height = 0;
  let changedAt: number | undefined;
  // The escape sequence moves the cursor up to the first progress line, and erases the screen below.
  const erase = (): string => (height === 0 ? "" : `\r\x1b[${height}A\x1b[J`);
  const draw = (): void => {
    const time = now();
    if (changedAt !== undefined && time - changedAt < PROGRESS_REDRAW_MS) return;
    changedAt = time;
    // The cursor cannot move up to a line that has left the screen.
    const visible = [...texts.values()].slice(0, (stderr.rows ?? DEFAULT_ROWS) - 1);
    const lines = visible.map((text) => `${truncateToColumns(text, stderr.columns - 1)}\n`);
    stderr.stream.write(`${erase()}${lines.join("")}`);
    height = lines.length;
  };
  const clear = (): void => {
    if (height === 0) return;
    stderr.stream.write(erase());
    height = 0;
    changedAt = now();
  };
  // A program at the end of a pipe may write the lines of standard output to the same terminal.
  stdout.eraseProgress = clear;
  stderr.eraseProgress = clear;
  return {
    addLine(name) {
      const key = {};
      const startedAt = now();
      const label = fitToColumns(escapeControls(name), FILE_NAME_COLUMNS);
      return {
        show(progress) {
          texts.set(key, `${label}  ${formatProgress(progress, (now() - startedAt) / 1000)}`);
          draw();
        },
        clear() {
          texts.delete(key);
          clear();
        },
      };
    },
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
