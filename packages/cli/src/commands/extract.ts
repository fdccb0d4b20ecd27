import type { UrlMatch } from "@anyscheme/core/extract";
import { genericSyntax, type Url } from "@anyscheme/core/syntax";
import type { CommandLine } from "../args/command-line.ts";
import { jsonLine } from "../output/json-line.ts";
import { searchFiles, type Source } from "../search/search.ts";
import { loadAllSyntaxes } from "../client/scheme-packages.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";

/**
 * Performs `extract`: the URLs of texts, as they were found, unfolded. RFC 1738 Appendix. Resolves to 1 when there is none.
 */
export async function extract(
  line: CommandLine,
  io: CliIo,
  onFailure: (error: unknown, text: string) => Promise<void>,
): Promise<number> {
  const { json } = line.values;
  const syntaxes = [...(await loadAllSyntaxes()), genericSyntax()];
  const conforming = (url: Url): string | undefined =>
    syntaxes.find(({ schemes }) => schemes.length === 0 || schemes.includes(url.scheme))?.format(url);
  const shown = io.stdout.isTerminal ? escapeControls : (text: string): string => text;
  const count = await searchFiles(line, io, onFailure, {
    onMatch: (match, source) => [
      json ? formatMatch(match, source, conforming(match.url)) : shown(match.text),
    ],
  });
  return count > 0 ? 0 : 1;
}

function formatMatch(match: UrlMatch, { file, text: source }: Source, url: string | undefined): string {
  const { text, fragment, index, length, wrapped, alternative } = match;
  const { line, column } = source.positionOf(index);
  return jsonLine({
    file,
    line,
    column,
    url,
    text,
    fragment,
    index,
    length,
    wrapped,
    alternative,
  });
}
