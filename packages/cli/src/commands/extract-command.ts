import type { UrlMatch } from "@anyscheme/core/extract";
import { createGenericSyntax, type Url } from "@anyscheme/core/syntax";
import { escapeControls } from "@anyscheme/core/text";
import type { CommandLineWithSchemes } from "../client/command-schemes.ts";
import { formatJsonLine } from "../output/json-line.ts";
import { writeUrlsFoundInFiles, type FileSearchedForUrls } from "../search/search-files-for-urls.ts";
import type { CliIo, FailedUrlOrFileListener } from "../terminal/cli-io.ts";

/**
 * Runs the command `extract`, which writes the URLs in texts, each on one line (RFC 1738 Appendix). Resolves to
 * the exit code 1 if the texts contain no URL.
 */
export async function runExtractCommand(
  line: CommandLineWithSchemes,
  io: CliIo,
  onFailure: FailedUrlOrFileListener,
): Promise<number> {
  const { json } = line.optionValues;
  const syntaxes = [...(await line.schemes.loadAllSyntaxes()), createGenericSyntax()];
  const format = (url: Url): string | undefined =>
    syntaxes.find(({ schemes }) => schemes.length === 0 || schemes.includes(url.scheme))?.format(url);
  const escape = io.stdout.isTerminal ? escapeControls : (text: string): string => text;
  const count = await writeUrlsFoundInFiles(line, io, onFailure, {
    formatUrlMatch: (match, source) => [
      json ? formatUrlMatch(match, source, format(match.url)) : escape(match.text),
    ],
  });
  return count > 0 ? 0 : 1;
}

function formatUrlMatch(
  match: UrlMatch,
  { fileName, textWithPositions }: FileSearchedForUrls,
  url: string | undefined,
): string {
  const { text, fragment, index, length, inUrlWrapper, isAlternative } = match;
  const place = { file: fileName, ...textWithPositions.getPosition(index) };
  return formatJsonLine({
    ...place,
    url,
    text,
    fragment,
    index,
    length,
    wrapped: inUrlWrapper,
    alternative: isAlternative,
  });
}
