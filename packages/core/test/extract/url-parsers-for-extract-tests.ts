import type { UrlMatch, ExtractUrlsParser } from "../../src/extract/extract.ts";
import { createDeviation, EMPTY_HOST_FAULT, createGenericSyntax } from "../../src/syntax/index.ts";

const sampleSchemeNames = ["ftp", "http", "https", "gopher"];
const generic = createGenericSyntax();
const label = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]*[\\p{L}\\p{N}])?";
const urlWithHostPattern = new RegExp(`^[^:]+://(?:${label}(?:\\.${label})*|\\[[0-9a-f:]+\\])(?:/|$)`, "iu");

export const urlParsersForExtractTests: readonly ExtractUrlsParser[] = [
  {
    schemes: sampleSchemeNames,
    // Parses URLs with a host and perhaps a path, and rejects every other text.
    tryParse: (text, options) =>
      urlWithHostPattern.test(text)
        ? generic.tryParse(text, options)
        : { fault: createDeviation(EMPTY_HOST_FAULT, 0, 0, "write a host") },
  },
  createGenericSyntax({ schemes: ["mailto", "news", "x-note", "z39.50s"] }),
];

/** Returns a found URL in short form: bare, in its wrapper, or after "or" for a second reading. */
export function formatUrlMatchForTest({
  text,
  inUrlWrapper: wrapped,
  isAlternative: alternative,
}: UrlMatch): string {
  return `${alternative ? "or " : ""}${wrapped ? `<URL:${text}>` : text}`;
}
