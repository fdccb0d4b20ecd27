import type { Transform } from "node:stream";
import { AccessError, type Limits } from "@anyscheme/core";
import { limitError, type ByteSource } from "@anyscheme/core/plugin";
import type { ReceivedBytes } from "./received-bytes.ts";

/** Up to here a content may expand as it likes: a page of blanks is no bomb. */
const FREE_BYTES = 1_048_576;

/** What a further frame counts for beside its bytes: that much work it is to make another decoder. */
const FRAME_BYTES = 4_096;

/** A decoder of Node.js. */
export type Decompressor = Transform & { readonly bytesWritten: number };

/** How a content coding is undone. */
export interface ContentCoding {
  readonly makeDecoder: (firstByte: number) => Decompressor;
  /** Whether a content may consist of several frames, each of which needs a decoder of its own. */
  readonly hasFrames?: boolean;
}

/**
 * A source whose bytes are those of another, decoded. One piece at a time is handed to the decoder, and the next one when
 * nothing of it is left, so that neither side runs ahead of the reader. The outermost of several decoders counts what it takes.
 */
export function decompress(
  source: ByteSource,
  { makeDecoder, hasFrames = false }: ContentCoding,
  limits: Limits,
  received: ReceivedBytes,
  outermost: boolean,
): ByteSource {
  let decoder: Decompressor | undefined;
  let frames = 0;
  let failure: unknown;
  let sourceEnded = false;
  let ended = false;
  let idle = true;
  /** Whether the coding has ended, and bytes follow it. */
  let isFollowed = false;
  let givenBytes = 0;
  let decodedBytes = 0;
  /** Bytes of the source that no decoder has taken. */
  let waiting: Uint8Array = new Uint8Array(0);
  let wake = (): void => undefined;

  function start(firstByte: number): Decompressor {
    if (frames++ > 0) received.addFraming(FRAME_BYTES);
    const made = makeDecoder(firstByte);
    made
      .on("readable", () => wake())
      .on("end", () => {
        end(made);
        wake();
      })
      .on("error", (cause: NodeJS.ErrnoException) => {
        failure ??= codingError(cause);
        wake();
      });
    givenBytes = 0;
    return made;
  }

  function end({ bytesWritten }: Decompressor): void {
    if (!isFollowed) ended = true;
    else if (hasFrames && bytesWritten > 0) decoder = undefined;
    else failure ??= new AccessError("protocol", "the server sent bytes after the end of the coded content");
    isFollowed = false;
  }

  async function feed(): Promise<void> {
    const state = waiting.length > 0 ? "more" : await source.read(hold);
    if (waiting.length > 0) return give(outermost ? received.takeForDecoder(waiting.length) : waiting.length);
    if (state !== "end") return;
    sourceEnded = true;
    // Content of no bytes is the same in every coding.
    if (decoder) decoder.end();
    else ended = true;
  }

  function hold(bytes: Uint8Array): boolean {
    // The bytes are lent, and the decoder works in another thread.
    waiting = new Uint8Array(bytes);
    return waiting.length === 0;
  }

  /** Hands so many of the bytes that wait to the decoder. */
  function give(count: number): void {
    const bytes = waiting.subarray(0, count);
    waiting = waiting.subarray(count);
    // The first byte tells the formats of `deflate` apart.
    const current = (decoder ??= start(bytes[0] ?? 0));
    givenBytes += count;
    idle = false;
    current.write(bytes, () => {
      idle = true;
      takeBack(bytes.subarray(count - (givenBytes - current.bytesWritten)));
      wake();
    });
  }

  /** A decoder leaves what follows the end of its coding. */
  function takeBack(left: Uint8Array): void {
    if (left.length === 0) return;
    isFollowed = true;
    if (outermost) received.returnFromDecoder(left.length);
    waiting = waiting.length === 0 ? left : Buffer.concat([left, waiting]);
  }

  function check(bytes: number): void {
    decodedBytes += bytes;
    if (decodedBytes > FREE_BYTES && decodedBytes > received.decodedInput * limits.maxDecodedRatio)
      throw limitError("maxDecodedRatio", limits, "the content expands far too much when it is decoded");
  }

  return {
    async read(take) {
      for (;;) {
        if (failure !== undefined) throw failure;
        const chunk = decoder?.read() as Uint8Array | null | undefined;
        if (chunk) {
          check(chunk.length);
          if (!take(chunk)) return "more";
        } else if (ended) return "end";
        else if (idle && !isFollowed && !sourceEnded) await feed();
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
    cancel() {
      failure ??= new AccessError("aborted", "the transfer was given up");
      source.cancel();
      decoder?.destroy();
      wake();
    },
  };
}

function codingError(cause: NodeJS.ErrnoException): AccessError {
  // The coding knows where its end is, and this is not it.
  if (cause.code === "Z_BUF_ERROR")
    return new AccessError("incomplete", "the coded content ended before it was complete", { cause });
  return new AccessError("protocol", "the content is not coded as the server says", { cause });
}
