import type { Transform } from "node:stream";
import { AccessError, limitReached, type Limits, type OctetSource } from "@anyscheme/core";

/** Up to here a content may expand as it likes: a page of blanks is no bomb. */
const FREE_BYTES = 1_048_576;

/** What has gone into the first of several decoders. */
export interface DecodedSizes {
  encoded: number;
}

/**
 * A source whose octets are those of another, decoded. One piece at a time is handed to the decoder, and the next one when
 * nothing of it is left, so that neither side runs ahead of the reader.
 */
export function decoding(
  source: OctetSource,
  makeDecoder: (firstOctet: number) => Transform,
  limits: Limits,
  sizes: DecodedSizes,
  outermost: boolean,
): OctetSource {
  let decoder: Transform | undefined;
  let failure: unknown;
  let sourceEnded = false;
  let ended = false;
  let idle = true;
  let decodedBytes = 0;
  let wake = (): void => undefined;

  function start(octets: Uint8Array): Transform {
    const made = makeDecoder(octets[0] ?? 0);
    made
      .on("readable", () => wake())
      .on("end", () => {
        ended = true;
        wake();
      })
      .on("error", (cause: NodeJS.ErrnoException) => {
        failure ??= codingError(cause);
        wake();
      });
    return made;
  }

  async function feed(): Promise<void> {
    const state = await source.read((octets) => {
      // The decoder is chosen by the first octet there is.
      if (octets.length === 0) return true;
      if (outermost) sizes.encoded += octets.length;
      decoder ??= start(octets);
      idle = false;
      // The octets are lent, and the decoder works in another thread.
      decoder.write(new Uint8Array(octets), () => {
        idle = true;
        wake();
      });
      return false;
    });
    if (state !== "end") return;
    sourceEnded = true;
    // Content of no octets is the same in every coding.
    if (decoder) decoder.end();
    else ended = true;
  }

  function check(octets: number): void {
    decodedBytes += octets;
    if (decodedBytes > FREE_BYTES && decodedBytes > sizes.encoded * limits.maxDecodedRatio)
      throw limitReached("maxDecodedRatio", limits, "the content expands far too much when it is decoded");
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
        else if (idle && !sourceEnded) await feed();
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
