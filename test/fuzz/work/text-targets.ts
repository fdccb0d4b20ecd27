import { AccessError } from "@anyscheme/core";
import { UrlSyntaxError } from "@anyscheme/core/syntax";
import { GatewayHttpError } from "../../../packages/gateway/src/http/errors.ts";
import { arbitraryMutatedSamples } from "../mutated-samples.ts";
import { createFuzzTarget, type FuzzTarget } from "../fuzz-target.ts";
import { createRepetitiveText, listTextsAroundRepetition } from "./repetitive-text.ts";
import { FUZZED_TEXT_PARSERS, type FuzzedTextParser } from "../fuzzed-text-parsers.ts";

/** The fuzz targets, one for each parser of texts. A parser may throw only errors that describe an invalid text. */
export const textFuzzTargets: readonly FuzzTarget[] = FUZZED_TEXT_PARSERS.map((parser) =>
  createFuzzTarget<string>({
    name: parser.name,
    arbitraryInput: arbitraryMutatedSamples(parser.samples),
    textsAroundRepetition: listTextsAroundRepetition(parser.samples),
    createRepetitiveInput: (pattern, size, place) => createRepetitiveText(place, pattern, size),
    checkParsingResult: (text) => parseOrReject(parser, text),
    runWithoutChecks: (text) => parseOrReject(parser, text),
  }),
);

/** Parses a text. Ignores the errors that describe an invalid text. */
function parseOrReject({ parse }: FuzzedTextParser, text: string): void {
  try {
    parse(text);
  } catch (error) {
    if (!(
      error instanceof AccessError ||
      error instanceof UrlSyntaxError ||
      error instanceof GatewayHttpError
    ))
      throw error;
  }
}
