import { readFile } from "node:fs/promises";
import { pollUntilTrueOrTimeout } from "./poll-until.ts";

const logEntryTimeoutMs = 2000;

/** Returns the text of a log file, or an empty text when the file does not exist yet. */
export async function readLog(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

/**
 * Returns the entries of a server's log file. Waits at most 2 s for `atLeast` entries, because a daemon may write the
 * log after its response.
 */
export async function waitForLogEntries<Entry>(
  path: string,
  parse: (text: string) => Entry[],
  atLeast: number,
): Promise<Entry[]> {
  let entries: Entry[] = [];
  await pollUntilTrueOrTimeout(async () => {
    entries = parse(await readLog(path));
    return entries.length >= atLeast;
  }, logEntryTimeoutMs);
  return entries;
}
