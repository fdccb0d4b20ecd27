import { describe, expect, it } from "vitest";
import { createPushbackSource } from "../../src/io/byte-source-wrappers.ts";
import { createRecordingByteSource } from "../recording-byte-source.ts";

const encode = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("createPushbackSource", () => {
  it("bytes that were put back are read first, the last ones before the others", async () => {
    const source = createPushbackSource(createRecordingByteSource([encode("c"), encode("d")]));
    source.unread(encode("b"));
    source.unread(encode(""));
    source.unread(encode("a"));
    const chunks: string[] = [];
    const state = await source.readChunks((bytes) => chunks.push(Buffer.from(bytes).toString("latin1")) > 0);
    expect([state, ...chunks]).toEqual(["end", "a", "b", "c", "d"]);
  });

  it("a read that needs only the bytes put back does not read the other source", async () => {
    const source = createPushbackSource({
      readChunks: () => Promise.reject(new Error("the other source was read")),
      cancel: () => undefined,
    });
    source.unread(encode("a"));
    expect(await source.readChunks(() => false)).toBe("more");
    await expect(source.readChunks(() => false)).rejects.toThrow("the other source was read");
  });

  it("cancel cancels the other source", () => {
    let isCancelled = false;
    const cancel = (): void => void (isCancelled = true);
    createPushbackSource({ readChunks: () => Promise.resolve("end"), cancel }).cancel();
    expect(isCancelled).toBe(true);
  });
});
