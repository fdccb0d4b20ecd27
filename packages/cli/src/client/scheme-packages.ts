import type { Scheme } from "@anyscheme/core";
import type { GatewaysByScheme } from "@anyscheme/core/plugin";
import type { Syntax } from "@anyscheme/core/syntax";
import type { FtpOptions } from "@anyscheme/scheme-ftp";
import type { NewsServerSettings } from "@anyscheme/scheme-others/news";
import { extractSchemeName } from "../urls/guess-url.ts";

/** The settings with which the command creates the schemes. */
export interface SchemeCreationSettings {
  /** The root folder of `file:` URLs. */
  readonly fileRoot: string;
  readonly ftp?: FtpOptions | undefined;
  /** The trusted certificate authorities in PEM format, which replace those of Node.js. */
  readonly ca?: string | undefined;
  /** The time for which stored Gopher responses are used again, in milliseconds. Default 0. */
  readonly gopherCacheTtlMs?: number | undefined;
  /** The news servers. Default: the servers in the environment variable NNTPSERVER. */
  readonly newsServers?: readonly NewsServerSettings[] | undefined;
}

/**
 * A package, or a part of a package, that implements some schemes. Each module is loaded at its first use: the command
 * `parse` loads only the grammars of one part.
 */
export interface SchemePackage {
  readonly schemeNames: readonly string[];
  readonly packageName: string;
  /** Loads only the URL grammars of the schemes. */
  loadSyntaxes(): Promise<readonly Syntax[]>;
  /** Loads the package and creates its schemes. */
  createSchemes(settings: SchemeCreationSettings): Promise<readonly Scheme[]>;
}

export const SCHEME_PACKAGES: readonly SchemePackage[] = [
  {
    schemeNames: ["ftp"],
    packageName: "@anyscheme/scheme-ftp",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-ftp/syntax")).ftpSyntax],
    createSchemes: async ({ ftp, ca }) => [(await import("@anyscheme/scheme-ftp")).ftp({ ...ftp, ca })],
  },
  {
    schemeNames: ["http", "https"],
    packageName: "@anyscheme/scheme-http",
    async loadSyntaxes() {
      const { httpSyntax, httpsSyntax } = await import("@anyscheme/scheme-http/syntax");
      return [httpSyntax, httpsSyntax];
    },
    async createSchemes({ ca }) {
      const { http, https } = await import("@anyscheme/scheme-http");
      return [http(), https({ ca })];
    },
  },
  {
    schemeNames: ["gopher", "gophers"],
    packageName: "@anyscheme/scheme-gopher",
    async loadSyntaxes() {
      const { gopherSyntax, gophersSyntax } = await import("@anyscheme/scheme-gopher/syntax");
      return [gopherSyntax, gophersSyntax];
    },
    async createSchemes({ ca, gopherCacheTtlMs: cacheTtlMs }) {
      const { gopher, gophers } = await import("@anyscheme/scheme-gopher");
      return [gopher({ cacheTtlMs }), gophers({ ca, cacheTtlMs })];
    },
  },
  {
    schemeNames: ["file"],
    packageName: "@anyscheme/scheme-others",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-others/file/syntax")).fileSyntax],
    createSchemes: async ({ fileRoot }) => [
      (await import("@anyscheme/scheme-others/file")).file({ root: fileRoot }),
    ],
  },
  {
    schemeNames: ["mailto"],
    packageName: "@anyscheme/scheme-others",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-others/mailto/syntax")).mailtoSyntax],
    createSchemes: async () => [(await import("@anyscheme/scheme-others/mailto")).mailto()],
  },
  {
    schemeNames: ["news", "snews"],
    packageName: "@anyscheme/scheme-others",
    async loadSyntaxes() {
      const { newsSyntax, snewsSyntax } = await import("@anyscheme/scheme-others/news/syntax");
      return [newsSyntax, snewsSyntax];
    },
    async createSchemes(settings) {
      const { news, snews } = await import("@anyscheme/scheme-others/news");
      const options = { servers: await getNewsServersOrDefault(settings), ca: settings.ca };
      return [news(options), snews(options)];
    },
  },
  {
    schemeNames: ["nntp", "nntps"],
    packageName: "@anyscheme/scheme-others",
    async loadSyntaxes() {
      const { nntpsSyntax, nntpSyntax } = await import("@anyscheme/scheme-others/nntp/syntax");
      return [nntpSyntax, nntpsSyntax];
    },
    async createSchemes({ ca }) {
      const { nntp, nntps } = await import("@anyscheme/scheme-others/nntp");
      return [nntp({ ca }), nntps({ ca })];
    },
  },
  {
    schemeNames: ["telnet"],
    packageName: "@anyscheme/scheme-others",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-others/telnet/syntax")).telnetSyntax],
    async createSchemes() {
      const scheme = (await import("@anyscheme/scheme-others/telnet")).telnet();
      // The session of a user at a terminal has no idle timeout.
      return [{ ...scheme, limits: { ...scheme.limits, interactiveIdleTimeoutMs: Infinity } }];
    },
  },
  {
    schemeNames: ["wais"],
    packageName: "@anyscheme/scheme-others",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-others/wais/syntax")).waisSyntax],
    createSchemes: async () => [(await import("@anyscheme/scheme-others/wais")).wais()],
  },
  {
    schemeNames: ["prospero"],
    packageName: "@anyscheme/scheme-others",
    loadSyntaxes: async () => [(await import("@anyscheme/scheme-others/prospero/syntax")).prosperoSyntax],
    createSchemes: async () => [(await import("@anyscheme/scheme-others/prospero")).prospero()],
  },
];

/** The names of the schemes that the packages of the command implement. */
export const BUILT_IN_SCHEME_NAMES: readonly string[] = SCHEME_PACKAGES.flatMap(
  ({ schemeNames }) => schemeNames,
);

/**
 * Returns the news servers of the settings, or those of the environment variable NNTPSERVER. Throws an
 * `AccessError` with the code `unsupported` when NNTPSERVER is invalid.
 */
export async function getNewsServersOrDefault({
  newsServers,
}: Pick<SchemeCreationSettings, "newsServers">): Promise<readonly NewsServerSettings[]> {
  const { parseNewsServerList } = await import("../config/news-servers.ts");
  return newsServers ?? parseNewsServerList(process.env["NNTPSERVER"]);
}

/**
 * Returns the scheme packages for these URLs and for the URLs of the gateways. A URL with an unknown scheme
 * selects all packages.
 */
export function selectSchemePackagesForUrls(
  texts: readonly string[],
  gateways: GatewaysByScheme,
): readonly SchemePackage[] {
  const locators = Object.values(gateways).map((gateway) =>
    typeof gateway === "string" ? gateway : gateway.urlTemplate,
  );
  const selected = new Set([...texts, ...locators].map(findSchemePackageForUrl));
  return selected.has(undefined) ? SCHEME_PACKAGES : SCHEME_PACKAGES.filter((each) => selected.has(each));
}

export function findSchemePackageForUrl(text: string): SchemePackage | undefined {
  return SCHEME_PACKAGES.find(({ schemeNames }) => schemeNames.includes(extractSchemeName(text)));
}
