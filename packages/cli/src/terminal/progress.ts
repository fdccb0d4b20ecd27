import type { Progress } from "@anyscheme/core/plugin";
import type { Output } from "./cli-io.ts";

const REDRAW_MS = 100;
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** A line on the terminal that says how far a transfer is. */
export interface ProgressLine {
  show(progress: Progress): void;
  /** Takes the line away. */
  clear(): void;
}

/** Redraws at most ten times a second, so that the terminal does not hold the transfer back. */
export function createProgressLine(
  output: Output,
  now: () => number = () => performance.now(),
): ProgressLine {
  const began = now();
  let drawn: number | undefined;
  return {
    show(progress) {
      const at = now();
      if (drawn !== undefined && at - drawn < REDRAW_MS) return;
      drawn = at;
      output.stream.write(
        `\r\x1b[K${formatProgress(progress, (at - began) / 1000).slice(0, output.columns - 1)}`,
      );
    },
    clear() {
      if (drawn !== undefined) output.stream.write("\r\x1b[K");
      drawn = undefined;
    },
  };
}

/** ` 45 %  12.3 MiB of 27.0 MiB  3.1 MiB/s  0:04 left`. */
export function formatProgress({ received, total }: Progress, seconds: number): string {
  const rate = seconds > 0 ? received / seconds : 0;
  const speed = `${formatBytes(rate)}/s`;
  if (total === undefined || total === 0) return `${formatBytes(received)}  ${speed}`;
  const percent = Math.min(100, Math.floor((received / total) * 100));
  const left = rate > 0 ? `  ${formatDuration((total - received) / rate)} left` : "";
  return `${String(percent).padStart(3)} %  ${formatBytes(received)} of ${formatBytes(total)}  ${speed}${left}`;
}

function formatBytes(count: number): string {
  const power = Math.min(UNITS.length - 1, count < 1 ? 0 : Math.floor(Math.log2(count) / 10));
  return power === 0 ? `${Math.round(count)} B` : `${(count / 1024 ** power).toFixed(1)} ${UNITS[power]}`;
}

function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
