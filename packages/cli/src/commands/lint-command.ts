import type { InvalidUrlMatch, UrlMatch } from "@anyscheme/core/extract";
import { type UrlSyntaxDeviation, formatRfcSection } from "@anyscheme/core/syntax";
import { escapeControls } from "@anyscheme/core/text";
import type { CommandLineWithSchemes } from "../client/command-schemes.ts";
import { formatJsonLine } from "../output/json-line.ts";
import { maskPassword } from "../output/mask-password.ts";
import {
  type UrlAmbiguity,
  findMailtoAddressAmbiguities,
  createLineEndHyphenAmbiguity,
} from "../search/url-ambiguities.ts";
import { writeUrlsFoundInFiles, type FileSearchedForUrls } from "../search/search-files-for-urls.ts";
import { createUrlToSourceByteMapper } from "../search/url-to-source-byte-mapper.ts";
import type { CliIo, FailedUrlOrFileListener } from "../terminal/cli-io.ts";

/** A fault of an invalid URL, a deviation from RFC 1738, or an ambiguity. */
interface LintProblem {
  readonly kind: "fault" | "deviation" | "ambiguity";
  readonly deviationOrAmbiguity: UrlSyntaxDeviation | UrlAmbiguity;
}

/** A problem of a URL, with its offset and its length in the file. */
interface LocatedLintProblem extends LintProblem {
  /** The offset in the searched file at which the URL's problem begins, in bytes. */
  readonly index: number;
  readonly length: number;
}

/** A URL that the search may match twice: with and without the hyphen at a line end. */
interface PendingUrlMatch {
  readonly match: UrlMatch;
  readonly problems: LintProblem[];
}

type LintProblemFormatter = (
  problem: LocatedLintProblem,
  text: string,
  source: FileSearchedForUrls,
) => string;

/**
 * Runs the command `lint`, which writes a line for each problem, in the format of compiler messages. Resolves to the
 * exit code 1 if a URL in the files has a problem.
 */
export async function runLintCommand(
  line: CommandLineWithSchemes,
  io: CliIo,
  onFailure: FailedUrlOrFileListener,
): Promise<number> {
  const format = line.optionValues.json ? formatProblemAsJson : formatProblemAsText;
  let pending: PendingUrlMatch | undefined;
  const flush = (source: FileSearchedForUrls): string[] => {
    const lines = pending ? formatProblems(pending.match, pending.problems, source, format) : [];
    pending = undefined;
    return lines;
  };
  const count = await writeUrlsFoundInFiles(line, io, onFailure, {
    formatUrlMatch(match, source) {
      // The URL without the hyphen has the same source bytes and deviations as the URL with the hyphen.
      if (match.isAlternative && pending) {
        addHyphenAmbiguity(pending, match.text);
        return [];
      }
      const lines = flush(source);
      pending = {
        match,
        problems: [
          ...match.url.deviations.map((detail): LintProblem => ({
            kind: "deviation",
            deviationOrAmbiguity: detail,
          })),
          ...findMailtoAddressAmbiguities(match.url).map((detail): LintProblem => ({
            kind: "ambiguity",
            deviationOrAmbiguity: detail,
          })),
        ],
      };
      return lines;
    },
    formatInvalidUrl: (match, source) => [
      ...flush(source),
      ...formatProblems(match, [{ kind: "fault", deviationOrAmbiguity: match.fault }], source, format),
    ],
    formatPendingMatch: flush,
  });
  return count > 0 ? 1 : 0;
}

function addHyphenAmbiguity({ match, problems }: PendingUrlMatch, otherReading: string): void {
  const hyphen = createLineEndHyphenAmbiguity(match.text, otherReading);
  const isKnown = problems.some(
    ({ deviationOrAmbiguity: { code, index } }) => code === "hyphen" && index === hyphen.index,
  );
  if (!isKnown) problems.push({ kind: "ambiguity", deviationOrAmbiguity: hyphen });
}

function formatProblems(
  { index, length, text }: UrlMatch | InvalidUrlMatch,
  problems: readonly LintProblem[],
  source: FileSearchedForUrls,
  format: LintProblemFormatter,
): string[] {
  if (problems.length === 0) return [];
  const spanOf = createUrlToSourceByteMapper(source.textWithPositions.getBytes(index, length), text);
  // LineAndColumnTracker counts lines forward only, so positions must be requested in ascending order.
  return problems
    .map(({ kind, deviationOrAmbiguity }): LocatedLintProblem => {
      const { start, endExclusive } = spanOf(deviationOrAmbiguity.index, deviationOrAmbiguity.length);
      return { kind, deviationOrAmbiguity, index: index + start, length: endExclusive - start };
    })
    .toSorted((a, b) => a.index - b.index)
    .map((problem) => format(problem, text, source));
}

/** Formats the name of the later RFC that allows a deviation from RFC 1738, or `no RFC allows it`. */
function formatAllowingRfc(detail: LintProblem["deviationOrAmbiguity"]): string {
  const { allowedByRfc } = detail as UrlSyntaxDeviation;
  return `; ${allowedByRfc === undefined ? "no RFC allows it" : `${allowedByRfc} allows it`}`;
}

function formatProblemAsText(
  { kind, deviationOrAmbiguity, index }: LocatedLintProblem,
  _: string,
  { fileName, textWithPositions }: FileSearchedForUrls,
): string {
  const { line, column } = textWithPositions.getPosition(index);
  const { code, message, section, suggestion } = deviationOrAmbiguity;
  const rule = `RFC 1738 ${formatRfcSection(section)}${kind === "deviation" ? formatAllowingRfc(deviationOrAmbiguity) : ""}`;
  return escapeControls(`${fileName}:${line}:${column}: ${code}: ${message} (${rule}); ${suggestion}`);
}

function formatProblemAsJson(
  { kind, deviationOrAmbiguity, index, length }: LocatedLintProblem,
  text: string,
  source: FileSearchedForUrls,
): string {
  const { code, section, message, suggestion } = deviationOrAmbiguity;
  const { line, column } = source.textWithPositions.getPosition(index);
  const location = { file: source.fileName, line, column, index, length };
  const allowedByRfc =
    kind === "deviation" ? (deviationOrAmbiguity as UrlSyntaxDeviation).allowedByRfc : undefined;
  const problem = { kind, code, section, message, allowedByRfc, suggestion };
  return formatJsonLine({ ...location, ...problem, text: maskPassword(text) });
}
