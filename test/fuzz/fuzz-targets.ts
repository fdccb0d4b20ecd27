import { ardpFuzzTargets } from "./protocols/ardp.ts";
import { httpChallengeFuzzTargets } from "./protocols/http-challenges.ts";
import { contentCodingFuzzTargets } from "./protocols/content-encodings.ts";
import { createDecoderFuzzTarget } from "./decoder-target.ts";
import { urlExtractionDecoders } from "./urls/url-extraction.ts";
import { ftpDecoders } from "./protocols/ftp.ts";
import { gopherDecoders } from "./protocols/gopher.ts";
import { httpDecoders } from "./protocols/http.ts";
import { nntpDecoders } from "./protocols/nntp.ts";
import { prosperoDecoders } from "./protocols/prospero.ts";
import { dialledHostFuzzTargets } from "./urls/dialled-hosts.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { telnetDecoders } from "./protocols/telnet.ts";
import { urlParsingFuzzTargets } from "./urls/url-parsing.ts";
import { waisDecoders, waisDocumentIdFuzzTargets } from "./protocols/wais.ts";
import { textFuzzTargets } from "./work/text-targets.ts";
import { lineDecoders } from "./protocols/lines.ts";

/** The fuzz targets of all parsers of untrusted input. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  ...dialledHostFuzzTargets,
  ...urlParsingFuzzTargets,
  ...[
    ...lineDecoders,
    ...ftpDecoders,
    ...gopherDecoders,
    ...httpDecoders,
    ...nntpDecoders,
    ...telnetDecoders,
    ...waisDecoders,
    ...prosperoDecoders,
    ...urlExtractionDecoders,
  ].map(createDecoderFuzzTarget),
  ...contentCodingFuzzTargets,
  ...httpChallengeFuzzTargets,
  ...waisDocumentIdFuzzTargets,
  ...ardpFuzzTargets,
  ...textFuzzTargets,
];
