import type { Inflow } from "@anyscheme/core/wire";
import { sourceOf } from "../../packages/core/test/source.ts";

/** What a decoder uses of an inflow. */
export type Arriving = Pick<Inflow, "read" | "unread" | "cancel">;

/** Octets that arrive in these pieces, and take back what was not used. The memory of a piece is used again for the next. */
export function arriving(pieces: readonly Uint8Array[]): Arriving {
  const source = sourceOf(pieces);
  const held: Uint8Array[] = [];
  return {
    read(take) {
      for (let octets = held.shift(); octets; octets = held.shift()) {
        if (!take(octets)) return Promise.resolve("more");
      }
      return source.read(take);
    },
    unread(octets) {
      if (octets.length > 0) held.unshift(Buffer.from(octets));
    },
    cancel: () => source.cancel(),
  };
}

/** All octets of a source, one character each. */
export async function textOf(source: Pick<Arriving, "read">): Promise<string> {
  let text = "";
  const take = (octets: Uint8Array): boolean => {
    text += Buffer.from(octets).toString("latin1");
    return true;
  };
  while ((await source.read(take)) !== "end");
  return text;
}
