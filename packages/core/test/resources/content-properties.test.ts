import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { AccessError } from "../../src/errors/access-error.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createSocketlessScheme } from "../client/test-schemes.ts";
import { createRecordingByteSource } from "../recording-byte-source.ts";
import {
  createTestContentResource,
  TEST_BODY,
  TEST_BODY_CHUNKS,
  CONTENT_BODY_READERS,
} from "./content-body-readers.ts";

describe("the properties of a content resource", () => {
  it("a content resource has default properties", async () => {
    const resource = await createTestContentResource(createRecordingByteSource([]));
    expect(resource).toMatchObject({
      kind: "content",
      mediaType: "application/octet-stream",
      redirectChain: [],
    });
    expect([resource.size, resource.modified]).toEqual([undefined, undefined]);
    expect(String(resource.url)).toBe("x-made:a");
    expect(resource.plan.steps.map(({ action }) => action)).toEqual(["open"]);
    await resource.close();
  });

  it.each(CONTENT_BODY_READERS)("bodyUsed is false before and true after a read with %s", async (_, read) => {
    const resource = await createTestContentResource(createRecordingByteSource(TEST_BODY_CHUNKS));
    expect(resource.bodyUsed).toBe(false);
    await read(resource);
    expect(resource.bodyUsed).toBe(true);
  });

  it("a content resource has the properties that its scheme stated", async () => {
    const modified = new Date(Date.UTC(1994, 11, 1));
    const init = {
      mediaType: "text/plain; charset=utf-8",
      size: TEST_BODY.length,
      modified,
      schemeProperties: { pages: 3 },
    };
    const resource = await createTestContentResource(createRecordingByteSource(TEST_BODY_CHUNKS), {}, init);
    expect(resource).toMatchObject({
      mediaType: init.mediaType,
      size: TEST_BODY.length,
      modified,
      pages: 3,
    });
    const response = resource.toResponse();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "text/plain; charset=utf-8",
      "content-length": String(TEST_BODY.length),
      "last-modified": "Thu, 01 Dec 1994 00:00:00 GMT",
    });
    expect((await response.blob()).type).toBe("text/plain;charset=utf-8");
  });

  it.each([
    ["text/plain; charset=iso-8859-1", [0xe9], "é"],
    ['text/plain;charset="ISO-8859-2"', [0xb1], "ą"],
    ["text/plain; CHARSET=koi8-r; x=y", [0xc1], "а"],
    ["text/plain; charset=x-unknown", [0xc3, 0xa9], "é"],
    ["text/plain", [0xc3, 0xa9], "é"],
    ["text/plain", [0xe9], "\uFFFD"],
    ["text/plain", [0xef, 0xbb, 0xbf, 0x61], "a"],
    // The algorithm "decode" of the Encoding Standard: a byte order mark has precedence over the charset.
    ["text/plain; charset=UTF-16", [0xff, 0xfe, 0x48, 0, 0x69, 0], "Hi"],
    ["text/plain; charset=UTF-16", [0xfe, 0xff, 0, 0x48, 0, 0x69], "Hi"],
    ["text/plain; charset=UTF-16BE", [0xff, 0xfe, 0x48, 0], "H"],
    ["text/plain; charset=UTF-16BE", [0, 0x48], "H"],
    ["text/plain; charset=UTF-16", [0x48, 0], "H"],
    ["text/xml", [0xff, 0xfe, 0x48, 0, 0x69, 0], "Hi"],
    ["text/xml", [0xfe, 0xff, 0, 0x48, 0, 0x69], "Hi"],
    ["text/plain; charset=iso-8859-1", [0xef, 0xbb, 0xbf, 0xc3, 0xa9], "é"],
    ["text/plain; charset=iso-8859-1", [0xef, 0xbb], "ï»"],
    ["text/plain", [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], "\uFEFF"],
    ["text/plain", [0xfe], "\uFFFD"],
    ["text/plain; charset=UTF-16", [], ""],
  ])("text() decodes the body by the media type %s", async (mediaType, bytes, text) => {
    expect(
      await (
        await createTestContentResource(
          createRecordingByteSource([Uint8Array.from(bytes)]),
          {},
          { mediaType },
        )
      ).text(),
    ).toBe(text);
  });
});

describe("a content resource that the access method creates but does not return", () => {
  it("the client cancels the source of a content when the access method fails afterwards", async () => {
    const source = createRecordingByteSource(TEST_BODY_CHUNKS);
    const scheme = createSocketlessScheme((context) => {
      context.createContent({ source });
      throw new AccessError("protocol", "nonsense at the end");
    });
    const client = createClient({ schemes: [scheme] });
    expect((await catchAccessError(client.dereference("x-made:a"))).code).toBe("protocol");
    expect(source.cancelled).toBe(true);
  });

  it("the client cancels the source of a content that is created after an abort", async () => {
    const source = createRecordingByteSource(TEST_BODY_CHUNKS);
    const controller = new AbortController();
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const scheme = createSocketlessScheme(async (context) => {
      controller.abort();
      await new Promise(setImmediate);
      try {
        return context.createContent({ source });
      } finally {
        resolve();
      }
    });
    const client = createClient({ schemes: [scheme] });
    expect((await catchAccessError(client.dereference("x-made:a", { signal: controller.signal }))).code).toBe(
      "aborted",
    );
    await done;
    expect(source.cancelled).toBe(true);
  });
});
