import { ardpFuzzTargets } from "./protocols/ardp-fuzz-targets.ts";
import { httpChallengeFuzzTargets } from "./protocols/http-challenge-fuzz-targets.ts";
import { contentCodingFuzzTargets } from "./protocols/content-encoding-fuzz-targets.ts";
import { createDecoderFuzzTarget } from "./decoder-target.ts";
import { fuzzedUrlExtractionDecoders } from "./urls/url-extraction-fuzz-targets.ts";
import { fuzzedFtpDecoders } from "./protocols/ftp-fuzz-targets.ts";
import { fuzzedGopherDecoders } from "./protocols/gopher-fuzz-targets.ts";
import { fuzzedHttpResponseDecoders } from "./protocols/http-fuzz-targets.ts";
import { fuzzedNntpDecoders } from "./protocols/nntp-fuzz-targets.ts";
import { fuzzedProsperoDecoders } from "./protocols/prospero-fuzz-targets.ts";
import { hostConfusionFuzzTargets } from "./urls/host-confusion-fuzz-targets.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { fuzzedTelnetDecoders } from "./protocols/telnet-fuzz-targets.ts";
import { urlParsingFuzzTargets } from "./urls/url-parsing-fuzz-targets.ts";
import { fuzzedWaisDecoders, waisDocumentIdFuzzTargets } from "./protocols/wais-fuzz-targets.ts";
import { textFuzzTargets } from "./work/text-targets.ts";
import { fuzzedLineDecoders } from "./protocols/line-fuzz-targets.ts";

/** The fuzz targets of all parsers of untrusted input. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  ...hostConfusionFuzzTargets,
  ...urlParsingFuzzTargets,
  ...[
    ...fuzzedLineDecoders,
    ...fuzzedFtpDecoders,
    ...fuzzedGopherDecoders,
    ...fuzzedHttpResponseDecoders,
    ...fuzzedNntpDecoders,
    ...fuzzedTelnetDecoders,
    ...fuzzedWaisDecoders,
    ...fuzzedProsperoDecoders,
    ...fuzzedUrlExtractionDecoders,
  ].map(createDecoderFuzzTarget),
  ...contentCodingFuzzTargets,
  ...httpChallengeFuzzTargets,
  ...waisDocumentIdFuzzTargets,
  ...ardpFuzzTargets,
  ...textFuzzTargets,
];
