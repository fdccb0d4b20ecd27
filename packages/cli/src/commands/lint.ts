import { type Deviation, type Extracted, type Refused, sectionName } from "@anyscheme/core/syntax";
import type { CommandLine } from "../command-line.ts";
import { maskLogin } from "../mask-login.ts";
import { search, type Source } from "../search.ts";
import type { Io } from "../terminal.ts";
import { visible } from "../visible.ts";
import { spansIn } from "../written.ts";

/** A deviation, or the fault of what is no URL, where it stands in a file. */
interface Finding {
  readonly kind: "fault" | "deviation";
  readonly deviation: Deviation;
  /** In octets of the file. */
  readonly index: number;
  readonly length: number;
}

/** Performs `lint`: a line for each departure from RFC 1738, as compilers write them. Resolves to 1 when there is one. */
export async function lint(
  line: CommandLine,
  io: Io,
  failed: (error: unknown, text: string) => Promise<void>,
): Promise<number> {
  const write = line.values.json ? jsonOf : lineOf;
  const count = await search(line, io, failed, {
    // The second reading of a hyphen is of the same octets, and departs in the same places.
    found: (place, source) =>
      place.alternative ? [] : written(place, "deviation", place.url.deviations, source, write),
    refused: (place, source) => written(place, "fault", [place.fault], source, write),
  });
  return count > 0 ? 1 : 0;
}

type Writer = (finding: Finding, text: string, source: Source) => string;

function written(
  { index, length, text }: Extracted | Refused,
  kind: Finding["kind"],
  deviations: readonly Deviation[],
  source: Source,
  write: Writer,
): string[] {
  if (deviations.length === 0) return [];
  const spanOf = spansIn(source.text.octets(index, length), text);
  // Positions are asked for in the order of the text, which is no promise of a list of deviations.
  return deviations
    .map((deviation): Finding => {
      const { start, end } = spanOf(deviation.index, deviation.length);
      return { kind, deviation, index: index + start, length: end - start };
    })
    .toSorted((one, other) => one.index - other.index)
    .map((finding) => write(finding, text, source));
}

function lineOf({ deviation, index }: Finding, _: string, { file, text: source }: Source): string {
  const { line, column } = source.positionOf(index);
  const { code, message, section, suggestion } = deviation;
  return visible(
    `${file}:${line}:${column}: ${code}: ${message} (RFC 1738 ${sectionName(section)}); ${suggestion}`,
  );
}

function jsonOf({ kind, deviation, index, length }: Finding, text: string, source: Source): string {
  const { code, section, message, suggestion } = deviation;
  const { line, column } = source.text.positionOf(index);
  const place = { file: source.file, line, column, index, length };
  return JSON.stringify({ ...place, kind, code, section, message, suggestion, text: maskLogin(text) });
}
