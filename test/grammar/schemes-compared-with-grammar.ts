import {
  createGenericSyntax,
  type GenericUrl,
  type InternetUrl,
  type Syntax,
  type Url,
} from "@anyscheme/core/syntax";
import { ftpSyntax, type FtpUrl } from "@anyscheme/scheme-ftp/syntax";
import { gophersSyntax, gopherSyntax, type GopherUrl } from "@anyscheme/scheme-gopher/syntax";
import { httpsSyntax, httpSyntax, type HttpUrl } from "@anyscheme/scheme-http/syntax";
import {
  fileSyntax,
  type FileUrl,
  mailtoSyntax,
  type MailtoUrl,
  newsSyntax,
  type NewsUrl,
  nntpSyntax,
  type NntpUrl,
  prosperoSyntax,
  type ProsperoUrl,
  telnetSyntax,
  type TelnetUrl,
  waisSyntax,
  type WaisUrl,
} from "@anyscheme/scheme-others/syntax";

/** A part of a parsed URL: the text of a component with its production, or a delimiter between components. */
export type UrlPartOrDelimiter = string | readonly [production: string, text: string];

/** A scheme whose parser is compared with a production of RFC 1738 §5. */
export interface SchemeComparedWithGrammar {
  readonly production: string;
  readonly syntax: Syntax;
  /**
   * Returns the components and delimiters of a URL in order. The joined parts form the URL with its scheme name in
   * lower case.
   */
  splitIntoParts(url: Url): UrlPartOrDelimiter[];
}

export const SCHEMES_COMPARED_WITH_GRAMMAR: readonly SchemeComparedWithGrammar[] = [
  {
    production: "ftpurl",
    syntax: ftpSyntax,
    splitIntoParts: (url: FtpUrl) => [
      "ftp://",
      ...splitLogin(url),
      ...(url.name === undefined ? [] : splitFtpPath(url)),
    ],
  },
  {
    production: "httpurl",
    syntax: httpSyntax,
    splitIntoParts: (url: HttpUrl) => ["http://", ...splitLogin(url), ...splitHttpPath(url)],
  },
  {
    production: "httpsurl",
    syntax: httpsSyntax,
    splitIntoParts: (url: HttpUrl) => ["https://", ...splitLogin(url), ...splitHttpPath(url)],
  },
  {
    production: "gopherurl",
    syntax: gopherSyntax,
    splitIntoParts: (url: GopherUrl) => ["gopher://", ...splitLogin(url), ...splitGopherPath(url)],
  },
  {
    production: "gophersurl",
    syntax: gophersSyntax,
    splitIntoParts: (url: GopherUrl) => ["gophers://", ...splitLogin(url), ...splitGopherPath(url)],
  },
  {
    production: "fileurl",
    syntax: fileSyntax,
    splitIntoParts: ({ host, segments }: FileUrl) => [
      "file://",
      host === "" ? "" : ["host", host],
      ...listDelimitedComponents("/", "fsegment", segments),
    ],
  },
  {
    production: "mailtourl",
    syntax: mailtoSyntax,
    splitIntoParts: ({ address }: MailtoUrl) => ["mailto:", ["encoded822addr", address]],
  },
  {
    production: "newsurl",
    syntax: newsSyntax,
    splitIntoParts: ({ kind, group, article }: NewsUrl) => [
      kind === "all" ? "news:*" : "news:",
      ...listDelimitedComponents("", "group", [group]),
      ...listDelimitedComponents("", "article", [article]),
    ],
  },
  {
    production: "nntpurl",
    syntax: nntpSyntax,
    splitIntoParts: (url: NntpUrl) => [
      "nntp://",
      ...splitLogin(url),
      ...listDelimitedComponents("/", "group", [url.group]),
      ...listDelimitedComponents("/", "digits", [url.article]),
    ],
  },
  {
    production: "telneturl",
    syntax: telnetSyntax,
    splitIntoParts: (url: TelnetUrl) => [
      "telnet://",
      ...splitLogin(url),
      url.urlPath === undefined ? "" : "/",
    ],
  },
  {
    production: "waisurl",
    syntax: waisSyntax,
    splitIntoParts: (url: WaisUrl) => ["wais://", ...splitLogin(url), ...splitWaisPath(url)],
  },
  {
    production: "prosperourl",
    syntax: prosperoSyntax,
    splitIntoParts: (url: ProsperoUrl) => [
      "prospero://",
      ...splitLogin(url),
      ...listDelimitedComponents("/", "ppath", [url.hsoname]),
      ...url.fields.flatMap(([name, value]): UrlPartOrDelimiter[] => [
        ";",
        ["fieldname", name],
        "=",
        ["fieldvalue", value],
      ]),
    ],
  },
  {
    production: "genericurl",
    syntax: createGenericSyntax(),
    splitIntoParts: (url: GenericUrl) =>
      url.hasAuthority
        ? [
            ["scheme", url.scheme],
            "://",
            ...splitLogin(url),
            ...listDelimitedComponents("/", "urlpath", [url.urlPath]),
          ]
        : [["scheme", url.scheme], ":", ["schemepart", url.schemePart]],
  },
];

function splitLogin({ user, password, host, port }: InternetUrl): UrlPartOrDelimiter[] {
  const name: UrlPartOrDelimiter[] =
    user === undefined ? [] : [["user", user], ...listDelimitedComponents(":", "password", [password]), "@"];
  return [...name, ["host", host], ...listDelimitedComponents(":", "port", [port])];
}

/** Returns the URL components that are not `undefined`, each after its delimiter. */
function listDelimitedComponents(
  delimiter: string,
  production: string,
  texts: readonly (string | undefined)[],
): UrlPartOrDelimiter[] {
  return texts.flatMap((text): UrlPartOrDelimiter[] =>
    text === undefined ? [] : [delimiter, [production, text]],
  );
}

function splitFtpPath({ cwd, name, type }: FtpUrl): UrlPartOrDelimiter[] {
  return [
    ...listDelimitedComponents("/", "fsegment", [...cwd, name]),
    ...listDelimitedComponents(";type=", "ftptype", [type]),
  ];
}

function splitHttpPath({ path, search }: HttpUrl): UrlPartOrDelimiter[] {
  return [
    ...listDelimitedComponents("/", "hpath", [path]),
    ...listDelimitedComponents("?", "search", [search]),
  ];
}

// The search words of a Gopher URL are compared with the production `selector` instead of `search`, because "within the
// <gopher-path>, no characters are reserved" (§3.4.1). The grammar accepts the same Gopher URLs with the production
// `selector` and with `search`.
function splitGopherPath({ type, selector, search, plus, href }: GopherUrl): UrlPartOrDelimiter[] {
  // The parsed components of a gopher URL without a type are the same with and without the "/" after the host.
  if (type === undefined) return href.endsWith("/") ? ["/"] : [];
  return [
    ...listDelimitedComponents("/", "gtype", [type]),
    ...listDelimitedComponents("", "selector", [selector]),
    ...listDelimitedComponents("%09", "selector", [search]),
    ...listDelimitedComponents("%09", "gopher+_string", [plus]),
  ];
}

function splitWaisPath({ database, search, wtype, wpath }: WaisUrl): UrlPartOrDelimiter[] {
  return [
    ...listDelimitedComponents("/", "database", [database]),
    ...listDelimitedComponents("?", "search", [search]),
    ...listDelimitedComponents("/", "wtype", [wtype]),
    ...listDelimitedComponents("/", "wpath", [wpath]),
  ];
}
