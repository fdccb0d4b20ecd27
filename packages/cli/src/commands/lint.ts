import type { UrlMatch, InvalidMatch } from "@anyscheme/core/extract";
import { type Deviation, sectionName } from "@anyscheme/core/syntax";
import { findAmbiguities, type Ambiguity, hyphenAmbiguity } from "../search/ambiguities.ts";
import type { CommandLine } from "../args/command-line.ts";
import { jsonLine } from "../output/json-line.ts";
import { maskPassword } from "../output/mask-password.ts";
import { searchFiles, type Source } from "../search/search.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";
import { mapToSource } from "../search/source-spans.ts";

/** A deviation, the fault of what is no URL, or what is understood in two ways. */
interface Problem {
  readonly kind: "fault" | "deviation" | "ambiguity";
  readonly deviation: Deviation | Ambiguity;
}

/** The same, where it stands in a file. */
interface LocatedProblem extends Problem {
  /** In bytes of the file. */
  readonly index: number;
  readonly length: number;
}

/**
 * Performs `lint`: a line for each departure from RFC 1738, and for each place that is understood in two ways, as compilers
 * write them. Resolves to 1 when there is one.
 */
export async function lint(
  line: CommandLine,
  io: CliIo,
  onFailure: (error: unknown, text: string) => Promise<void>,
): Promise<number> {
  const write = line.values.json ? formatJson : formatLine;
  let pending: PendingMatch | undefined;
  const flush = (source: Source): string[] => {
    const lines = pending ? formatProblems(pending.match, pending.problems, source, write) : [];
    pending = undefined;
    return lines;
  };
  const count = await searchFiles(line, io, onFailure, {
    onMatch(match, source) {
      // The second reading is of the same bytes, and departs in the same places.
      if (match.alternative && pending) {
        addHyphen(pending, match.text);
        return [];
      }
      const lines = flush(source);
      const deviations = match.url.deviations.map((deviation): Problem => ({ kind: "deviation", deviation }));
      const ambiguities = findAmbiguities(match).map((deviation): Problem => ({
        kind: "ambiguity",
        deviation,
      }));
      pending = { match, problems: [...deviations, ...ambiguities] };
      return lines;
    },
    onInvalid: (match, source) => [
      ...flush(source),
      ...formatProblems(match, [{ kind: "fault", deviation: match.fault }], source, write),
    ],
    flush,
  });
  return count > 0 ? 1 : 0;
}

/** A place with all that is to be said of it, once its other readings are known. */
interface PendingMatch {
  readonly match: UrlMatch;
  readonly problems: Problem[];
}

function addHyphen({ match, problems: findings }: PendingMatch, other: string): void {
  const hyphen = hyphenAmbiguity(match.text, other);
  const known = findings.some(
    ({ deviation: { code, index } }) => code === "hyphen" && index === hyphen.index,
  );
  if (!known) findings.push({ kind: "ambiguity", deviation: hyphen });
}

type ProblemFormatter = (finding: LocatedProblem, text: string, source: Source) => string;

function formatProblems(
  { index, length, text }: UrlMatch | InvalidMatch,
  remarks: readonly Problem[],
  source: Source,
  write: ProblemFormatter,
): string[] {
  if (remarks.length === 0) return [];
  const spanOf = mapToSource(source.text.bytes(index, length), text);
  // Positions are asked for in the order of the text, which is no promise of a list of deviations.
  return remarks
    .map(({ kind, deviation }): LocatedProblem => {
      const { start, end } = spanOf(deviation.index, deviation.length);
      return { kind, deviation, index: index + start, length: end - start };
    })
    .toSorted((one, other) => one.index - other.index)
    .map((finding) => write(finding, text, source));
}

function formatLine({ deviation, index }: LocatedProblem, _: string, { file, text: source }: Source): string {
  const { line, column } = source.positionOf(index);
  const { code, message, section, suggestion } = deviation;
  return escapeControls(
    `${file}:${line}:${column}: ${code}: ${message} (RFC 1738 ${sectionName(section)}); ${suggestion}`,
  );
}

function formatJson(
  { kind, deviation, index, length }: LocatedProblem,
  text: string,
  source: Source,
): string {
  const { code, section, message, suggestion } = deviation;
  const { line, column } = source.text.positionOf(index);
  const match = { file: source.file, line, column, index, length };
  return jsonLine({ ...match, kind, code, section, message, suggestion, text: maskPassword(text) });
}
