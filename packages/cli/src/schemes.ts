import type { Syntax } from "@anyscheme/core/syntax";
import type { DependencyContainer } from "tsyringe";

/** What the schemes of this command are told when they are registered. */
export interface SchemeSettings {
  /** The folder that file URLs are read from. */
  readonly fileRoot: string;
}

/** A package of schemes; nothing of it is loaded before it is needed. */
export interface SchemeRow {
  readonly names: readonly string[];
  readonly package: string;
  /** Loads the grammars, and nothing else. */
  syntaxes(): Promise<readonly Syntax[]>;
  /** Loads the package and registers its schemes; `undefined` where there is only the grammar. */
  register?(container: DependencyContainer, settings: SchemeSettings): Promise<void>;
}

/** A package whose schemes can be dereferenced. */
export type AccessRow = SchemeRow & Required<Pick<SchemeRow, "register">>;

export const SCHEMES: readonly SchemeRow[] = [
  {
    names: ["ftp"],
    package: "@anyscheme/scheme-ftp",
    syntaxes: async () => [(await import("@anyscheme/scheme-ftp/syntax")).ftpSyntax],
    register: async (container) => (await import("@anyscheme/scheme-ftp/register")).registerFtp(container),
  },
  {
    names: ["http", "https"],
    package: "@anyscheme/scheme-http",
    syntaxes: async () => {
      const { httpSyntax, httpsSyntax } = await import("@anyscheme/scheme-http/syntax");
      return [httpSyntax, httpsSyntax];
    },
    register: async (container) => (await import("@anyscheme/scheme-http/register")).registerHttp(container),
  },
  {
    names: ["gopher", "gophers"],
    package: "@anyscheme/scheme-gopher",
    syntaxes: async () => {
      const { gopherSyntax, gophersSyntax } = await import("@anyscheme/scheme-gopher/syntax");
      return [gopherSyntax, gophersSyntax];
    },
    register: async (container) =>
      (await import("@anyscheme/scheme-gopher/register")).registerGopher(container),
  },
  {
    names: ["file"],
    package: "@anyscheme/scheme-others",
    syntaxes: async () => [(await import("@anyscheme/scheme-others/file/syntax")).fileSyntax],
    register: async (container, { fileRoot }) =>
      (await import("@anyscheme/scheme-others/file/register")).registerFile(container, { root: fileRoot }),
  },
  {
    names: ["mailto"],
    package: "@anyscheme/scheme-others",
    syntaxes: async () => [(await import("@anyscheme/scheme-others/mailto/syntax")).mailtoSyntax],
  },
  {
    names: ["news"],
    package: "@anyscheme/scheme-others",
    syntaxes: async () => [(await import("@anyscheme/scheme-others/news/syntax")).newsSyntax],
  },
  {
    names: ["nntp"],
    package: "@anyscheme/scheme-others",
    syntaxes: async () => [(await import("@anyscheme/scheme-others/nntp/syntax")).nntpSyntax],
  },
  {
    names: ["telnet"],
    package: "@anyscheme/scheme-others",
    syntaxes: async () => [(await import("@anyscheme/scheme-others/telnet/syntax")).telnetSyntax],
  },
  {
    names: ["wais"],
    package: "@anyscheme/scheme-others",
    syntaxes: async () => [(await import("@anyscheme/scheme-others/wais/syntax")).waisSyntax],
  },
  {
    names: ["prospero"],
    package: "@anyscheme/scheme-others",
    syntaxes: async () => [(await import("@anyscheme/scheme-others/prospero/syntax")).prosperoSyntax],
  },
];

/** The rows whose schemes can be dereferenced. */
export const ACCESSIBLE: readonly AccessRow[] = SCHEMES.filter(isAccessible);

/** The row of the scheme that a text begins with, if it can be dereferenced; `undefined` for every other text. RFC 1738 §2.1. */
export function accessRowOf(text: string): AccessRow | undefined {
  const name = nameIn(text);
  return ACCESSIBLE.find(({ names }) => names.includes(name));
}

/** The grammar that reads a text: that of its scheme, or the generic one. */
export async function syntaxFor(text: string): Promise<Syntax> {
  const name = nameIn(text);
  const row = SCHEMES.find(({ names }) => names.includes(name));
  const own = (await row?.syntaxes())?.find(({ schemes }) => schemes.includes(name));
  return own ?? (await import("@anyscheme/core/syntax")).genericSyntax();
}

/** The grammars of all schemes. */
export async function allSyntaxes(): Promise<readonly Syntax[]> {
  return (await Promise.all(SCHEMES.map((row) => row.syntaxes()))).flat();
}

function nameIn(text: string): string {
  return text.slice(0, Math.max(0, text.indexOf(":"))).toLowerCase();
}

function isAccessible(row: SchemeRow): row is AccessRow {
  return row.register !== undefined;
}
