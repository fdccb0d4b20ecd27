import type { Scheme } from "@anyscheme/core";
import type { Syntax } from "@anyscheme/core/syntax";
import type { FtpOptions } from "@anyscheme/scheme-ftp";
import type { NewsServer } from "@anyscheme/scheme-others/news";

/** What the schemes of this command are told when they are made. */
export interface SchemeSettings {
  /** The folder that file URLs are read from. */
  readonly fileRoot: string;
  readonly ftp?: FtpOptions | undefined;
  /** Certificates that every scheme trusts instead of the built-in ones, in PEM. */
  readonly ca?: string | undefined;
  /** The servers that news are read from. Default: those of the environment variable NNTPSERVER. */
  readonly newsServers?: readonly NewsServer[] | undefined;
}

/** A package of schemes; nothing of it is loaded before it is needed. */
export interface SchemePackage {
  readonly names: readonly string[];
  readonly package: string;
  /** Loads the grammars, and nothing else. */
  loadSyntaxes(): Promise<readonly Syntax[]>;
  /** Loads the package and makes its schemes; `undefined` where there is only the grammar. */
  schemes?(settings: SchemeSettings): Promise<readonly Scheme[]>;
}

/** A package whose schemes can be dereferenced. */
export type AccessRow = SchemePackage & Required<Pick<SchemePackage, "schemes">>;

export const SCHEME_PACKAGES: readonly SchemePackage[] = [
  {
    names: ["ftp"],
    package: "@anyscheme/scheme-ftp",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-ftp/syntax")).ftpSyntax],
    schemes: async ({ ftp, ca }) => [(await import("@anyscheme/scheme-ftp")).ftp({ ...ftp, ca })],
  },
  {
    names: ["http", "https"],
    package: "@anyscheme/scheme-http",
    loadSyntaxes: async () => {
      const { httpSyntax, httpsSyntax } = await import("@anyscheme/scheme-http/syntax");
      return [httpSyntax, httpsSyntax];
    },
    async schemes({ ca }) {
      const { http, https } = await import("@anyscheme/scheme-http");
      return [http(), https({ ca })];
    },
  },
  {
    names: ["gopher", "gophers"],
    package: "@anyscheme/scheme-gopher",
    loadSyntaxes: async () => {
      const { gopherSyntax, gophersSyntax } = await import("@anyscheme/scheme-gopher/syntax");
      return [gopherSyntax, gophersSyntax];
    },
    async schemes({ ca }) {
      const { gopher, gophers } = await import("@anyscheme/scheme-gopher");
      return [gopher(), gophers({ ca })];
    },
  },
  {
    names: ["file"],
    package: "@anyscheme/scheme-others",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-others/file/syntax")).fileSyntax],
    schemes: async ({ fileRoot }) => [
      (await import("@anyscheme/scheme-others/file")).file({ root: fileRoot }),
    ],
  },
  {
    names: ["mailto"],
    package: "@anyscheme/scheme-others",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-others/mailto/syntax")).mailtoSyntax],
    schemes: async () => [(await import("@anyscheme/scheme-others/mailto")).mailto()],
  },
  {
    names: ["news"],
    package: "@anyscheme/scheme-others",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-others/news/syntax")).newsSyntax],
    async schemes(settings) {
      const { news } = await import("@anyscheme/scheme-others/news");
      return [news({ servers: await newsServersOrDefault(settings), ca: settings.ca })];
    },
  },
  {
    names: ["nntp", "nntps"],
    package: "@anyscheme/scheme-others",
    loadSyntaxes: async () => {
      const { nntpsSyntax, nntpSyntax } = await import("@anyscheme/scheme-others/nntp/syntax");
      return [nntpSyntax, nntpsSyntax];
    },
    async schemes({ ca }) {
      const { nntp, nntps } = await import("@anyscheme/scheme-others/nntp");
      return [nntp({ ca }), nntps({ ca })];
    },
  },
  {
    names: ["telnet"],
    package: "@anyscheme/scheme-others",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-others/telnet/syntax")).telnetSyntax],
    schemes: async () => [(await import("@anyscheme/scheme-others/telnet")).telnet()],
  },
  {
    names: ["wais"],
    package: "@anyscheme/scheme-others",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-others/wais/syntax")).waisSyntax],
    schemes: async () => [(await import("@anyscheme/scheme-others/wais")).wais()],
  },
  {
    names: ["prospero"],
    package: "@anyscheme/scheme-others",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-others/prospero/syntax")).prosperoSyntax],
    schemes: async () => [(await import("@anyscheme/scheme-others/prospero")).prospero()],
  },
];

/** The servers that news are read from. Throws `unsupported` when the environment variable NNTPSERVER names none. */
export async function newsServersOrDefault({
  newsServers,
}: Pick<SchemeSettings, "newsServers">): Promise<readonly NewsServer[]> {
  const { parseNewsServerList: newsServersOf } = await import("../config/news-servers.ts");
  return newsServers ?? newsServersOf(process.env["NNTPSERVER"]);
}

/** The rows whose schemes can be dereferenced. */
export const ACCESSIBLE: readonly AccessRow[] = SCHEME_PACKAGES.filter(isAccessible);

/** The row of the scheme that a text begins with, if it can be dereferenced; `undefined` for every other text. RFC 1738 §2.1. */
export function findSchemePackage(text: string): AccessRow | undefined {
  const name = schemeNameOf(text);
  return ACCESSIBLE.find(({ names }) => names.includes(name));
}

/** The grammar that reads a text: that of its scheme, or the generic one. */
export async function loadSyntaxFor(text: string): Promise<Syntax> {
  const name = schemeNameOf(text);
  const row = SCHEME_PACKAGES.find(({ names }) => names.includes(name));
  const own = (await row?.loadSyntaxes())?.find(({ schemes }) => schemes.includes(name));
  return own ?? (await import("@anyscheme/core/syntax")).genericSyntax();
}

/** The grammars of all schemes. */
export async function loadAllSyntaxes(): Promise<readonly Syntax[]> {
  return (await Promise.all(SCHEME_PACKAGES.map((row) => row.loadSyntaxes()))).flat();
}

function schemeNameOf(text: string): string {
  return text.slice(0, Math.max(0, text.indexOf(":"))).toLowerCase();
}

function isAccessible(row: SchemePackage): row is AccessRow {
  return row.schemes !== undefined;
}
