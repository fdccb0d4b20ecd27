import { dirname, join } from "node:path";
import ts from "typescript";

/** The origin of a name: a declaration in a file of this package, or a module of another package. */
export type DeclarationOrigin =
  { readonly file: string; readonly name: string } | { readonly module: string; readonly name: string };

/** Returns the text of the file at a path. */
export type ReadFileText = (path: string) => string;

interface ParsedModule {
  readonly declared: ReadonlyMap<string, readonly ts.Statement[]>;
  /** The declarations to which the names imported by a declaration file refer, by name. */
  readonly imported: ReadonlyMap<string, DeclarationOrigin>;
  /** The declarations to which the exported names refer, except those of `export *`. */
  readonly exported: ReadonlyMap<string, DeclarationOrigin>;
  readonly stars: readonly string[];
}

/**
 * Finds the declarations that the names in the declaration files of a package refer to. The search for declarations
 * uses only TypeScript's syntax trees, and does not compute types.
 */
export class DeclarationResolver {
  readonly #read: ReadFileText;
  readonly #modules = new Map<string, ParsedModule>();

  constructor(read: ReadFileText) {
    this.#read = read;
  }

  /** Returns the origins of the names that a file exports, by name. */
  listExports(file: string): ReadonlyMap<string, DeclarationOrigin> {
    const { exported, stars } = this.#module(file);
    const found = new Map<string, DeclarationOrigin>();
    for (const star of stars) {
      if (isRelative(star))
        for (const [name, origin] of this.listExports(resolveDeclarationPath(file, star)))
          found.set(name, origin);
      else found.set(`* of ${star}`, { module: star, name: "*" });
    }
    for (const [name, origin] of exported) found.set(name, this.#followed(origin));
    return found;
  }

  /** Returns the statements of a file that declare a name. */
  findDeclarations(file: string, name: string): readonly ts.Statement[] {
    return this.#module(file).declared.get(name) ?? [];
  }

  /** Returns the origins of the names that a declaration refers to, except built-in names. */
  listReferencedOrigins(file: string, statement: ts.Statement): DeclarationOrigin[] {
    const { declared, imported } = this.#module(file);
    const found: DeclarationOrigin[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) && (node.parent as { name?: ts.Node }).name !== node) {
        const origin = imported.get(node.text);
        if (origin) found.push(this.#followed(origin));
        else if (declared.has(node.text)) found.push({ file, name: node.text });
      } else if (ts.isImportTypeNode(node)) {
        throw new Error(`${file} has an import in the middle of a type: ${node.getText()}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(statement);
    return found;
  }

  #followed(origin: DeclarationOrigin): DeclarationOrigin {
    if ("module" in origin) return origin;
    const { declared } = this.#module(origin.file);
    if (declared.has(origin.name)) return origin;
    const further = this.listExports(origin.file).get(origin.name);
    if (!further) throw new Error(`${origin.file} exports no ${origin.name}`);
    return further;
  }

  #module(file: string): ParsedModule {
    const known = this.#modules.get(file);
    if (known) return known;
    const module = parseModule(file, this.#read(file));
    this.#modules.set(file, module);
    return module;
  }
}

const isRelative = (specifier: string): boolean => specifier.startsWith(".");

function resolveDeclarationPath(file: string, specifier: string): string {
  return join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts"));
}

function parseModule(file: string, text: string): ParsedModule {
  const declared = new Map<string, ts.Statement[]>();
  const imported = new Map<string, DeclarationOrigin>();
  const exported = new Map<string, DeclarationOrigin>();
  const stars: string[] = [];
  const from = (specifier: ts.Expression, name: string): DeclarationOrigin => {
    const { text } = specifier as ts.StringLiteral;
    return isRelative(text) ? { file: resolveDeclarationPath(file, text), name } : { module: text, name };
  };
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const locals: [as: string, name: string][] = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      for (const [as, name] of listImportedNames(statement))
        imported.set(as, from(statement.moduleSpecifier, name));
    } else if (ts.isExportDeclaration(statement)) {
      const { exportClause: clause, moduleSpecifier: specifier } = statement;
      if (specifier && !clause) stars.push((specifier as ts.StringLiteral).text);
      if (!clause || !ts.isNamedExports(clause)) continue;
      for (const { name, propertyName } of clause.elements) {
        const original = (propertyName ?? name).text;
        if (specifier) exported.set(name.text, from(specifier, original));
        else locals.push([name.text, original]);
      }
    } else {
      for (const name of listDeclaredNames(statement)) {
        declared.set(name, [...(declared.get(name) ?? []), statement]);
        if (isExported(statement)) exported.set(name, { file, name });
      }
    }
  }
  for (const [as, name] of locals) exported.set(as, imported.get(name) ?? { file, name });
  return { declared, imported, exported, stars };
}

function listImportedNames({ importClause: clause }: ts.ImportDeclaration): [as: string, name: string][] {
  const names = clause?.namedBindings;
  const first: [string, string][] = clause?.name ? [[clause.name.text, "default"]] : [];
  if (!names) return first;
  if (ts.isNamespaceImport(names)) return [...first, [names.name.text, "*"]];
  return [
    ...first,
    ...names.elements.map(({ name, propertyName }): [string, string] => [
      name.text,
      (propertyName ?? name).text,
    ]),
  ];
}

function listDeclaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const { name } = statement as ts.Statement & { name?: ts.Node };
  return name ? [name.getText()] : [];
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}
