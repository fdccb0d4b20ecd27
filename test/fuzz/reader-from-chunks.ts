import type { SocketReader } from "@anyscheme/core/io";
import { createPushbackSource } from "../../packages/core/test/io/create-pushback-source.ts";

/** The methods of `SocketReader` that the decoders use. */
export type FakeSocketReader = Pick<SocketReader, "readChunks" | "unread" | "cancel">;

/** Creates a reader that yields the given chunks, and accepts unread bytes back. */
export function createReaderFromChunks(chunks: readonly Uint8Array[]): FakeSocketReader {
  return createPushbackSource(chunks);
}

/** Reads all bytes of a source, and returns one character per byte. */
export async function readAllAsLatin1(source: Pick<FakeSocketReader, "readChunks">): Promise<string> {
  let text = "";
  const append = (bytes: Uint8Array): boolean => {
    text += Buffer.from(bytes).toString("latin1");
    return true;
  };
  while ((await source.readChunks(append)) !== "end");
  return text;
}
