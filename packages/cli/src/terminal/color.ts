import { styleText } from "node:util";
import type { OptionValues } from "../args/options.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { CliOutputStream } from "./cli-io.ts";

/** The colours and styles of some kinds of directory entries, similar to `ls --color`. */
const TERMINAL_STYLES: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  directory: ["bold", "blue"],
  menu: ["bold", "blue"],
  group: ["bold", "blue"],
  link: "cyan",
  search: "magenta",
  form: "magenta",
  error: "red",
};

/**
 * True when `--color` requires colours, or when the value is `auto` and the output has colours. Throws
 * `UsageError` for an invalid value of `--color`.
 */
export function shouldColorize({ color = "auto" }: OptionValues, output: CliOutputStream): boolean {
  if (color === "auto") return output.hasColors ?? false;
  if (color === "always" || color === "never") return color === "always";
  throw new UsageError("--color requires auto, always or never");
}

/** Adds the colour for the kind of a directory entry to a line. */
export function colorizeByEntryKind(line: string, kind: string): string {
  const style = Object.hasOwn(TERMINAL_STYLES, kind) ? TERMINAL_STYLES[kind] : undefined;
  return style === undefined ? line : styleText(style, line, { validateStream: false });
}
