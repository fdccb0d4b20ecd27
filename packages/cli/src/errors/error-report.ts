import type { AccessError, UrlSyntaxError } from "@anyscheme/core";
import { formatRfcSection } from "@anyscheme/core/syntax";
import { escapeControls } from "@anyscheme/core/text";
import {
  extractSchemeName,
  guessUrl,
  repairMissingColon,
  repairMissingScheme,
  repairMissingSlashes,
} from "../urls/guess-url.ts";
import { findNearestName } from "../args/option-suggestions.ts";
import { maskPassword } from "../output/mask-password.ts";
import { describeQuestionMarkInLogin } from "../output/other-parser-readings.ts";
import { formatTextWithCaret } from "../terminal/caret-underline.ts";
import { CommandError, InterruptionOrTimeoutError } from "./cli-errors.ts";
import { adaptAdviceToCommandLine, adaptReasonToCommandLine } from "./adapt-advice.ts";
import { getExitCodeByName, type ExitCodeName, getExitCodeNameForError } from "./exit-codes.ts";

/** The error lines for standard error and the exit code of a failed command. */
export interface ErrorReport {
  readonly lines: readonly string[];
  readonly exitCode: number;
}

/**
 * Creates the error report for a failure, without a stack trace. The parameter `text` is the URL that failed.
 * Suggestions for a misspelled scheme come from `schemeNames`.
 */
export function formatErrorReport(
  error: unknown,
  text: string | undefined,
  columns: number,
  schemeNames: readonly string[],
): ErrorReport {
  if (error instanceof CommandError) return createErrorOutputFromLines(error.exitCodeName, error.lines);
  if (isSyntaxError(error))
    return createErrorOutputFromLines(
      "malformed",
      formatSyntaxFault(error, text ?? "", columns, schemeNames),
    );
  if (error instanceof Error && error.cause instanceof InterruptionOrTimeoutError)
    return formatErrorReport(error.cause, text, columns, schemeNames);
  return isAccessError(error)
    ? createErrorOutputFromLines(getExitCodeNameForError(error), [
        formatAccessError(error, text, schemeNames),
      ])
    : reportUnexpectedError(error);
}

const LOGIN_WITHOUT_SCHEME = /^([^\s/:@?#]+:)([^/@]+)(?=@)/;

function maskPasswordAfterUser(_: string, user: string, password: string): string {
  return user + "*".repeat(password.length);
}

function formatAccessError(
  error: AccessError,
  text: string | undefined,
  schemeNames: readonly string[],
): string {
  const { code, reason, url, cause } = error;
  const { code: systemCode } = (cause ?? {}) as NodeJS.ErrnoException;
  const system =
    code === "unavailable" && typeof systemCode === "string" && !reason.includes(systemCode)
      ? ` [${systemCode}]`
      : "";
  const advice =
    suggestUrlWithScheme(error, schemeNames, text) ??
    suggestScheme(error, schemeNames, text) ??
    adaptAdviceToCommandLine(error);
  // The user may have written a login without a scheme, as in "joe:secret@host/".
  const shownUrl =
    code === "unknown-scheme" ? url?.replace(LOGIN_WITHOUT_SCHEME, maskPasswordAfterUser) : url;
  const place = shownUrl ? `: ${shownUrl}` : "";
  return `${code}: ${adaptReasonToCommandLine(error)}${system}${place}${advice === undefined ? "" : ` (${advice})`}`;
}

/** Formats a syntax error of a URL as lines: the message, the URL with a mark below the error, and the suggestion. */
export function formatSyntaxFault(
  fault: Pick<UrlSyntaxError, "code" | "index" | "length" | "section" | "suggestion"> & {
    readonly message: string;
  },
  text: string,
  columns: number,
  schemeNames: readonly string[],
): string[] {
  const message = fault.message.replace(/ \(offset \d+, RFC 1738 [^()]*\):.*$/s, "");
  return [
    `${fault.code}: ${message} (RFC 1738 ${formatRfcSection(fault.section)})`,
    ...formatTextWithCaret(maskPassword(text), fault.index, fault.length, columns - 2).map(
      (line) => `  ${line}`,
    ),
    ...formatSuggestion(fault, text, schemeNames),
  ];
}

/** The function that repairs a URL, by the code of its fault. */
const URL_REPAIRS: Readonly<
  Record<string, (text: string, schemeNames: readonly string[]) => string | undefined>
> = {
  "missing-slashes": repairMissingSlashes,
  "missing-scheme": (text, names) => repairMissingColon(text, names) ?? repairMissingScheme(text, names),
  "bad-scheme": repairMissingColon,
};

/**
 * Formats the suggestion for a syntax error of a URL. For a common mistake, the suggestion contains the repaired URL.
 */
function formatSuggestion(
  { code, index, suggestion }: Pick<UrlSyntaxError, "code" | "index" | "suggestion">,
  text: string,
  schemeNames: readonly string[],
): string[] {
  if (code === "login-question-mark") return [describeQuestionMarkInLogin(text, index), suggestion];
  const repaired = URL_REPAIRS[code]?.(text, schemeNames);
  return [repaired === undefined ? suggestion : `write "${maskPassword(repaired)}"`];
}

/** Returns advice for a host and a port whose host was read as a scheme, as in `localhost:8080/x`. */
function suggestUrlWithScheme(
  { code }: AccessError,
  schemeNames: readonly string[],
  text = "",
): string | undefined {
  const url = code === "unknown-scheme" ? guessUrl(text, schemeNames) : undefined;
  return url === undefined ? undefined : `write "${url}"`;
}

/** Returns the question `did you mean http?` for a misspelled scheme, as in `htpp://host/`. */
function suggestScheme({ code }: AccessError, schemeNames: readonly string[], text = ""): string | undefined {
  if (code !== "unknown-scheme") return undefined;
  const nearest = findNearestName(extractSchemeName(text.trim()), schemeNames);
  return nearest === undefined ? undefined : `did you mean ${nearest}?`;
}

function reportUnexpectedError(error: unknown): ErrorReport {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return createErrorOutputFromLines("internal", [`internal error: ${text.split("\n")[0] ?? ""}`]);
}

function createErrorOutputFromLines(name: ExitCodeName, [first, ...rest]: readonly string[]): ErrorReport {
  const lines = first === undefined ? [] : [`anyscheme: ${first}`, ...rest];
  return { lines: lines.map(escapeControls), exitCode: getExitCodeByName(name) };
}

// Recognizes an `AccessError` by its name and a property. An import of the class `AccessError` would load the whole
// client for commands that only parse URLs.
function isAccessError(error: unknown): error is AccessError {
  return error instanceof Error && error.name === "AccessError" && "code" in error;
}

function isSyntaxError(error: unknown): error is UrlSyntaxError {
  return error instanceof Error && error.name === "UrlSyntaxError" && "section" in error;
}
