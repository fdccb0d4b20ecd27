import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChunkList } from "../../src/io/chunk-list.ts";

function createList(sizes: readonly number[]): { list: ChunkList; bytes: Buffer } {
  const list = new ChunkList();
  const chunks = sizes.map((size, index) => new Uint8Array(size).fill(index));
  for (const chunk of chunks) list.push(chunk);
  return { list, bytes: Buffer.concat(chunks) };
}

describe("ChunkList", () => {
  it.each<[string, readonly number[], number]>([
    ["no chunk", [], 0],
    ["one small chunk", [1], 1],
    ["255 small chunks", Array<number>(255).fill(1), 255],
    ["256 small chunks", Array<number>(256).fill(1), 1],
    ["10 000 small chunks", Array<number>(10_000).fill(1), 39 + 16],
    ["256 large chunks", Array<number>(256).fill(4096), 256],
    [
      "a large chunk between 255 and 256 small chunks",
      [...Array<number>(255).fill(9), 4096, ...Array<number>(256).fill(9)],
      257,
    ],
  ])("ChunkList returns the bytes in order for %s", (_, sizes, expectedCount) => {
    const { list, bytes } = createList(sizes);
    expect(list.byteLength).toBe(bytes.length);
    const chunks = list.takeAll();
    expect(chunks).toHaveLength(expectedCount);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    expect([list.byteLength, list.takeAll()]).toEqual([0, []]);
  });

  it("ChunkList keeps a large part of a buffer without a copy, and copies a small part", () => {
    const buffer = Buffer.from(new ArrayBuffer(65_536));
    const list = new ChunkList();
    list.push(buffer.subarray(0, 40_000));
    list.push(buffer.subarray(40_000, 50_000));
    expect(list.takeAll().map((chunk) => chunk.buffer.byteLength)).toEqual([65_536, 10_000]);
  });

  it("ChunkList has the bytes in order for chunks of random sizes", () => {
    const size = fc.oneof({ weight: 9, arbitrary: fc.nat(3) }, fc.integer({ min: 4000, max: 4200 }));
    fc.assert(
      fc.property(fc.array(size, { maxLength: 2000 }), (sizes) => {
        const { list, bytes } = createList(sizes);
        return Buffer.concat(list.takeAll()).equals(bytes);
      }),
    );
  });
});
