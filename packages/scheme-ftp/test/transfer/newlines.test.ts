import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCrlfToLfSource, convertChunksToCrlf } from "../../src/transfer/newlines.ts";

describe("line ends are converted for TYPE A", () => {
  const ROWS: readonly (readonly [string, string])[] = [
    ["one\r\ntwo\r\n", "one\ntwo\n"],
    ["a\r\rb\rc\nd\r\n", "a\r\rb\rc\nd\n"],
    ["\r\n\r\n", "\n\n"],
    ["a\r", "a\r"],
    ["\r\r\n", "\r\n"],
    ["", ""],
    ["no line end", "no line end"],
  ];

  it.each(ROWS)(
    "the client converts the received text %j to %j for every chunk size",
    async (wire, local) => {
      for (let size = 1; size <= Math.max(1, wire.length); size++) {
        for (const greedy of [true, false]) {
          let rest = Buffer.from(wire, "latin1");
          const source = createCrlfToLfSource({
            async readChunks(take) {
              while (rest.length > 0) {
                const chunk = Uint8Array.from(rest.subarray(0, size));
                rest = rest.subarray(size);
                if (!take(chunk)) return "more";
              }
              return "end";
            },
            cancel: () => undefined,
          });
          const parts: Uint8Array[] = [];
          const take = (bytes: Uint8Array): boolean => {
            parts.push(Uint8Array.from(bytes));
            return greedy;
          };
          while ((await source.readChunks(take)) === "more");
          expect(Buffer.concat(parts).toString("latin1")).toBe(local);
        }
      }
    },
  );

  const convertToCrlf = async (chunks: readonly string[]): Promise<string> => {
    const parts: Uint8Array[] = [];
    async function* body(): AsyncGenerator<Uint8Array> {
      for (const chunk of chunks) yield Buffer.from(chunk);
    }
    for await (const part of convertChunksToCrlf(body())) parts.push(part);
    return Buffer.concat(parts).toString();
  };

  it.each([
    [["a\nb\r", "\nc"], "a\r\nb\r\nc"],
    [["\n", "\n"], "\r\n\r\n"],
    [["a\r", "", "\nb"], "a\r\nb"],
    [["\r\r\n\n"], "\r\r\n\r\n"],
  ])("the client converts the chunks %j to %j before sending", async (chunks, expected) => {
    expect(await convertToCrlf(chunks)).toBe(expected);
  });

  it("before sending, the client adds a CR to every LF without one, wherever the chunks end", async () => {
    const character = fc.constantFrom("a", "\r", "\n");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: character, maxLength: 6 })), async (chunks) => {
        expect(await convertToCrlf(chunks)).toBe(chunks.join("").replaceAll(/(?<!\r)\n/g, "\r\n"));
      }),
    );
  });
});
