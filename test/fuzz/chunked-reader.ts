import type { SocketReader } from "@anyscheme/core/io";
import { createSourceWithUnread } from "../../packages/core/test/io/put-back.ts";

/** The part of a `SocketReader` that a decoder uses. */
export type Arriving = Pick<SocketReader, "read" | "unread" | "cancel">;

/** Returns a reader for these chunks. The reader accepts unread bytes back. */
export function arriving(pieces: readonly Uint8Array[]): Arriving {
  return createSourceWithUnread(pieces);
}

/** Returns all bytes of a source, one character per byte. */
export async function textOf(source: Pick<Arriving, "read">): Promise<string> {
  let text = "";
  const take = (bytes: Uint8Array): boolean => {
    text += Buffer.from(bytes).toString("latin1");
    return true;
  };
  while ((await source.read(take)) !== "end");
  return text;
}
