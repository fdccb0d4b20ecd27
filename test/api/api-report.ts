import { normalize } from "node:path";
import { format, resolveConfig } from "prettier";
import ts from "typescript";
import { type EntryPoint, repositoryFolder } from "../packaging/published-package-manifests.ts";
import { DeclarationResolver, type DeclarationOrigin, type ReadFileText } from "./declaration-files.ts";

/** An exported name of a package, and the declaration that the name refers to. */
interface ExportedName {
  readonly name: string;
  readonly origin: DeclarationOrigin;
}

const printer = ts.createPrinter({ removeComments: true });
const keyOf = (origin: DeclarationOrigin): string =>
  "module" in origin ? `${origin.module} ${origin.name}` : `${origin.file} ${origin.name}`;
const byName = (one: { name: string }, other: { name: string }): number =>
  one.name < other.name ? -1 : Number(one.name > other.name);

/**
 * Returns a page with the public API of a package. The page of the API lists the exported declarations by entry point,
 * and then the declarations that these use. Declarations are sorted by name and have no comments.
 */
export async function createApiReport(
  name: string,
  entries: readonly EntryPoint[],
  read: ReadFileText,
): Promise<string> {
  const modules = new DeclarationResolver(read);
  const offers = entries.map((entry) => ({
    entry: entry.name,
    offered: [...modules.listExports(normalize(entry.types))]
      .map(([name, origin]): ExportedName => ({ name, origin }))
      .toSorted(byName),
  }));
  const homes = chooseEntryPoints(offers);
  const lines = [`# What ${name} offers`, "", "Written by `pnpm api`; a test compares it with the build."];
  for (const { entry, offered } of offers) {
    lines.push("", `## ${entry}`, "");
    const own = offered.filter(({ origin }) => !("module" in origin) && homes.get(keyOf(origin)) === entry);
    lines.push(...formatCodeBlock(own.flatMap((each) => printDeclarations(modules, each))));
    lines.push(...listReexports(offered, entry, homes));
  }
  const hidden = listUnexportedDeclarations(
    modules,
    offers.flatMap(({ offered }) => offered.map(({ origin }) => origin)),
  );
  if (hidden.length > 0) {
    lines.push("", "## Not exported, but part of what is", "");
    lines.push(
      ...formatCodeBlock(
        hidden.flatMap((origin) => printDeclarations(modules, { name: origin.name, origin })),
      ),
    );
  }
  const options = await resolveConfig(`${repositoryFolder}api.md`);
  return format(`${lines.join("\n")}\n`, { ...options, parser: "markdown" });
}

/** Returns the entry point under which the page lists each declaration: the one with the fewest exports. */
function chooseEntryPoints(
  offers: readonly { entry: string; offered: readonly ExportedName[] }[],
): Map<string, string> {
  const homes = new Map<string, string>();
  for (const { entry, offered } of offers.toSorted(
    (one, other) => one.offered.length - other.offered.length,
  )) {
    for (const { origin } of offered) if (!homes.has(keyOf(origin))) homes.set(keyOf(origin), entry);
  }
  return homes;
}

function formatCodeBlock(texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : ["```ts", ...texts, "```"];
}

function printDeclarations(modules: DeclarationResolver, { name, origin }: ExportedName): string[] {
  if ("module" in origin) return [];
  const renamed = name === origin.name ? [] : [`// offered as ${name}`];
  return [
    ...renamed,
    ...modules
      .findDeclarations(origin.file, origin.name)
      .map((statement) =>
        printer
          .printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile())
          .replace(/^(?:export )?(?:declare )?/, ""),
      ),
  ];
}

/** Returns lines that name the exports of an entry point that the page lists under another entry point or package. */
function listReexports(
  offered: readonly ExportedName[],
  entry: string,
  homes: ReadonlyMap<string, string>,
): string[] {
  const places = new Map<string, string[]>();
  for (const { name, origin } of offered) {
    const place = "module" in origin ? origin.module : (homes.get(keyOf(origin)) ?? "");
    if (place !== entry) places.set(place, [...(places.get(place) ?? []), `\`${name}\``]);
  }
  return [...places].flatMap(([place, names]) => ["", `As in \`${place}\`: ${names.join(", ")}`]);
}

/** Returns the declarations that exported declarations use, and that no entry point exports. */
function listUnexportedDeclarations(
  modules: DeclarationResolver,
  offered: readonly DeclarationOrigin[],
): DeclarationOrigin[] {
  const seen = new Set(offered.map(keyOf));
  const hidden: DeclarationOrigin[] = [];
  const queue = [...offered];
  for (let origin = queue.pop(); origin; origin = queue.pop()) {
    if ("module" in origin) continue;
    const { file, name } = origin;
    const mentioned = modules
      .findDeclarations(file, name)
      .flatMap((statement) => modules.listReferencedOrigins(file, statement));
    for (const each of mentioned) {
      if ("module" in each || seen.has(keyOf(each))) continue;
      seen.add(keyOf(each));
      hidden.push(each);
      queue.push(each);
    }
  }
  return hidden.toSorted((one, other) => byName(one, other) || (keyOf(one) < keyOf(other) ? -1 : 1));
}
