import { readFile } from "node:fs/promises";
import { pollUntil } from "./poll.ts";

const patienceMs = 2000;

/** The text of a log, or nothing when the daemon has not created it yet. */
export async function readLog(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

/**
 * The entries of a log. A daemon may write its line a moment after the client has its answer, so this waits, at most
 * 2 s, until there are `atLeast` entries.
 */
export async function readEntries<Entry>(
  path: string,
  parse: (text: string) => Entry[],
  atLeast: number,
): Promise<Entry[]> {
  let entries: Entry[] = [];
  await pollUntil(async () => {
    entries = parse(await readLog(path));
    return entries.length >= atLeast;
  }, patienceMs);
  return entries;
}
