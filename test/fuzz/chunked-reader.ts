import type { SocketReader } from "@anyscheme/core/io";
import { puttingBack } from "../../packages/core/test/io/put-back.ts";

/** The part of a `SocketReader` that a decoder uses. */
export type Arriving = Pick<SocketReader, "read" | "unread" | "cancel">;

/** Bytes that arrive in these pieces, and take back what was not used. */
export function arriving(pieces: readonly Uint8Array[]): Arriving {
  return puttingBack(pieces);
}

/** All bytes of a source, one character each. */
export async function textOf(source: Pick<Arriving, "read">): Promise<string> {
  let text = "";
  const take = (bytes: Uint8Array): boolean => {
    text += Buffer.from(bytes).toString("latin1");
    return true;
  };
  while ((await source.read(take)) !== "end");
  return text;
}
