import { extractUrls } from "@anyscheme/core/extract";
import { createGenericSyntax, type ParseMode, type Syntax, type Url } from "@anyscheme/core/syntax";
import { ftpSyntax } from "@anyscheme/scheme-ftp/syntax";
import { gopherSyntax } from "@anyscheme/scheme-gopher/syntax";

const testedSyntaxes: readonly Syntax[] = [ftpSyntax, gopherSyntax];
const fallbackSyntax: Syntax = createGenericSyntax();

/** Parses a text as a URL. Returns the URL or its fault as JSON. */
export function parseWithAnyschemeToJson(text: string, mode: ParseMode): string {
  const syntax =
    testedSyntaxes.find(({ schemes }) => schemes.includes(text.slice(0, text.indexOf(":")))) ??
    fallbackSyntax;
  const { url, fault } = syntax.tryParse(text, { mode });
  return JSON.stringify(fault ?? { ...describeUrl(url), written: syntax.format(url) });
}

/** Extracts the URLs of a text from a web stream. Returns the extracted URLs with their positions as JSON. */
export async function extractUrlsToJson(text: string): Promise<string> {
  const found: unknown[] = [];
  const bytes = new Blob([text]).stream();
  for await (const { url, index, length, inUrlWrapper } of extractUrls(bytes, { syntaxes: testedSyntaxes }))
    found.push({ ...describeUrl(url), index, length, inUrlWrapper });
  return JSON.stringify(found);
}

function describeUrl(url: Url): object {
  const { deviations, parserDifferences: readings, fragment } = url;
  return {
    href: url.href,
    masked: String(url),
    components: url.components(),
    deviations,
    readings,
    fragment,
  };
}
