import { AccessError, type AccessCode, type Limits } from "@anyscheme/core";
import { type ByteSource, serverText } from "@anyscheme/core/plugin";
import { latin1ToBytes, wordsOf } from "../charset.ts";

/** The error codes of Gopher+, section 2.3: not available, try again later, moved. */
const CODES: Readonly<Record<string, AccessCode>> = {
  "1": "not-found",
  "2": "unavailable",
  "3": "not-found",
};

/** The error that a Gopher+ reply of the sign "-" tells of: a code, who answers for it, and from the second line on the reason. */
export async function gopherPlusError(
  source: ByteSource,
  words: string,
  limits: Limits,
): Promise<AccessError> {
  const bytes = Buffer.concat([
    latin1ToBytes(words === "" ? "" : `${words}\n`),
    await collected(source, limits.maxReplyBytes),
  ]);
  const whole = bytes.toString("latin1").split(/\r?\n/);
  // A server that says how its error ends may end it with a dot all the same.
  const lines = whole.includes(".") ? whole.slice(0, whole.indexOf(".")) : whole;
  const [, code = "", who = ""] = /^\s*(\d+)?(.*)$/.exec(lines[0] ?? "") ?? [];
  const reason =
    wordsOf(latin1ToBytes(lines.slice(1).join(" "))) || wordsOf(latin1ToBytes(who)) || "no reason given";
  return new AccessError(CODES[code] ?? "unavailable", ["the server refuses: ", serverText(reason)]);
}

async function collected(source: ByteSource, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let left = maxBytes;
  const take = (bytes: Uint8Array): boolean => {
    parts.push(bytes.slice(0, left));
    left -= bytes.length;
    return left > 0;
  };
  // Servers have been seen to break off in the middle of an error: what they said so far tells more than how it ended.
  await source.read(take).catch(() => undefined);
  return Buffer.concat(parts);
}
