import { AccessError } from "../src/errors/access-error.ts";
import type { ByteSource } from "../src/scheme/content.ts";

/** A source of bytes that are known beforehand, and what became of it. */
export interface MadeSource extends ByteSource {
  /** Bytes given so far. */
  readonly given: number;
  readonly cancelled: boolean;
}

/** Gives the pieces one by one, then ends: well, with an error, or not at all. */
export function sourceOf(pieces: readonly Uint8Array[], end: "end" | "never" | Error = "end"): MadeSource {
  let next = 0;
  let given = 0;
  let giveUp: ((error: Error) => void) | undefined;
  let cancelled = false;
  return {
    get given() {
      return given;
    },
    get cancelled() {
      return cancelled;
    },
    read(take) {
      return new Promise((resolve, reject) => {
        const give = (): void => {
          while (next < pieces.length) {
            const piece = pieces[next++] ?? new Uint8Array(0);
            given += piece.length;
            // A Buffer, whose `slice` copies nothing, of memory that is used again: what was given is gone afterwards.
            const bytes = Buffer.from(piece);
            const more = take(bytes);
            bytes.fill(0x21);
            if (!more) return resolve("more");
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
