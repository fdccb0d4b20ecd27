import { type ParseMode, type ParseResult, type Syntax, UrlSyntaxError } from "@anyscheme/core/syntax";
import * as fc from "fast-check";
import { arbitraryUrlTexts } from "../../fixtures/arbitrary-urls.ts";
import { ALL_SYNTAXES } from "../../fixtures/all-syntaxes.ts";
import { assertCondition } from "../decoder-target.ts";
import { type FuzzTarget, createFuzzTarget } from "../fuzz-target.ts";

/** Delimiters of URLs, escapes, hosts, and characters that URLs must not contain. */
const URL_FRAGMENTS = [
  ...Array.from("/:@?#;=&%[]()<>\"\\^`{|}~+-_.*!$',0aZ\t\r\n \0\x7f\x80"),
  ..."// :// %00 %0d%0A %2F %2f %25 %c3%a9 %zz % .. ; ;type=a ;type= :0 :65536 :00080 @@ é \u00a0 \u200b \u2024 \ufeff \uff0f".split(
    " ",
  ),
  ..."\ud800 \udfff 😀 ftp: URL: <URL: > [::1] [::ffff:127.0.0.1] 127.1 0x7f.1 ①.0.0.1 ＠ localhost".split(
    " ",
  ),
];

const arbitraryUrlChange = fc.record({
  position: fc.nat(),
  removedLength: fc.nat({ max: 3 }),
  insertedText: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("", ...URL_FRAGMENTS) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...URL_FRAGMENTS), fc.nat({ max: 200 }))
        .map(([fragment, count]) => fragment.repeat(count)),
    },
  ),
});

/** Generates URLs of the schemes, and changes up to four places of each URL. */
function mutatedUrls(schemes: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(arbitraryUrlTexts(schemes), fc.array(arbitraryUrlChange, { maxLength: 4 }))
    .map(([text, changes]) =>
      changes.reduce((changed, { position, removedLength, insertedText }) => {
        const start = position % (changed.length + 1);
        return changed.slice(0, start) + insertedText + changed.slice(start + removedLength);
      }, text),
    );
}

const PARSER_MODES: readonly ParseMode[] = ["rfc1738", "modern"];

/** Checks that a parser throws only `UrlSyntaxError`, and that a formatted URL is parsed to the same URL. */
export const urlParsingFuzzTargets: readonly FuzzTarget[] = ALL_SYNTAXES.map((syntax) => {
  const scheme = syntax.schemes[0] ?? "x-any";
  return createFuzzTarget<string>({
    name: `URLs: ${syntax.schemes.join(", ") || "generic"}`,
    arbitraryInput: mutatedUrls(syntax.schemes),
    createRepetitiveInput: (pattern, size) => `${scheme}:${pattern.repeat(Math.ceil(size / pattern.length))}`,
    checkParsingResult(text) {
      for (const mode of PARSER_MODES) checkParseResult(syntax, text, mode);
    },
    runWithoutChecks(text) {
      for (const mode of PARSER_MODES) {
        const { url, fault } = syntax.tryParse(text, { mode, maxLength: Infinity });
        if (url) syntax.format(url);
        else void fault?.message;
      }
    },
  });
});

function checkParseResult(syntax: Syntax, text: string, mode: ParseMode): void {
  const result = syntax.tryParse(text, { mode });
  assertCondition(
    syntax.canParse(text, { mode }) === (result.url !== undefined),
    "canParse and tryParse disagree",
  );
  checkThrownError(syntax, text, mode, result);
  const { url, fault } = result;
  const faults = url ? url.deviations : [fault];
  for (const found of faults) {
    assertCondition(found !== undefined, "tryParse returns neither a URL nor a fault");
    assertCondition(
      found.index >= 0 && found.length >= 0 && found.index + found.length <= text.length,
      `the offset of the fault ${found.code} is outside the text`,
    );
  }
  if (!url) return;
  if (mode === "rfc1738")
    assertCondition(url.deviations.length === 0, "the mode rfc1738 accepts a deviation");
  // Modern mode removes the white space around a URL.
  const trimmed = mode === "modern" ? text.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "") : text;
  const formatted = syntax.format(url);
  // `format` does not change a conforming URL, except for a "?" in its login, at which other parsers end the host. When
  // other parsers refuse the URL, its `parserDifferences` is empty.
  const hasQuestionMarkInLogin = /^[^/]*\/\/[^/]*\?[^/]*@/.test(trimmed);
  const isUnchanged =
    url.deviations.length === 0 && url.parserDifferences.length === 0 && !hasQuestionMarkInLogin;
  assertCondition(formatted === trimmed || !isUnchanged, `the URL conforms, but format returns ${formatted}`);
  const reparsed = syntax.parse(formatted, { mode });
  assertCondition(syntax.format(reparsed) === formatted, `format changes its own result ${formatted}`);
  assertCondition(url.href === trimmed, "href differs from the text of the URL");
}

function checkThrownError(syntax: Syntax, text: string, mode: ParseMode, { url, fault }: ParseResult): void {
  try {
    syntax.parse(text, { mode });
    assertCondition(url !== undefined, "parse returns a URL, and tryParse does not");
  } catch (error) {
    if (!(error instanceof UrlSyntaxError)) throw error;
    assertCondition(
      error.code === fault?.code && error.index === fault.index,
      "parse and tryParse find different faults",
    );
  }
}
