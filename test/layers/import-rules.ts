/** The text of a source file, and its path relative to the root of the repository. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** An import of a module in any form. */
interface ModuleImport {
  readonly name: string;
  readonly typeOnly: boolean;
}

/** A rule for imports: its text, and a function that returns true for a file that violates the rule. */
interface ImportRule {
  readonly description: string;
  isViolatedBy(file: SourceFile, imports: readonly ModuleImport[]): boolean;
}

const SOCKET_MODULE = /^(?:node:)?(?:net|tls|dgram|dns|dns\/promises|http|https|http2|inspector)$/;
/**
 * Matches expressions that access a socket module without an import statement. `process.getBuiltinModule` may load
 * `node:crypto`, `node:sqlite` and `node:url`, which open no sockets.
 */
const SOCKET_ACCESS_WITHOUT_IMPORT =
  /\b(?:process\.binding|process\??\.getBuiltinModule(?:\?\.)?\((?!"node:(?:crypto|sqlite|url)"\))|createRequire|new (?:WebSocket|EventSource|XMLHttpRequest)\b|globalThis\.fetch|(?<![.\w#])fetch\()/;

const isSyntax = ({ path }: SourceFile): boolean => /\/(?:syntax\/[^/]+|syntax)\.ts$/.test(path);
const mayOpenSockets = ({ path }: SourceFile): boolean =>
  /^packages\/core\/src\/(?:network|testing)\//.test(path);
// The gateway may import only functions that open listening sockets.
const CREATE_SERVER_IMPORT = /^import \{ createServer(?:, type \w+)* \} from "node:http";$/m;
const mayOpenListeningSockets = ({ path, text }: SourceFile): boolean =>
  path === "packages/gateway/src/http/http-server.ts" && CREATE_SERVER_IMPORT.test(text);
const isCompositionRoot = ({ path }: SourceFile): boolean =>
  /^packages\/(?:cli\/src\/client\/dependency-container-client|gateway\/src\/default-client)\.ts$/.test(path);
const MAX_LINES_PER_FILE = 400;

/**
 * The folders of `packages/core/src` by layer, the lowest layer first. A folder of `packages/core/src` imports values
 * only from lower layers.
 */
export const CORE_LAYERS: readonly (readonly string[])[] = [
  ["options"],
  ["text", "syntax"],
  ["errors", "extract"],
  ["policy", "scheme"],
  ["io", "network"],
  ["cache", "resources"],
  ["client"],
  ["http-agent", "testing"],
];

/** Returns the layer of a folder of core, and `Infinity` for the entry points. */
function findCoreLayer(folder: string | undefined): number {
  const layer = CORE_LAYERS.findIndex((folders) => folders.includes(folder ?? ""));
  return layer < 0 ? Infinity : layer;
}

/** Returns the folder of `packages/core/src` that contains an imported module. */
function findImportedCoreFolder(path: string, name: string): string | undefined {
  const { pathname } = new URL(name, `file:///${path}`);
  return /^\/packages\/core\/src\/([^/]+)\//.exec(pathname)?.[1];
}

export const IMPORT_RULES: readonly ImportRule[] = [
  {
    description: "only core/src/network opens sockets",
    isViolatedBy: (file, imports) =>
      !mayOpenSockets(file) &&
      (imports.some(
        ({ name }) => SOCKET_MODULE.test(name) && !(name === "node:http" && mayOpenListeningSockets(file)),
      ) ||
        SOCKET_ACCESS_WITHOUT_IMPORT.test(file.text)),
  },
  {
    description: "a syntax imports only core's syntax",
    isViolatedBy: (file, imports) =>
      isSyntax(file) &&
      imports.some(
        ({ name }) =>
          name !== "@anyscheme/core/syntax" &&
          !/^\.\/(?:\w+\/)?[\w-]+\.ts$|^\.\.\/(?:options|syntax)\/[\w-]+\.ts$/.test(name),
      ),
  },
  {
    description: "only scheme-ftp imports basic-ftp, and only the package undici imports undici",
    isViolatedBy: ({ path }, imports) =>
      imports.some(
        ({ name }) =>
          (name.startsWith("basic-ftp") && !path.startsWith("packages/scheme-ftp/")) ||
          (name.startsWith("undici") && !path.startsWith("packages/undici/")),
      ),
  },
  {
    description: "tsyringe is imported at run time only by the composition roots",
    isViolatedBy: (file, imports) =>
      !isCompositionRoot(file) && imports.some(({ name, typeOnly }) => name === "tsyringe" && !typeOnly),
  },
  {
    description:
      "core imports no other package of this repository, and a scheme package or undici imports only core",
    isViolatedBy: ({ path }, imports) => {
      const [, name = ""] = /^packages\/(core|scheme-[^/]+|undici)\/src\//.exec(path) ?? [];
      const others = imports.filter((each) => /^(?:@anyscheme\/|anyscheme$)/.test(each.name));
      return (
        name !== "" && others.some((each) => name === "core" || !/^@anyscheme\/core(?:\/|$)/.test(each.name))
      );
    },
  },
  {
    description: "no package imports another by a relative path",
    isViolatedBy: ({ path }, imports) => {
      const depth = path.split("/").slice(path.startsWith("packages/") ? 3 : 2, -1).length;
      return imports.some(({ name }) => (name.match(/\.\.\//g) ?? []).length > depth);
    },
  },
  {
    description: "network, policy, io and syntax import no module of core/src/client",
    isViolatedBy: ({ path }, imports) =>
      /^packages\/core\/src\/(?:network|policy|io|syntax)\//.test(path) &&
      imports.some(({ name }) => name.includes("/client/")),
  },
  {
    description: "a folder of core imports values only from lower layers",
    isViolatedBy: ({ path }, imports) => {
      const [, folder] = /^packages\/core\/src\/([^/]+)\//.exec(path) ?? [];
      if (folder === undefined) return false;
      return imports.some(({ name, typeOnly }) => {
        if (typeOnly || !name.startsWith(".")) return false;
        const imported = findImportedCoreFolder(path, name);
        return imported !== folder && findCoreLayer(imported) >= findCoreLayer(folder);
      });
    },
  },
  {
    description: "no junk-drawer names",
    isViolatedBy: ({ path }) => /\/(?:utils?|helpers?|misc|common)(?:\/|\.ts$)/.test(path),
  },
  { description: `no file has more than ${MAX_LINES_PER_FILE} lines`, isViolatedBy: isSourceFileTooLong },
];

/** Returns true when a source file has more than 400 lines. */
export function isSourceFileTooLong({ text }: SourceFile): boolean {
  return text.split("\n").length > MAX_LINES_PER_FILE + 1;
}

/** Returns the violated import rules as `path: rule`. */
export function findImportRuleViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const imports = listImports(file.text);
    return IMPORT_RULES.filter((rule) => rule.isViolatedBy(file, imports)).map(
      ({ description: says }) => `${file.path}: ${says}`,
    );
  });
}

function listImports(text: string): ModuleImport[] {
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
