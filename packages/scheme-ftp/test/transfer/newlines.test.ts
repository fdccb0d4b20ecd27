import { describe, expect, it } from "vitest";
import { crlfToLf, lfToCrlf } from "../../src/transfer/newlines.ts";

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
          const source = crlfToLf({
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

  it("the client converts LF to CR LF before sending, for every chunk size", async () => {
    const sent = async (...pieces: string[]): Promise<string> => {
      const parts: Uint8Array[] = [];
      async function* body(): AsyncGenerator<Uint8Array> {
        for (const chunk of pieces) yield Buffer.from(chunk);
      }
      for await (const part of lfToCrlf(body())) parts.push(part);
      return Buffer.concat(parts).toString();
    };
    expect(await sent("a\nb\r", "\nc")).toBe("a\r\nb\r\nc");
    expect(await sent("\n", "\n")).toBe("\r\n\r\n");
  });
});
