import { ardp } from "./protocols/ardp.ts";
import { challenges } from "./protocols/http-challenges.ts";
import { codings } from "./protocols/content-encodings.ts";
import { decoderTarget } from "./decoder.ts";
import { extraction } from "./protocols/extraction.ts";
import { ftp } from "./protocols/ftp.ts";
import { gopher } from "./protocols/gopher.ts";
import { http } from "./protocols/http.ts";
import { nntp } from "./protocols/nntp.ts";
import { prospero } from "./protocols/prospero.ts";
import type { AnyTarget } from "./target.ts";
import { telnet } from "./protocols/telnet.ts";
import { urls } from "./protocols/urls.ts";
import { wais, waisDocuments } from "./protocols/wais.ts";
import { wire } from "./protocols/line-protocols.ts";

/** All parsers of untrusted input. */
export const targets: readonly AnyTarget[] = [
  ...urls,
  ...[...wire, ...ftp, ...gopher, ...http, ...nntp, ...telnet, ...wais, ...prospero, ...extraction].map(
    decoderTarget,
  ),
  ...codings,
  ...challenges,
  ...waisDocuments,
  ...ardp,
];
