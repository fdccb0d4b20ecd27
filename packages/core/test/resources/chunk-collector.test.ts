import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChunkCollector } from "../../src/resources/content.ts";

/** Returns bytes whose values depend on their offsets. */
function bytesOf(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 7 + seed) % 251);
}

/** Collects chunks of these lengths. Returns the input and the collector. */
function gathered(lengths: readonly number[]): { readonly gathering: ChunkCollector; readonly all: Buffer } {
  const gathering = new ChunkCollector();
  const pieces = lengths.map(bytesOf);
  for (const piece of pieces) gathering.append(piece);
  return { gathering, all: Buffer.concat(pieces) };
}

describe("a gathering", () => {
  it.each<[what: string, lengths: number[]]>([
    ["nothing", []],
    ["an empty piece", [0]],
    ["one byte", [1]],
    ["a large piece", [65_536]],
    ["a small piece and a large one", [5, 196_609]],
    ["empty pieces between others", [0, 9, 0, 65_536, 0]],
  ])("puts together %s", (_, lengths) => {
    const { gathering, all } = gathered(lengths);
    expect(Buffer.compare(gathering.concat(), all)).toBe(0);
    expect(Buffer.compare(Buffer.concat(gathering.chunks()), all)).toBe(0);
  });

  it("puts together pieces of any length", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40_000), { maxLength: 12 }), (lengths) => {
        const { gathering, all } = gathered(lengths);
        const same = Buffer.compare(gathering.concat(), all) === 0;
        gathering.release();
        return same;
      }),
    );
  });

  it("copies added chunks, so that the caller can reuse its buffer", () => {
    const gathering = new ChunkCollector();
    const piece = Buffer.from("first");
    gathering.append(piece);
    piece.fill("x");
    expect(Buffer.from(gathering.concat()).toString()).toBe("first");
  });

  it.each([1000, 100_000])("gives %i bytes in an array of their own, untouched by later ones", (length) => {
    const { gathering, all } = gathered([length]);
    const whole = gathering.concat();
    gathering.release();
    gathered([400_000]);
    expect(Buffer.compare(whole, all)).toBe(0);
    expect(whole.buffer.byteLength).toBe(length);
  });

  it.each([1000, 100_000])(
    "gives pieces of which a Blob keeps what they are now: %i bytes",
    async (length) => {
      const { gathering, all } = gathered([length]);
      const blob = new Blob(gathering.chunks());
      gathering.release();
      gathered([400_000]);
      expect(Buffer.compare(new Uint8Array(await blob.arrayBuffer()), all)).toBe(0);
    },
  );

  it("begins anew after it was cleared", () => {
    const { gathering } = gathered([70_000]);
    gathering.release();
    expect(gathering.concat()).toHaveLength(0);
    gathering.append(Buffer.from("again"));
    expect(Buffer.from(gathering.concat()).toString()).toBe("again");
  });
});
