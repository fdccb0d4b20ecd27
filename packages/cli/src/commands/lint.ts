import type { UrlMatch, InvalidMatch } from "@anyscheme/core/extract";
import { type Deviation, sectionName } from "@anyscheme/core/syntax";
import { ambiguitiesOf, type Ambiguity, hyphenIn } from "../search/ambiguities.ts";
import type { CommandLine } from "../args/command-line.ts";
import { jsonLine } from "../output/json-line.ts";
import { maskLogin } from "../output/mask-password.ts";
import { search, type Source } from "../search/search.ts";
import type { Io } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";
import { spansIn } from "../search/source-spans.ts";

/** A deviation, the fault of what is no URL, or what is understood in two ways. */
interface Remark {
  readonly kind: "fault" | "deviation" | "ambiguity";
  readonly deviation: Deviation | Ambiguity;
}

/** The same, where it stands in a file. */
interface Finding extends Remark {
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
  io: Io,
  failed: (error: unknown, text: string) => Promise<void>,
): Promise<number> {
  const write = line.values.json ? jsonOf : lineOf;
  let held: Found | undefined;
  const settled = (source: Source): string[] => {
    const lines = held ? written(held.place, held.findings, source, write) : [];
    held = undefined;
    return lines;
  };
  const count = await search(line, io, failed, {
    found(place, source) {
      // The second reading is of the same bytes, and departs in the same places.
      if (place.alternative && held) {
        addHyphen(held, place.text);
        return [];
      }
      const lines = settled(source);
      const deviations = place.url.deviations.map((deviation): Remark => ({ kind: "deviation", deviation }));
      const ambiguities = ambiguitiesOf(place).map((deviation): Remark => ({ kind: "ambiguity", deviation }));
      held = { place, findings: [...deviations, ...ambiguities] };
      return lines;
    },
    refused: (place, source) => [
      ...settled(source),
      ...written(place, [{ kind: "fault", deviation: place.fault }], source, write),
    ],
    settled,
  });
  return count > 0 ? 1 : 0;
}

/** A place with all that is to be said of it, once its other readings are known. */
interface Found {
  readonly place: UrlMatch;
  readonly findings: Remark[];
}

function addHyphen({ place, findings }: Found, other: string): void {
  const hyphen = hyphenIn(place.text, other);
  const known = findings.some(
    ({ deviation: { code, index } }) => code === "hyphen" && index === hyphen.index,
  );
  if (!known) findings.push({ kind: "ambiguity", deviation: hyphen });
}

type Writer = (finding: Finding, text: string, source: Source) => string;

function written(
  { index, length, text }: UrlMatch | InvalidMatch,
  remarks: readonly Remark[],
  source: Source,
  write: Writer,
): string[] {
  if (remarks.length === 0) return [];
  const spanOf = spansIn(source.text.bytes(index, length), text);
  // Positions are asked for in the order of the text, which is no promise of a list of deviations.
  return remarks
    .map(({ kind, deviation }): Finding => {
      const { start, end } = spanOf(deviation.index, deviation.length);
      return { kind, deviation, index: index + start, length: end - start };
    })
    .toSorted((one, other) => one.index - other.index)
    .map((finding) => write(finding, text, source));
}

function lineOf({ deviation, index }: Finding, _: string, { file, text: source }: Source): string {
  const { line, column } = source.positionOf(index);
  const { code, message, section, suggestion } = deviation;
  return escapeControls(
    `${file}:${line}:${column}: ${code}: ${message} (RFC 1738 ${sectionName(section)}); ${suggestion}`,
  );
}

function jsonOf({ kind, deviation, index, length }: Finding, text: string, source: Source): string {
  const { code, section, message, suggestion } = deviation;
  const { line, column } = source.text.positionOf(index);
  const place = { file: source.file, line, column, index, length };
  return jsonLine({ ...place, kind, code, section, message, suggestion, text: maskLogin(text) });
}
