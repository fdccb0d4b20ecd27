import { AccessError } from "../src/errors/access-error.ts";
import type { ByteSource } from "../src/scheme/context.ts";

/** A source of fixed bytes that records its use. */
export interface RecordingByteSource extends ByteSource {
  /** The number of bytes read so far. */
  readonly readBytes: number;
  readonly cancelled: boolean;
}

/**
 * Creates a source that returns the given chunks one by one. After the last chunk, the source ends regularly, fails, or
 * never ends.
 */
export function createRecordingByteSource(
  pieces: readonly Uint8Array[],
  end: "end" | "never" | Error = "end",
): RecordingByteSource {
  let next = 0;
  let given = 0;
  let giveUp: ((error: Error) => void) | undefined;
  let cancelled = false;
  return {
    get readBytes() {
      return given;
    },
    get cancelled() {
      return cancelled;
    },
    readChunks(take) {
      return new Promise((resolve, reject) => {
        const give = (): void => {
          while (next < pieces.length) {
            const piece = pieces[next++] ?? new Uint8Array(0);
            given += piece.length;
            // The reader owns the bytes that it receives, so the source passes a copy.
            if (!take(Buffer.from(piece))) return resolve("more");
          }
          if (end === "end") resolve("end");
          else if (end === "never") giveUp = reject;
          else reject(end);
        };
        try {
          give();
        } catch (error) {
          reject(error);
        }
      });
    },
    cancel() {
      cancelled = true;
      giveUp?.(new AccessError("aborted", "the source was cancelled"));
    },
  };
}
