import {
  checkHostAgainstOtherParsers,
  TESTED_SCHEME_NAMES,
} from "../../url-standards/check-host-against-other-parsers.ts";
import { arbitraryMisleadingUrls } from "../../url-standards/misleading-url-generator.ts";
import * as fc from "fast-check";
import { clientOfAllSchemes } from "../../fixtures/client-of-all-schemes.ts";
import { createFuzzTarget, type FuzzTarget } from "../fuzz-target.ts";

/** Checks that the client dials the host that `new URL` and an RFC 3986 reader see, or refuses the text. */
export const hostConfusionFuzzTargets: readonly FuzzTarget[] = [
  createFuzzTarget<string>({
    name: "dialled hosts",
    arbitraryInput: fc.oneof(...TESTED_SCHEME_NAMES.map(arbitraryMisleadingUrls)),
    createRepetitiveInput: (pattern, size) => `http://${pattern.repeat(Math.ceil(size / pattern.length))}`,
    checkParsingResult: (text) => void checkHostAgainstOtherParsers(text),
    runWithoutChecks: (text) => clientOfAllSchemes.tryParse(text, { maxLength: Infinity }).fault?.message,
  }),
];
