import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TransferProgress } from "../../src/scheme/resource.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createRecordingByteSource } from "../recording-byte-source.ts";
import {
  createTestContentResource,
  TEST_BODY,
  TEST_BODY_CHUNKS,
  CONTENT_BODY_READERS,
  readByIteration,
  readWithByobReader,
} from "./content-body-readers.ts";

describe("bytes() and blob()", () => {
  it("bytes() and blob() return the bytes of chunks of any length, in an array of exactly that length", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 12 }), async (chunks) => {
        const all = Buffer.concat(chunks);
        const bytes = await (await createTestContentResource(createRecordingByteSource(chunks))).bytes();
        const blob = await (await createTestContentResource(createRecordingByteSource(chunks))).blob();
        for (const chunk of chunks) chunk.fill(0);
        expect(bytes.buffer.byteLength).toBe(all.length);
        expect(all.equals(bytes)).toBe(true);
        expect(all.equals(Buffer.from(await blob.arrayBuffer()))).toBe(true);
      }),
    );
  });
});

describe("the limit maxBodyBytes", () => {
  const whole = new Set(["bytes()", "arrayBuffer()", "text()", "json()", "blob()"]);
  it.each(CONTENT_BODY_READERS)(
    "maxBodyBytes limits the body only for methods that return the whole body: %s",
    async (name, read) => {
      for (const more of [-1, 0, 1]) {
        const source = createRecordingByteSource(TEST_BODY_CHUNKS);
        const resource = await createTestContentResource(source, {
          limits: { maxBodyBytes: TEST_BODY.length + more },
        });
        if (more < 0 && whole.has(name)) {
          expect(await catchAccessError(read(resource))).toMatchObject({
            code: "limit",
            limit: "maxBodyBytes",
          });
          expect(source.cancelled).toBe(true);
        } else {
          expect(await read(resource)).toHaveLength(TEST_BODY.length);
        }
      }
    },
  );

  it("maxBodyBytes stops reading an endless body", async () => {
    const source = createRecordingByteSource(
      Array.from({ length: 1000 }, () => new Uint8Array(1000)),
      "never",
    );
    const resource = await createTestContentResource(source, { limits: { maxBodyBytes: 10_000 } });
    expect((await catchAccessError(resource.bytes())).code).toBe("limit");
    expect(source.readBytes).toBe(11_000);
  });
});

describe("the stream body of a content", () => {
  it("a body stream reads from its source only when its reader reads", async () => {
    const source = createRecordingByteSource(TEST_BODY_CHUNKS);
    const reader = (await createTestContentResource(source)).body.getReader();
    expect(source.readBytes).toBe(0);
    await reader.read();
    expect(source.readBytes).toBe(5);
    await reader.cancel();
    expect(source.cancelled).toBe(true);
  });

  it("a break in the loop over a content cancels its source", async () => {
    const source = createRecordingByteSource(TEST_BODY_CHUNKS);
    const resource = await createTestContentResource(source);
    for await (const part of resource) {
      expect(part).toHaveLength(5);
      break;
    }
    expect(source.cancelled).toBe(true);
    expect((await catchAccessError(resource.completeness)).code).toBe("aborted");
  });

  it("a body stream fails after an abort without a pending read", async () => {
    const controller = new AbortController();
    const resource = await createTestContentResource(createRecordingByteSource(TEST_BODY_CHUNKS), {
      signal: controller.signal,
    });
    const reader = resource.body.getReader();
    await reader.read();
    controller.abort();
    expect((await catchAccessError(reader.closed)).code).toBe("aborted");
  });

  it("a body stream may be empty", async () => {
    expect(
      await readWithByobReader(await createTestContentResource(createRecordingByteSource([])), 4),
    ).toHaveLength(0);
    expect(
      await readByIteration(await createTestContentResource(createRecordingByteSource([]))),
    ).toHaveLength(0);
  });
});

describe("onProgress", () => {
  it.each(CONTENT_BODY_READERS)(
    "onProgress reports growing numbers of bytes while %s reads",
    async (_name, read) => {
      const seen: TransferProgress[] = [];
      const resource = await createTestContentResource(
        createRecordingByteSource(TEST_BODY_CHUNKS),
        { onProgress: (progress) => seen.push(progress) },
        { size: TEST_BODY.length },
      );
      await read(resource);
      expect(seen).toEqual(
        [5, 6, TEST_BODY.length].map((received) => ({ received, total: TEST_BODY.length })),
      );
    },
  );
});
