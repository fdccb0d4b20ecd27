import { normalize } from "node:path";
import { format, resolveConfig } from "prettier";
import ts from "typescript";
import { type EntryPoint, repositoryFolder } from "../packaging/published.ts";
import { Modules, type Origin, type Read } from "./modules.ts";

/** A name that a package offers, and what it stands for. */
interface Offered {
  readonly name: string;
  readonly origin: Origin;
}

const printer = ts.createPrinter({ removeComments: true });
const keyOf = (origin: Origin): string =>
  "module" in origin ? `${origin.module} ${origin.name}` : `${origin.file} ${origin.name}`;
const byName = (one: { name: string }, other: { name: string }): number =>
  one.name < other.name ? -1 : Number(one.name > other.name);

/**
 * Returns the public API of a package as a page. Each entry point has its exported declarations; the declarations
 * that these use follow at the end. The page has no comments and is sorted by name.
 */
export async function apiReport(name: string, entries: readonly EntryPoint[], read: Read): Promise<string> {
  const modules = new Modules(read);
  const offers = entries.map((entry) => ({
    entry: entry.name,
    offered: [...modules.exportsOf(normalize(entry.types))]
      .map(([name, origin]): Offered => ({ name, origin }))
      .toSorted(byName),
  }));
  const homes = homesOf(offers);
  const lines = [`# What ${name} offers`, "", "Written by `pnpm api`; a test compares it with the build."];
  for (const { entry, offered } of offers) {
    lines.push("", `## ${entry}`, "");
    const own = offered.filter(({ origin }) => !("module" in origin) && homes.get(keyOf(origin)) === entry);
    lines.push(...fenced(own.flatMap((each) => textsOf(modules, each))));
    lines.push(...elsewhere(offered, entry, homes));
  }
  const hidden = hiddenIn(
    modules,
    offers.flatMap(({ offered }) => offered.map(({ origin }) => origin)),
  );
  if (hidden.length > 0) {
    lines.push("", "## Not exported, but part of what is", "");
    lines.push(...fenced(hidden.flatMap((origin) => textsOf(modules, { name: origin.name, origin }))));
  }
  const options = await resolveConfig(`${repositoryFolder}api.md`);
  return format(`${lines.join("\n")}\n`, { ...options, parser: "markdown" });
}

/** The entry point under which each declaration is shown: the one that offers least besides. */
function homesOf(offers: readonly { entry: string; offered: readonly Offered[] }[]): Map<string, string> {
  const homes = new Map<string, string>();
  for (const { entry, offered } of offers.toSorted(
    (one, other) => one.offered.length - other.offered.length,
  )) {
    for (const { origin } of offered) if (!homes.has(keyOf(origin))) homes.set(keyOf(origin), entry);
  }
  return homes;
}

function fenced(texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : ["```ts", ...texts, "```"];
}

function textsOf(modules: Modules, { name, origin }: Offered): string[] {
  if ("module" in origin) return [];
  const renamed = name === origin.name ? [] : [`// offered as ${name}`];
  return [
    ...renamed,
    ...modules
      .declarationsOf(origin.file, origin.name)
      .map((statement) =>
        printer
          .printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile())
          .replace(/^(?:export )?(?:declare )?/, ""),
      ),
  ];
}

/** The exports of an entry point that another entry point or package declares. */
function elsewhere(offered: readonly Offered[], entry: string, homes: ReadonlyMap<string, string>): string[] {
  const places = new Map<string, string[]>();
  for (const { name, origin } of offered) {
    const place = "module" in origin ? origin.module : (homes.get(keyOf(origin)) ?? "");
    if (place !== entry) places.set(place, [...(places.get(place) ?? []), `\`${name}\``]);
  }
  return [...places].flatMap(([place, names]) => ["", `As in \`${place}\`: ${names.join(", ")}`]);
}

/** Declarations that are offered by no name, but that offered ones are made of. */
function hiddenIn(modules: Modules, offered: readonly Origin[]): Origin[] {
  const seen = new Set(offered.map(keyOf));
  const hidden: Origin[] = [];
  const queue = [...offered];
  for (let origin = queue.pop(); origin; origin = queue.pop()) {
    if ("module" in origin) continue;
    const { file, name } = origin;
    const mentioned = modules
      .declarationsOf(file, name)
      .flatMap((statement) => modules.mentionedIn(file, statement));
    for (const each of mentioned) {
      if ("module" in each || seen.has(keyOf(each))) continue;
      seen.add(keyOf(each));
      hidden.push(each);
      queue.push(each);
    }
  }
  return hidden.toSorted((one, other) => byName(one, other) || (keyOf(one) < keyOf(other) ? -1 : 1));
}
