import { ardp } from "./ardp.ts";
import { challenges } from "./challenges.ts";
import { codings } from "./codings.ts";
import { decoderTarget } from "./decoder.ts";
import { extraction } from "./extraction.ts";
import { ftp } from "./ftp.ts";
import { gopher } from "./gopher.ts";
import { http } from "./http.ts";
import { nntp } from "./nntp.ts";
import { prospero } from "./prospero.ts";
import type { AnyTarget } from "./target.ts";
import { telnet } from "./telnet.ts";
import { urls } from "./urls.ts";
import { wais, waisDocuments } from "./wais.ts";
import { wire } from "./line-protocols.ts";

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
