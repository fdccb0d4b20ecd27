import { ardpFuzzTargets } from "./protocols/ardp.ts";
import { httpChallengeFuzzTargets } from "./protocols/http-challenges.ts";
import { contentCodingFuzzTargets } from "./protocols/content-encodings.ts";
import { createDecoderFuzzTarget } from "./decoder-target.ts";
import { urlExtractionDecoders } from "./urls/url-extraction.ts";
import { fuzzedFtpDecoders } from "./protocols/ftp.ts";
import { fuzzedGopherDecoders } from "./protocols/gopher.ts";
import { fuzzedHttpDecoders } from "./protocols/http.ts";
import { fuzzedNntpDecoders } from "./protocols/nntp.ts";
import { fuzzedProsperoDecoders } from "./protocols/prospero.ts";
import { hostConfusionFuzzTargets } from "./urls/host-confusion.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { fuzzedTelnetDecoders } from "./protocols/telnet.ts";
import { urlParsingFuzzTargets } from "./urls/url-parsing.ts";
import { fuzzedWaisDecoders, waisDocumentIdFuzzTargets } from "./protocols/wais.ts";
import { textFuzzTargets } from "./work/text-targets.ts";
import { fuzzedLineDecoders } from "./protocols/lines.ts";

/** The fuzz targets of all parsers of untrusted input. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  ...hostConfusionFuzzTargets,
  ...urlParsingFuzzTargets,
  ...[
    ...fuzzedLineDecoders,
    ...fuzzedFtpDecoders,
    ...fuzzedGopherDecoders,
    ...fuzzedHttpDecoders,
    ...fuzzedNntpDecoders,
    ...fuzzedTelnetDecoders,
    ...fuzzedWaisDecoders,
    ...fuzzedProsperoDecoders,
    ...urlExtractionDecoders,
  ].map(createDecoderFuzzTarget),
  ...contentCodingFuzzTargets,
  ...httpChallengeFuzzTargets,
  ...waisDocumentIdFuzzTargets,
  ...ardpFuzzTargets,
  ...textFuzzTargets,
];
