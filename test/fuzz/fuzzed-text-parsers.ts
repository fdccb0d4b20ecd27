import { createClient } from "@anyscheme/core";
import { createGenericSyntax, UrlSyntaxError } from "@anyscheme/core/syntax";
import { escapeControls } from "@anyscheme/core/text";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, gopherSyntax } from "@anyscheme/scheme-gopher";
import { http, httpSyntax } from "@anyscheme/scheme-http";
import { mailto, news, nntp, prospero, telnet, wais } from "@anyscheme/scheme-others";
import { BUILT_IN_SCHEME_NAMES } from "../../packages/cli/src/client/scheme-packages.ts";
import { formatTextWithCaret } from "../../packages/cli/src/terminal/caret-underline.ts";
import { maskPassword } from "../../packages/cli/src/output/mask-password.ts";
import { toSafeFileName } from "../../packages/cli/src/output/safe-file-name.ts";
import { SafeTextDecoder } from "../../packages/cli/src/terminal/safe-text-decoder.ts";
import { guessUrl } from "../../packages/cli/src/urls/guess-url.ts";
import { toFtpDirectoryUrl } from "../../packages/cli/src/urls/ftp-url.ts";
import { parseNewsServerList } from "../../packages/cli/src/config/news-servers.ts";
import { maskPossibleSecretsInServerText } from "../../packages/core/src/errors/mask-possible-secrets.ts";
import { matchesNoProxy } from "../../packages/core/src/network/proxy/no-proxy.ts";
import { completeProxyUrl } from "../../packages/core/src/network/proxy/proxy-from-environment.ts";
import { parseIpAddress } from "../../packages/core/src/policy/ip-address.ts";
import { matchesIntegrity } from "../../packages/core/src/client/fetch/integrity.ts";
import { findParserDifferences } from "../../packages/core/src/syntax/faults/parser-differences.ts";
import { toAsciiHostName } from "../../packages/core/src/syntax/host.ts";
import { resolveReference } from "../../packages/core/src/syntax/reference.ts";
import { toSingleLine } from "../../packages/core/src/text/decode-bytes.ts";
import { parseHttpDate } from "../../packages/core/src/text/http-date.ts";
import { getFirstInvalidHeaderCharacter } from "../../packages/core/src/text/http-syntax.ts";
import { guessMediaType } from "../../packages/core/src/text/media-type.ts";
import { parseSingleRangeHeader } from "../../packages/core/src/text/parse-range-header.ts";
import { parseRetryAfterMs } from "../../packages/core/src/text/retry-after.ts";
import { formatContentDisposition } from "../../packages/gateway/src/http/response.ts";
import { escapePreformattedText } from "../../packages/gateway/src/pages/html.ts";
import { createBreadcrumbs, createLinkBuilder } from "../../packages/gateway/src/pages/link-builder.ts";
import {
  decodeFormValue,
  formatGatewayPath,
  parseGatewayPath,
} from "../../packages/gateway/src/request/gateway-path.ts";
import {
  parseGatewayPathOrProxiedUrl,
  parseSearchFormParameters,
} from "../../packages/gateway/src/request/request-url.ts";
import { createSearchUrl } from "../../packages/gateway/src/request/create-url-from-form-values.ts";
import { parseListDate } from "../../packages/scheme-ftp/src/listing/list-line-parser.ts";
import { parseMlsdLine, parseMlstReply } from "../../packages/scheme-ftp/src/listing/mlsd-format.ts";
import {
  parseFtpTimestamp,
  parsePassivePort,
  parsePwdReply,
} from "../../packages/scheme-ftp/src/session/reply.ts";
import { parseAskBlock } from "../../packages/scheme-gopher/src/gopher-plus/gopher-form.ts";
import { GopherAttributes } from "../../packages/scheme-gopher/src/gopher-plus/attributes.ts";
import { formatHeadersForTrace, parseHttpHeaders } from "../../packages/scheme-http/src/headers.ts";
import { parseChallenges } from "../../packages/scheme-http/src/request/challenge.ts";
import { parseTotalLengthOf416Response } from "../../packages/scheme-http/src/request/range.ts";
import {
  parseContentCodings,
  parseContentTypeAndLastModified,
} from "../../packages/scheme-http/src/response/response-head.ts";
import { findMailAddressFault } from "../../packages/scheme-others/src/mailto/addr-spec.ts";
import { isGroupNameOrWildmat } from "../../packages/scheme-others/src/news/grouppart.ts";
import { matchesWildmat } from "../../packages/scheme-others/src/news/news-servers.ts";
import { parseArticleHeaderFields } from "../../packages/scheme-others/src/nntp/article-header.ts";
import { parseMessageIds, parseRfc5322Date } from "../../packages/scheme-others/src/nntp/header-values.ts";
import { splitAndUnquoteTokens } from "../../packages/scheme-others/src/prospero/protocol/logical-lines.ts";
import {
  isProsperoAttributeLine,
  parseProsperoReplyLine,
} from "../../packages/scheme-others/src/prospero/protocol/reply-line.ts";
import { parseWaisSource } from "../../packages/scheme-others/src/wais/directory/source-description.ts";
import { decodeWpath } from "../../packages/scheme-others/src/wais/document/wpath.ts";

/** A parser of a text that a server or a stranger has written, or that a user has copied. */
export interface FuzzedTextParser {
  readonly name: string;
  /**
   * Sample texts that the fuzzed parser accepts. Fuzz inputs with a repeated pattern begin the repetition at each field
   * of a sample.
   */
  readonly samples: readonly string[];
  readonly parse: (text: string) => unknown;
}

const client = createClient({
  schemes: [ftp(), gopher(), http(), mailto(), news(), nntp(), prospero(), telnet(), wais()],
  limits: { maxUrlLength: Infinity },
});
const gatewayLinks = createLinkBuilder(client, false, "");
const anySyntax = createGenericSyntax();
const NO_LIMIT = { maxLength: Infinity };
const toBytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const createReply = (text: string) => ({ code: text.slice(0, 3), text, lines: [text] });
const createResponse = (name: string, text: string) =>
  ({ status: 200, reason: "", headers: { [name]: [text] } }) as never;

/** Parses a text as a URL in each mode, and computes all values of the parsed URL. Ignores syntax errors. */
function parseUrlCompletely(text: string): void {
  for (const mode of ["modern", "rfc1738"] as const) {
    for (const syntax of [
      (each: string) => client.parse(each),
      (each: string) => anySyntax.parse(each, { mode, ...NO_LIMIT }),
    ]) {
      try {
        const url = syntax(text);
        void [String(url), url.deviations, url.components(), JSON.stringify(url), url.fragment];
      } catch (error) {
        if (!(error instanceof UrlSyntaxError)) throw error;
        void String(error);
      }
    }
  }
}

const URL_SAMPLES = [
  "http://u:p@h.example:80/a/b?c=d#e",
  "ftp://u:p@h.example:21//etc/%2Fmotd;type=a",
  "gopher://h.example:70/00/a%09b%09+x",
  "mailto:a@b.example?subject=c",
  "news:1234@h.example",
  "nntp://h.example/a.b/12",
  "prospero://h.example:1525//p/a;b=c",
  "wais://h.example/d?w",
  "telnet://u:p@h.example:23/",
  "file:///C|/a/../b",
  "http://[::1%25eth0]:8080/",
  "http://?@h.example/",
  "x:joe:p@h",
];

/** The fuzzed parsers of texts. The decoders of `fuzz-targets.ts` read the bytes of whole replies. */
export const FUZZED_TEXT_PARSERS: readonly FuzzedTextParser[] = [
  { name: "URLs of every scheme", samples: URL_SAMPLES, parse: parseUrlCompletely },
  {
    name: "differences between URL parsers",
    samples: ["http://u:p@h.example:80/a?b#c"],
    parse: (text) => findParserDifferences(httpSyntax.parse(text, NO_LIMIT), 80),
  },
  {
    name: "relative references",
    samples: ["../a/./b?c#d", "//h.example/a/../b", ";x=y/.."],
    parse: (text) =>
      ["path-and-search", "path", undefined].map((hierarchy) =>
        resolveReference(httpSyntax.parse("http://h.example/a/b"), hierarchy as never, text),
      ),
  },
  { name: "host names", samples: ["b\u00fccher.example.", "xn--a-.example"], parse: toAsciiHostName },
  { name: "IP addresses", samples: ["192.0.2.1", "fe80::1%eth0", "::ffff:192.0.2.1"], parse: parseIpAddress },
  {
    name: "NO_PROXY and proxy variables",
    samples: ["h.example,.local,10.0.0.0/8,[::1]:80", "http://u:p@h:80/"],
    parse: (text) => [matchesNoProxy(text, "h.example"), matchesNoProxy(text, "::1"), completeProxyUrl(text)],
  },
  {
    name: "dates",
    samples: [
      "Sun, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
      "Nov 20 21:09",
      "11-20-26  09:09PM",
      "Fri, 20 Nov 2026 20:57:20 +0100 (CET)",
      "213 19991005213102.123",
    ],
    parse: (text) => [
      parseHttpDate(text),
      parseRfc5322Date(text),
      parseListDate(text, new Date(0)),
      parseFtpTimestamp(text),
      parseRetryAfterMs(text, text),
    ],
  },
  {
    name: "ranges",
    samples: ["bytes=0-99", "bytes=-5", "bytes */123"],
    parse: (text) => [
      parseSingleRangeHeader(text),
      parseTotalLengthOf416Response(createResponse("content-range", text)),
    ],
  },
  {
    name: "media types and content codings",
    samples: ['text/html; charset="utf-8"', "gzip, br", "a.tar.gz"],
    parse: (text) => [
      parseContentTypeAndLastModified(createResponse("content-type", text)),
      parseContentCodings(createResponse("content-encoding", text)),
      guessMediaType(text),
      getFirstInvalidHeaderCharacter(text),
    ],
  },
  {
    name: "HTTP headers",
    samples: ["name: value", "location: ftp://joe:p@h/", 'www-authenticate: Digest nonce="a", opaque=b'],
    parse(text) {
      for (const name of ["x", "www-authenticate", "location", "set-cookie"])
        formatHeadersForTrace([[name, text]]);
      return parseHttpHeaders([text]);
    },
  },
  {
    name: "challenges",
    samples: ['Basic realm="r", Digest realm="a\\"b", nonce=n, qop="auth"', "Negotiate YII==, X a = b"],
    parse: (text) => parseChallenges([text]),
  },
  {
    name: "integrity metadata",
    samples: ["sha256-AAAA== sha512-BBBB=?x"],
    parse: (text) => matchesIntegrity(new Uint8Array(), text),
  },
  {
    name: "server texts",
    samples: ["550 No such file (x): a/b.", "caf\u00e9 \u202e"],
    parse: (text) => [
      maskPossibleSecretsInServerText(text),
      toSingleLine(text),
      escapeControls(text),
      escapePreformattedText(text),
    ],
  },
  {
    name: "FTP replies and facts",
    samples: [
      '257 "/a""b" created',
      "227 Entering Passive Mode (127,0,0,1,4,5)",
      "229 Extended (|||6446|)",
      "type=file;size=1;modify=20261120205720; a b",
      "250-\n type=file; a",
    ],
    parse(text) {
      void [parsePwdReply(createReply(text)), parseMlsdLine(text), parseMlstReply(createReply(text))];
      return [parsePassivePort(createReply(`227${text}`)), parsePassivePort(createReply(`229${text}`))];
    },
  },
  {
    name: "Gopher+ forms",
    samples: ["Ask: Name\tJoe", "Choose: Colour?\tred\tgreen"],
    parse: (text) => [parseAskBlock([text]), parseAskBlock(text.split("\r\n"))],
  },
  {
    name: "Gopher+ attributes",
    samples: ["Admin: A B <a@b.example>", "Mod-Date: now <19930728120000>", "Text/html En_US: <.3k>"],
    parse(text) {
      const url = gopherSyntax.parse("gopher://h.example/0x");
      for (const lines of [[text], text.split("\r\n")]) {
        const blocks = ["+ADMIN", "+VIEWS", "+ABSTRACT"].map((name) => ({
          name,
          headerText: "",
          lines,
          menuItem: undefined,
        }));
        const attributes = new GopherAttributes(blocks, url);
        void [attributes.admin, attributes.views(), attributes.view({ accept: "text/*", language: "en" })];
      }
    },
  },
  {
    name: "news articles",
    samples: ["Subject: a\r\n b\r\nMessage-ID: <a@b>\r\n\r\n", "<a@b> <c@d>"],
    parse: (text) => [parseArticleHeaderFields(toBytes(text)), parseMessageIds(text)],
  },
  {
    name: "newsgroups and wildmats",
    samples: ["comp.lang.c", "comp.*,!comp.a?"],
    parse: (text) => [
      isGroupNameOrWildmat(text),
      matchesWildmat(text, "a*b,!*.c?"),
      matchesWildmat("a.b", text),
    ],
  },
  {
    name: "mail addresses",
    samples: ['"a \\"b"@c.example', "a.b@[1.2.3.4]", "a@b"],
    parse: (text) => findMailAddressFault(toBytes(text)),
  },
  {
    name: "Prospero lines",
    samples: ["LINK L FILE 'a b' INTERNET-D h ASCII a 0", "ATTRIBUTE LINK FIELD CONTENTS DATA 'x'"],
    parse: (text) => [
      splitAndUnquoteTokens(text),
      isProsperoAttributeLine(text),
      parseProsperoReplyLine(text),
    ],
  },
  {
    name: "WAIS descriptions and paths",
    samples: ['(:source :version 3 :ip-address "1.2.3.4" :description "a\\"b")', "1=a;2=b;3=0%20123%20/x;"],
    parse: (text) => [parseWaisSource(toBytes(text)), decodeWpath(text)],
  },
  {
    name: "paths, URLs and forms of the gateway",
    samples: [
      "/~raw+20/ftp/h.example/a/../%2e%2E",
      "/~page?url=http%3A%2F%2Fh%2Fa&x=y",
      "http://h.example/a?b'c",
      "http://127.0.0.1:8070/x",
    ],
    parse(text) {
      void [formatGatewayPath(text), parseGatewayPathOrProxiedUrl(text, ["http://127.0.0.1:8070"])];
      void [
        parseSearchFormParameters(text),
        decodeFormValue(text),
        formatContentDisposition("attachment", text),
      ];
      void createSearchUrl(`gopher://h/7${text}`, text);
      const { url } = client.tryParse(`http://h.example/${text}`);
      if (url) void createBreadcrumbs(url, client, gatewayLinks);
      return parseGatewayPath(text);
    },
  },
  {
    name: "the parsers of the command for URLs, passwords and file names",
    samples: ["joe:p@h.example/x", "www.h.example:80/a b", "../..\\-a.. .", "ftp://h/a;type=i#b"],
    parse(text) {
      void [
        maskPassword(text),
        guessUrl(text, BUILT_IN_SCHEME_NAMES),
        toSafeFileName(text),
        toSafeFileName(text, "win32"),
      ];
      void formatTextWithCaret(text, text.length >> 1, 3, 80);
      void toFtpDirectoryUrl(anySyntax.parse(`ftp://h/${text}`, NO_LIMIT));
      void new SafeTextDecoder().push(toBytes(text));
      return parseNewsServerList(text);
    },
  },
];
