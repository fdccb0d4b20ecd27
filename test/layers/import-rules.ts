/** The text of a source file, and its path relative to the root of the repository. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Matches an import of a module in any form. */
interface Import {
  readonly name: string;
  readonly typeOnly: boolean;
}

/** A rule for imports: its text, and a function that returns true for a file that violates the rule. */
interface Rule {
  readonly says: string;
  breaks(file: SourceFile, imports: readonly Import[]): boolean;
}

const NETWORK = /^(?:node:)?(?:net|tls|dgram|dns|dns\/promises|http|https|http2|inspector)$/;
/** Matches expressions that access a socket module without an import statement. `node:crypto` may be loaded on first use. */
const AMBIENT =
  /\b(?:process\.binding|process\??\.getBuiltinModule(?:\?\.)?\((?!"node:(?:crypto|url)"\))|createRequire|new (?:WebSocket|EventSource|XMLHttpRequest)\b|globalThis\.fetch|(?<![.\w#])fetch\()/;

const isSyntax = ({ path }: SourceFile): boolean => /\/(?:syntax\/[^/]+|syntax)\.ts$/.test(path);
const mayOpenSockets = ({ path }: SourceFile): boolean =>
  /^packages\/core\/src\/(?:network|testing)\//.test(path);
// The gateway may import only functions that open listening sockets.
const LISTENS = /^import \{ createServer(?:, type \w+)* \} from "node:http";$/m;
const mayListen = ({ path, text }: SourceFile): boolean =>
  path === "packages/gateway/src/http/http-server.ts" && LISTENS.test(text);
const isCompositionRoot = ({ path }: SourceFile): boolean =>
  /^packages\/(?:cli\/src\/client\/container-client|gateway\/src\/default-client)\.ts$/.test(path);
const MAX_LINES = 400;

export const IMPORT_RULES: readonly Rule[] = [
  {
    says: "only core/src/network opens sockets",
    breaks: (file, imports) =>
      !mayOpenSockets(file) &&
      (imports.some(({ name }) => NETWORK.test(name) && !(name === "node:http" && mayListen(file))) ||
        AMBIENT.test(file.text)),
  },
  {
    says: "a syntax imports only core's syntax",
    breaks: (file, imports) =>
      isSyntax(file) &&
      imports.some(
        ({ name }) =>
          name !== "@anyscheme/core/syntax" &&
          !/^\.\/(?:\w+\/)?[\w-]+\.ts$|^\.\.\/(?:options|syntax)\/[\w-]+\.ts$/.test(name),
      ),
  },
  {
    says: "only scheme-ftp imports basic-ftp, and only scheme-http undici",
    breaks: ({ path }, imports) =>
      imports.some(
        ({ name }) =>
          (name.startsWith("basic-ftp") && !path.startsWith("packages/scheme-ftp/")) ||
          (name.startsWith("undici") && !path.startsWith("packages/scheme-http/")),
      ),
  },
  {
    says: "tsyringe is imported at run time only by the composition roots",
    breaks: (file, imports) =>
      !isCompositionRoot(file) && imports.some(({ name, typeOnly }) => name === "tsyringe" && !typeOnly),
  },
  {
    says: "core imports no other package of the house, and a scheme only core",
    breaks: ({ path }, imports) => {
      const [, name = ""] = /^packages\/(core|scheme-[^/]+)\/src\//.exec(path) ?? [];
      const others = imports.filter((each) => /^(?:@anyscheme\/|anyscheme$)/.test(each.name));
      return (
        name !== "" && others.some((each) => name === "core" || !/^@anyscheme\/core(?:\/|$)/.test(each.name))
      );
    },
  },
  {
    says: "no package imports another by a relative path",
    breaks: ({ path }, imports) => {
      const depth = path.split("/").slice(path.startsWith("packages/") ? 3 : 2, -1).length;
      return imports.some(({ name }) => (name.match(/\.\.\//g) ?? []).length > depth);
    },
  },
  {
    says: "network, policy, io and syntax import nothing of the client",
    breaks: ({ path }, imports) =>
      /^packages\/core\/src\/(?:network|policy|io|syntax)\//.test(path) &&
      imports.some(({ name }) => name.includes("/client/")),
  },
  {
    says: "no junk-drawer names",
    breaks: ({ path }) => /\/(?:utils?|helpers?|misc|common)(?:\/|\.ts$)/.test(path),
  },
  { says: `no file above ${MAX_LINES} lines`, breaks: exceedsLineLimit },
];

/** Returns true when a text has more than 400 lines. */
export function exceedsLineLimit({ text }: SourceFile): boolean {
  return text.split("\n").length > MAX_LINES + 1;
}

/** Returns the violated rules as `path: rule`. */
export function findViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const imports = listImports(file.text);
    return IMPORT_RULES.filter((rule) => rule.breaks(file, imports)).map(
      ({ says }) => `${file.path}: ${says}`,
    );
  });
}

function listImports(text: string): Import[] {
  const statements = [
    ...text.matchAll(/^(?:import|export)\s+(type\s)?[^"';]*?from\s+["']([^"']+)["']/gm),
    ...text.matchAll(/^import\s+()["']([^"']+)["']/gm),
    ...text.matchAll(/\bimport\(\s*()["'`]([^"'`]+)["'`]/g),
    ...text.matchAll(/\brequire\(\s*()["'`]([^"'`]+)["'`]/g),
  ];
  return statements.map(([statement, type, name]) => ({
    name: name ?? "",
    typeOnly: type !== undefined && type !== "" ? true : importsOnlyTypes(statement),
  }));
}

/** Returns true when an import statement imports only types. */
function importsOnlyTypes(statement: string): boolean {
  const names = /\{([^}]*)\}/
    .exec(statement)?.[1]
    ?.split(",")
    .filter((name) => name.trim() !== "");
  return names !== undefined && names.length > 0 && names.every((name) => /^\s*type\s/.test(name));
}
