import { AccessError } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";

/** Returns the first `size` bytes of a source. Throws `incomplete` when the source ends before. */
export function fixedLengthSource(source: ByteSource, size: number): ByteSource {
  let left = size;
  return {
    async read(onChunk) {
      if (left === 0) return "end";
      let wantsMore = true;
      const state = await source.read((bytes) => {
        const chunk = bytes.subarray(0, left);
        left -= chunk.length;
        wantsMore = onChunk(chunk);
        return wantsMore && left > 0;
      });
      if (state === "end" && left > 0) {
        const reason = `the connection ended ${left} bytes before the ${size} that were announced`;
        throw new AccessError("incomplete", reason);
      }
      return left === 0 && wantsMore ? "end" : "more";
    },
    cancel: () => source.cancel(),
  };
}
