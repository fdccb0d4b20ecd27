import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  formatMultiLineDataBlock,
  numberArticles,
  type TestNewsgroup,
} from "../test-servers/number-and-format-articles.ts";

/** The folders of INN. */
export interface InnFolders {
  readonly db: string;
  readonly etc: string;
  readonly log: string;
  readonly run: string;
  readonly spool: string;
}

/** The name of the news server in the header fields `Path` and `Xref`. */
export const INN_PATH_HOST = "news.example.invalid";

/** Creates the folders of INN in a directory. */
export async function createInnFolders(directory: string): Promise<InnFolders> {
  const at = (name: string): string => join(directory, name);
  const folders = { db: at("db"), etc: at("etc"), log: at("log"), run: at("run"), spool: at("spool") };
  const below = ["articles", "overview", "incoming/tmp", "incoming/bad", "outgoing", "archive"];
  const all = [...Object.values(folders), ...below.map((name) => join(folders.spool, name))];
  for (const folder of all) await mkdir(folder, { recursive: true });
  return folders;
}

/** Writes articles in the format of innd (tradspool), and the lists of groups: active(5) and newsgroups(5). */
export async function writeInnSpool(
  { db, spool }: InnFolders,
  groups: Readonly<Record<string, TestNewsgroup>>,
): Promise<void> {
  const active: string[] = ["control 0000000000 0000000001 n", "junk 0000000000 0000000001 n"];
  const descriptions: string[] = [];
  for (const [name, group] of Object.entries(groups)) {
    const folder = join(spool, "articles", ...name.split("."));
    await mkdir(folder, { recursive: true });
    for (const { number, text } of numberArticles(name, group)) {
      const head = `Path: ${INN_PATH_HOST}!not-for-mail\r\nXref: ${INN_PATH_HOST} ${name}:${number}\r\n`;
      await writeFile(join(folder, String(number)), formatMultiLineDataBlock(head + text), "latin1");
    }
    active.push(`${name} ${String(group.articles.length).padStart(10, "0")} 0000000001 y`);
    if (group.description !== undefined) descriptions.push(`${name}\t${group.description}`);
  }
  await writeFile(join(db, "active"), joinLines(active));
  await writeFile(join(db, "newsgroups"), joinLines(descriptions));
}

function joinLines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
