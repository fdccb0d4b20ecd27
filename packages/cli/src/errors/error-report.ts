import type { AccessError, UrlSyntaxError } from "@anyscheme/core";
import { formatCaret } from "../terminal/caret.ts";
import { adviceForError } from "./error-advice.ts";
import { exitNameFor, type ExitName, exitCode } from "./exit-codes.ts";
import { maskPassword } from "../output/mask-password.ts";
import { UsageError } from "../args/command-line.ts";
import { ReadError } from "../search/read-file.ts";
import { ListenError } from "./listen-error.ts";
import { type InterruptKind, WriteError } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";

/** The process was asked to end, or the time of `--max-time` is over. */
export class Interruption extends Error {
  override readonly name = "Interruption";
  readonly exit: InterruptKind | "timeout";

  constructor(exit: InterruptKind | "timeout", message: string) {
    super(message);
    this.exit = exit;
  }
}

/** What a failure looks like to the person: lines for standard error, and the exit code. */
export interface ErrorReport {
  readonly lines: readonly string[];
  readonly exit: number;
}

/** Reports any failure in a line or a few, never with a stack trace. `text` is the URL that was being worked on. */
export function createErrorReport(error: unknown, text: string | undefined, columns: number): ErrorReport {
  if (error instanceof UsageError) {
    const topic = error.command === undefined ? "" : ` ${error.command}`;
    return report("usage", [error.message, `see: anyscheme --help${topic}`]);
  }
  if (error instanceof WriteError) return report("write", error.isClosedPipe ? [] : [error.message]);
  if (error instanceof ListenError)
    return report("listen", error.advice === undefined ? [error.message] : [error.message, error.advice]);
  if (error instanceof ReadError) return report("file", [error.message]);
  if (isSyntaxError(error)) return report("malformed", formatFault(error, text ?? "", columns));
  const interruption = error instanceof Error && error.cause instanceof Interruption ? error.cause : error;
  if (interruption instanceof Interruption) return report(interruption.exit, [interruption.message]);
  return isAccessError(error)
    ? report(exitNameFor(error), [formatAccessError(error)])
    : reportUnexpected(error);
}

function formatAccessError(error: AccessError): string {
  const { code, reason: what, url = "", cause } = error;
  const { code: systemCode } = (cause ?? {}) as NodeJS.ErrnoException;
  const system =
    code === "unavailable" && typeof systemCode === "string" && !what.includes(systemCode)
      ? ` [${systemCode}]`
      : "";
  const advice = adviceForError(error);
  return `${code}: ${what}${system}: ${url}${advice === undefined ? "" : ` (${advice})`}`;
}

/** A fault with the text it is in: the sentence, the text with marks, what to do. */
export function formatFault(
  fault: Pick<UrlSyntaxError, "code" | "index" | "length" | "section" | "suggestion"> & {
    readonly message: string;
  },
  text: string,
  columns: number,
): string[] {
  const sentence = fault.message.replace(/ \(offset \d+, RFC 1738 [^)]*\):.*$/s, "");
  const section = /^\d/.test(fault.section) ? `§${fault.section}` : fault.section;
  return [
    `${fault.code}: ${sentence} (RFC 1738 ${section})`,
    ...formatCaret(maskPassword(text), fault.index, fault.length, columns - 2).map((line) => `  ${line}`),
    fault.suggestion,
  ];
}

function reportUnexpected(error: unknown): ErrorReport {
  const [line = ""] = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).split(
    "\n",
  );
  return report("internal", [`internal error: ${line}`]);
}

function report(name: ExitName, [first, ...rest]: readonly string[]): ErrorReport {
  const lines = first === undefined ? [] : [`anyscheme: ${first}`, ...rest];
  return { lines: lines.map(escapeControls), exit: exitCode(name) };
}

// By name and shape: importing the classes would load the whole client for commands that need only the grammar.
function isAccessError(error: unknown): error is AccessError {
  return error instanceof Error && error.name === "AccessError" && "code" in error;
}

function isSyntaxError(error: unknown): error is UrlSyntaxError {
  return error instanceof Error && error.name === "UrlSyntaxError" && "section" in error;
}
