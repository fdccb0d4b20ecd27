import { AccessError } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";

/** The first `size` bytes of a source; whatever follows them is left. A source that ends before is an error. */
export function counted(source: ByteSource, size: number): ByteSource {
  let left = size;
  return {
    async read(take) {
      if (left === 0) return "end";
      let more = true;
      const state = await source.read((bytes) => {
        const piece = bytes.subarray(0, left);
        left -= piece.length;
        more = take(piece);
        return more && left > 0;
      });
      if (state === "end" && left > 0) {
        throw new AccessError(
          "incomplete",
          `the connection ended ${left} bytes before the ${size} that were announced`,
        );
      }
      return left === 0 && more ? "end" : "more";
    },
    cancel: () => source.cancel(),
  };
}
