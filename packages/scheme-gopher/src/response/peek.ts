import type { SocketReader } from "@anyscheme/core/io";

/** The result of parsing the first bytes of a response, and the number of bytes used. */
export interface PrefixMatch<T> {
  readonly value: T;
  readonly length: number;
}

/**
 * Parses the bytes received so far. Returns `undefined` if the parser needs more bytes, which is invalid when
 * `ended` is true.
 */
export type PrefixParser<T> = (bytes: Uint8Array, ended: boolean) => PrefixMatch<T> | undefined;

const EMPTY = new Uint8Array(0);

/** Reads the part of a response that `parse` needs. Returns unused bytes to the reader. */
export async function readPrefix<T>(reader: SocketReader, parse: PrefixParser<T>): Promise<T> {
  let bytes: Uint8Array = EMPTY;
  let match: PrefixMatch<T> | undefined;
  const onChunk = (chunk: Uint8Array, ended: boolean): boolean => {
    const all = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    match = parse(all, ended);
    // A chunk is valid only during this call, so the bytes are copied.
    if (match) reader.unread(all.subarray(match.length));
    else bytes = Buffer.from(all);
    return match === undefined;
  };
  const state = await reader.read((chunk) => onChunk(chunk, false));
  if (state === "end" && !match) onChunk(EMPTY, true);
  if (!match) throw new Error("the parser asks for more bytes after the end");
  return match.value;
}
