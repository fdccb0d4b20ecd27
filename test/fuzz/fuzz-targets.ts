import { ardpTargets } from "./protocols/ardp.ts";
import { challengeTargets } from "./protocols/http-challenges.ts";
import { contentCodingTargets } from "./protocols/content-encodings.ts";
import { createDecoderTarget } from "./decoder-target.ts";
import { extractionDecoders } from "./protocols/extraction.ts";
import { ftpDecoders } from "./protocols/ftp.ts";
import { gopherDecoders } from "./protocols/gopher.ts";
import { httpDecoders } from "./protocols/http.ts";
import { nntpDecoders } from "./protocols/nntp.ts";
import { prosperoDecoders } from "./protocols/prospero.ts";
import { dialledHostTargets } from "./protocols/dialled-hosts.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { telnetDecoders } from "./protocols/telnet.ts";
import { urlTargets } from "./protocols/urls.ts";
import { waisDecoders, waisDocumentIdTargets } from "./protocols/wais.ts";
import { lineDecoders } from "./protocols/line-protocols.ts";

/** The fuzz targets of all parsers of untrusted input. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  ...urlTargets,
  ...dialledHostTargets,
  ...[
    ...lineDecoders,
    ...ftpDecoders,
    ...gopherDecoders,
    ...httpDecoders,
    ...nntpDecoders,
    ...telnetDecoders,
    ...waisDecoders,
    ...prosperoDecoders,
    ...extractionDecoders,
  ].map(createDecoderTarget),
  ...contentCodingTargets,
  ...challengeTargets,
  ...waisDocumentIdTargets,
  ...ardpTargets,
];
