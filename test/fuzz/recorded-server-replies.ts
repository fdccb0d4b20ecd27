import { readdirSync, readFileSync } from "node:fs";

const otherSchemesTestFolder = new URL("../../packages/scheme-others/test/", import.meta.url);
/** The maximum size in bytes of a recorded server message that the fuzz tests use. Longer messages are excluded. */
const MAX_MESSAGE_BYTES = 1_500;

/** Returns messages that were recorded from real servers, with one character per byte. */
export function readRecordedServerReplies(protocol: "nntp" | "prospero" | "wais"): string[] {
  const folder = new URL(`${protocol}/captures/`, otherSchemesTestFolder);
  const messages = readdirSync(folder)
    .toSorted()
    .flatMap((name) => readFileSync(new URL(name, folder), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as { dir: "C" | "S"; hex: string })
    .flatMap(({ dir, hex }) => (dir === "S" ? [Buffer.from(hex, "hex").toString("latin1")] : []));
  return [...new Set(messages)].filter(({ length }) => length > 0 && length <= MAX_MESSAGE_BYTES);
}
