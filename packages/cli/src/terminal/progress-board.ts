import type { Progress } from "@anyscheme/core/plugin";
import { type ProgressLine, formatProgress } from "./progress.ts";
import type { Output } from "./cli-io.ts";
import { escapeControls } from "./character-width.ts";

const REDRAW_MS = 100;
const NAME_WIDTH = 24;

/** Lines on the terminal, one for each transfer that is under way. */
export interface ProgressBoard {
  /** Adds a line, which goes when it is cleared. */
  line(name: string): ProgressLine;
  /** Takes all lines away until the next one is drawn, so that something else can be written. */
  clear(): void;
}

/** Redraws at most ten times a second, so that the terminal does not hold the transfers back. */
export function createProgressBoard(
  output: Output,
  now: () => number = () => performance.now(),
): ProgressBoard {
  const texts = new Map<object, string>();
  let height = 0;
  let drawn: number | undefined;
  // The cursor stands below the last line: up, and everything from there on is taken away.
  const erase = (): string => (height === 0 ? "" : `\r\x1b[${height}A\x1b[J`);
  const draw = (): void => {
    const at = now();
    if (drawn !== undefined && at - drawn < REDRAW_MS) return;
    drawn = at;
    const lines = [...texts.values()].map((text) => `${text.slice(0, output.columns - 1)}\n`);
    output.stream.write(`${erase()}${lines.join("")}`);
    height = lines.length;
  };
  const clear = (): void => {
    if (height > 0) output.stream.write(erase());
    height = 0;
    drawn = undefined;
  };
  return {
    line(name) {
      const key = {};
      const began = now();
      const shown = shorten(escapeControls(name)).padEnd(NAME_WIDTH);
      return {
        show(progress: Progress) {
          texts.set(key, `${shown}  ${formatProgress(progress, (now() - began) / 1000)}`);
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

function shorten(name: string): string {
  return name.length <= NAME_WIDTH ? name : `${name.slice(0, NAME_WIDTH - 1)}…`;
}
