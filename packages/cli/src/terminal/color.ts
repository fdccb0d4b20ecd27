import { UsageError } from "../args/command-line.ts";
import type { OptionValues } from "../args/options.ts";
import type { Output } from "./cli-io.ts";

/** SGR parameters (ECMA-48 §8.3.117) by the kind of an entry, as `ls` has them. */
const STYLES: Readonly<Record<string, string>> = {
  directory: "1;34",
  menu: "1;34",
  group: "1;34",
  link: "36",
  search: "35",
  form: "35",
  error: "31",
};

/** Whether an output is coloured, by `--color` and by what it is. Throws `UsageError`. */
export function shouldColorize({ color = "auto" }: OptionValues, output: Output): boolean {
  if (color === "auto") return output.hasColors ?? false;
  if (color === "always" || color === "never") return color === "always";
  throw new UsageError("--color is one of auto, always and never");
}

/** A line about an entry of this kind, coloured. */
export function colorize(line: string, kind: string): string {
  const style = Object.hasOwn(STYLES, kind) ? STYLES[kind] : undefined;
  return style === undefined ? line : `\x1b[${style}m${line}\x1b[m`;
}
