import { readdirSync, readFileSync } from "node:fs";

const packageTests = new URL("../../packages/scheme-others/test/", import.meta.url);
/** The maximum length of a sample. Longer captures are truncated. */
const LONGEST = 1_500;

/** Returns messages of real servers, one character per byte. */
export function captured(protocol: "nntp" | "prospero" | "wais"): string[] {
  const folder = new URL(`${protocol}/captures/`, packageTests);
  const messages = readdirSync(folder)
    .toSorted()
    .flatMap((name) => readFileSync(new URL(name, folder), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as { dir: "C" | "S"; hex: string })
    .flatMap(({ dir, hex }) => (dir === "S" ? [Buffer.from(hex, "hex").toString("latin1")] : []));
  return [...new Set(messages)].filter(({ length }) => length > 0 && length <= LONGEST);
}
