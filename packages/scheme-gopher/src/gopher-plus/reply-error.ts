import { AccessError, type AccessCode, type Limits } from "@anyscheme/core";
import { type ByteSource, latin1ToBytes, serverText } from "@anyscheme/core/plugin";
import { toDisplayText } from "../response/charset.ts";

/** The error codes of Gopher+, section 2.3: not available, try again later, moved. */
const CODES: Readonly<Record<string, AccessCode>> = {
  "1": "not-found",
  "2": "unavailable",
  "3": "not-found",
};

/**
 * Reads a Gopher+ error reply and returns its error. The first line contains the code and the administrator, and
 * the next lines contain the reason. `message` is the text of the header line. If it is not empty, the function
 * parses `message` as the first line.
 */
export async function readReplyError(
  source: ByteSource,
  message: string,
  limits: Limits,
): Promise<AccessError> {
  const bytes = Buffer.concat([
    latin1ToBytes(message === "" ? "" : `${message}\n`),
    await readUpTo(source, limits.maxReplyBytes),
  ]);
  const all = bytes.toString("latin1").split(/\r?\n/);
  // Some servers send a final dot although the header announces an end by close.
  const lines = all.includes(".") ? all.slice(0, all.indexOf(".")) : all;
  const [, code = "", administrator = ""] = /^\s*(\d+)?(.*)$/.exec(lines[0] ?? "") ?? [];
  const toText = (latin1: string): string => toDisplayText(latin1ToBytes(latin1));
  const reason = toText(lines.slice(1).join(" ")) || toText(administrator) || "no reason given";
  return new AccessError(CODES[code] ?? "unavailable", ["the server refuses: ", serverText(reason)]);
}

async function readUpTo(source: ByteSource, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let left = maxBytes;
  const onChunk = (bytes: Uint8Array): boolean => {
    chunks.push(Uint8Array.from(bytes.subarray(0, left)));
    left -= bytes.length;
    return left > 0;
  };
  // Some servers reset the connection within an error. The received part of the reason is more useful than the reset.
  await source.read(onChunk).catch(() => undefined);
  return Buffer.concat(chunks);
}
