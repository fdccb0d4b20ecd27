import {
  genericSyntax,
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

/** A piece of a URL in the parser's result: a component with its production, or text between components. */
export type Piece = string | readonly [production: string, text: string];

/** A scheme whose parser is compared with a production of RFC 1738 §5. */
export interface ComparedScheme {
  readonly production: string;
  readonly syntax: Syntax;
  /** Returns the pieces whose concatenation is the URL. The scheme name is in lower case. */
  pieces(url: Url): Piece[];
}

export const SCHEMES: readonly ComparedScheme[] = [
  {
    production: "ftpurl",
    syntax: ftpSyntax,
    pieces: (url: FtpUrl) => ["ftp://", ...login(url), ...(url.name === undefined ? [] : ftpPath(url))],
  },
  {
    production: "httpurl",
    syntax: httpSyntax,
    pieces: (url: HttpUrl) => ["http://", ...login(url), ...httpPath(url)],
  },
  {
    production: "httpsurl",
    syntax: httpsSyntax,
    pieces: (url: HttpUrl) => ["https://", ...login(url), ...httpPath(url)],
  },
  {
    production: "gopherurl",
    syntax: gopherSyntax,
    pieces: (url: GopherUrl) => ["gopher://", ...login(url), ...gopherPath(url)],
  },
  {
    production: "gophersurl",
    syntax: gophersSyntax,
    pieces: (url: GopherUrl) => ["gophers://", ...login(url), ...gopherPath(url)],
  },
  {
    production: "fileurl",
    syntax: fileSyntax,
    pieces: ({ host, segments }: FileUrl) => [
      "file://",
      host === "" ? "" : ["host", host],
      ...behind("/", "fsegment", segments),
    ],
  },
  {
    production: "mailtourl",
    syntax: mailtoSyntax,
    pieces: ({ address }: MailtoUrl) => ["mailto:", ["encoded822addr", address]],
  },
  {
    production: "newsurl",
    syntax: newsSyntax,
    pieces: ({ kind, group, article }: NewsUrl) => [
      kind === "all" ? "news:*" : "news:",
      ...behind("", "group", [group]),
      ...behind("", "article", [article]),
    ],
  },
  {
    production: "nntpurl",
    syntax: nntpSyntax,
    pieces: (url: NntpUrl) => [
      "nntp://",
      ...login(url),
      ...behind("/", "group", [url.group]),
      ...behind("/", "digits", [url.article]),
    ],
  },
  {
    production: "telneturl",
    syntax: telnetSyntax,
    pieces: (url: TelnetUrl) => ["telnet://", ...login(url), url.urlPath === undefined ? "" : "/"],
  },
  {
    production: "waisurl",
    syntax: waisSyntax,
    pieces: (url: WaisUrl) => ["wais://", ...login(url), ...waisPath(url)],
  },
  {
    production: "prosperourl",
    syntax: prosperoSyntax,
    pieces: (url: ProsperoUrl) => [
      "prospero://",
      ...login(url),
      ...behind("/", "ppath", [url.hsoname]),
      ...url.fields.flatMap(([name, value]): Piece[] => [
        ";",
        ["fieldname", name],
        "=",
        ["fieldvalue", value],
      ]),
    ],
  },
  {
    production: "genericurl",
    syntax: genericSyntax(),
    pieces: (url: GenericUrl) =>
      url.hasAuthority
        ? [["scheme", url.scheme], "://", ...login(url), ...behind("/", "urlpath", [url.urlPath])]
        : [["scheme", url.scheme], ":", ["schemepart", url.schemePart]],
  },
];

function login({ user, password, host, port }: InternetUrl): Piece[] {
  const name: Piece[] =
    user === undefined ? [] : [["user", user], ...behind(":", "password", [password]), "@"];
  return [...name, ["host", host], ...behind(":", "port", [port])];
}

/** Returns the present components of one production, each after its delimiter. */
function behind(mark: string, production: string, texts: readonly (string | undefined)[]): Piece[] {
  return texts.flatMap((text): Piece[] => (text === undefined ? [] : [mark, [production, text]]));
}

function ftpPath({ cwd, name, type }: FtpUrl): Piece[] {
  return [...behind("/", "fsegment", [...cwd, name]), ...behind(";type=", "ftptype", [type])];
}

function httpPath({ path, search }: HttpUrl): Piece[] {
  return [...behind("/", "hpath", [path]), ...behind("?", "search", [search])];
}

// A search of gopher may contain what a `search` may not, because "within the <gopher-path>, no characters are
// reserved" (§3.4.1). The grammar accepts the same texts, because a selector may contain any character.
function gopherPath({ type, selector, search, plus, href }: GopherUrl): Piece[] {
  // Without a type no component shows whether the optional "/" was written.
  if (type === undefined) return href.endsWith("/") ? ["/"] : [];
  return [
    ...behind("/", "gtype", [type]),
    ...behind("", "selector", [selector]),
    ...behind("%09", "selector", [search]),
    ...behind("%09", "gopher+_string", [plus]),
  ];
}

function waisPath({ database, search, wtype, wpath }: WaisUrl): Piece[] {
  return [
    ...behind("/", "database", [database]),
    ...behind("?", "search", [search]),
    ...behind("/", "wtype", [wtype]),
    ...behind("/", "wpath", [wpath]),
  ];
}
